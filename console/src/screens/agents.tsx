// In this folder: one component for each address of the console. A screen arranges lists and parts; screens.ts says which role sees it.
// The agents: who gets tokens.
import { useQueryClient } from '@tanstack/react-query'
import { lazy } from 'react'
import { ACCESS } from '../../../api/values/access.ts'
import type { AgentRecord } from '../../../packages/client/src/index.ts'
import { AGENT_COLUMNS } from '../agents/agent-columns.tsx'
import { CreateAgent } from '../agents/agent-form.tsx'
import { AgentPanel } from '../agents/agent-panel.tsx'
import { listAgents } from '../agents/list-agents.ts'
import { STOP_CHOSEN } from '../agents/stop-plan.ts'
import type { Filter } from '../lists/chips.tsx'
import { CHOSEN_MAX, type ChosenAct, ChosenBar } from '../lists/chosen-bar.tsx'
import { Command } from '../parts/command.tsx'
import { FORMS } from '../lists/filter-forms.ts'
import { ListScreen } from '../lists/list-screen.tsx'
import { useMay } from '../reading/role.ts'
import type { Selection } from '../reading/selection.ts'

const StopChosen = lazy(async () => ({ default: (await import('../agents/stop-chosen.tsx')).StopChosen }))

const FILTERS: readonly Filter[] = [
  { name: 'q', title: 'Name or id', hint: 'part of a name, owner or label' },
  { name: 'owner', title: 'Owner', hint: 'Ada' },
  { name: 'label', title: 'Label', hint: FORMS.label.example, form: 'label' },
  { name: 'disabled', title: 'Disabled', hint: '', choices: ['true', 'false'] },
]

const stopChosen = (agents: readonly AgentRecord[]): ChosenAct => {
  const title = `Stop ${agents.length} ${agents.length === 1 ? 'agent' : 'agents'}?`
  return {
    title,
    name: STOP_CHOSEN,
    content: onOver => <StopChosen title={title} agents={agents} onOver={onOver} />,
  }
}

const StopMany = ({ selection }: { readonly selection: Selection<AgentRecord> }) => (
  <div className="many">
    <ChosenBar
      selection={selection}
      hint="Choose rows by their boxes or the space bar to stop several."
      submit="Stop them"
      tooMany={`At most ${CHOSEN_MAX} are stopped so.`}
      actOn={stopChosen}
    />
  </div>
)

export const Agents = () => {
  const queryClient = useQueryClient()
  const mayStop = useMay(ACCESS.stopAgents)
  return (
    <ListScreen
      title="Agents"
      acts={<CreateAgent />}
      label="Agents"
      filters={FILTERS}
      columns={AGENT_COLUMNS}
      idOf={({ agent_id: id }) => id}
      name="agents"
      many={mayStop ? ({ selection }) => <StopMany selection={selection} /> : undefined}
      read={query => listAgents(queryClient, query)}
      panel={id => <AgentPanel key={id} id={id} />}
      empty={
        <>
          <p>No agent matches.</p>
          <Command words={['mintmark', 'agent', 'create', '--name', 'NAME', '--scope', 'SCOPE']} />
        </>
      }
    />
  )
}
