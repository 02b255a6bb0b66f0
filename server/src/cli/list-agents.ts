// mintmark agent list
import { type Command, Option } from 'commander'
import type { Agent } from '../domain/agent.ts'
import { agentRecord } from '../domain/agent-record.ts'
import type { Administrator } from '../domain/caller.ts'
import { type AgentFilters, PAGE_RECORDS_MAX } from '../domain/page.ts'
import { isRefused, type OrRefusal } from '../domain/refusal.ts'
import { listAgents } from '../operations/list-agents.ts'
import type { ListPage } from '../operations/read-page.ts'
import type { Ports } from '../ports.ts'
import { administer } from './administer.ts'
import { gatherLabels, type Label } from './agent-options.ts'
import { printJson, printTable } from './print.ts'

type Options = {
  readonly disabled?: boolean
  readonly enabled?: boolean
  readonly owner?: string
  readonly label?: readonly Label[]
  readonly namePrefix?: string
  readonly search?: string
  readonly json?: boolean
}

const filtersOf = (options: Options): AgentFilters => ({
  disabled: options.enabled ? false : (options.disabled ?? null),
  owner: options.owner ?? null,
  labels: options.label ?? [],
  namePrefix: options.namePrefix ?? null,
  search: options.search ?? null,
})

const readAll = async (
  ports: Pick<Ports, 'agents' | 'secrets'>,
  caller: Administrator,
  filters: AgentFilters,
): Promise<OrRefusal<readonly Agent[]>> => {
  const agents: Agent[] = []
  let cursor: string | null = null
  do {
    const page: OrRefusal<ListPage<Agent>> = await listAgents(ports, caller, {
      filters,
      limit: PAGE_RECORDS_MAX,
      cursor,
    })
    if (isRefused(page)) return page
    agents.push(...page.records)
    cursor = page.nextCursor
  } while (cursor !== null)
  return agents
}

const run = async (options: Options): Promise<void> => {
  const agents = await administer((ports, { caller }) => readAll(ports, caller, filtersOf(options)))
  const records = agents.map(agentRecord)
  if (options.json) return printJson({ data: records })
  const rows = records.map(({ agent_id, name, owner, scope, disabled_at }) => ({
    agent_id,
    name,
    owner,
    scope,
    disabled_at,
  }))
  printTable(['agent_id', 'name', 'owner', 'scope', 'disabled_at'], rows)
}

export const addListAgents = (agent: Command): void => {
  agent
    .command('list')
    .description('list agents by name, all of them unless an option asks for less')
    .addOption(new Option('--disabled', 'only the disabled ones').conflicts('enabled'))
    .option('--enabled', 'only the enabled ones')
    .option('--owner <name>', 'only those of this owner')
    .option('--label <key=value>', 'only those with this label (repeatable)', gatherLabels)
    .option('--name-prefix <text>', 'only those whose names open with this text')
    .option('--search <text>', 'the one with this id, then those whose names open with this text')
    .option('--json', 'print {"data":[…]}, each agent as `agent show --json` prints it')
    .addHelpText('after', '\nExample:\n  mintmark agent list --label team=data')
    .action(run)
}
