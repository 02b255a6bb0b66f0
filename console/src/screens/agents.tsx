// The agents: who gets tokens.
import type { AgentRecord } from '../../../packages/client/src/index.ts'
import { CreateAgent } from '../agents/agent-form.tsx'
import { AgentPanel } from '../agents/agent-panel.tsx'
import type { Filter } from '../parts/chips.tsx'
import { Command } from '../parts/command.tsx'
import { FORMS } from '../parts/filter-forms.ts'
import { ListScreen } from '../parts/list-screen.tsx'
import type { Column } from '../parts/records.tsx'
import { Time } from '../parts/time.tsx'
import { withLabels } from '../reading/page.ts'
import { readPage } from '../reading/read-page.ts'
import { administration } from '../reading/service.ts'

const FILTERS: readonly Filter[] = [
  { name: 'q', title: 'Name or id', hint: 'the beginning of a name, or an id' },
  { name: 'owner', title: 'Owner', hint: 'Ada' },
  { name: 'label', title: 'Label', hint: FORMS.label.example, form: 'label' },
  { name: 'disabled', title: 'Disabled', hint: '', choices: ['true', 'false'] },
]

const COLUMNS: readonly Column<AgentRecord>[] = [
  { title: 'Agent', show: ({ name }) => name },
  { title: 'Owner', show: ({ owner }) => owner },
  { title: 'Scope', show: ({ scope }) => <span title={scope}>{scope}</span> },
  { title: 'Made', show: ({ created_at: at }) => <Time at={at} /> },
  { title: 'State', show: ({ disabled_at: at }) => (at === null ? 'active' : 'disabled') },
]

export const Agents = () => (
  <ListScreen
    title="Agents"
    acts={<CreateAgent />}
    label="Agents, by id"
    filters={FILTERS}
    columns={COLUMNS}
    idOf={({ agent_id: id }) => id}
    name="agents"
    read={({ disabled, ...query }) =>
      readPage((cursor, signal) =>
        administration.listAgents({
          query: {
            ...withLabels(query),
            ...(disabled !== undefined && { disabled: disabled === 'true' }),
            cursor,
          },
          signal,
        }),
      )
    }
    panel={id => <AgentPanel key={id} id={id} />}
    empty={
      <>
        <p>No agent matches.</p>
        <Command words={['mintmark', 'agent', 'create', '--name', 'NAME', '--scope', 'SCOPE']} />
      </>
    }
  />
)
