// mintmark agent list
import type { Command } from 'commander'
import type { Agent } from '../domain/agent.ts'
import type { Origin } from '../domain/caller.ts'
import { AGENTS_PAGE, listAgents } from '../operations/list-agents.ts'
import type { Ports } from '../ports.ts'
import { administer } from './administer.ts'
import { agentRecord } from './agent-record.ts'
import { printJson, printTable } from './print.ts'

const readAll = async (ports: Pick<Ports, 'agents'>, { caller }: Origin): Promise<readonly Agent[]> => {
  const agents: Agent[] = []
  for (;;) {
    const page = await listAgents(ports, caller, agents.at(-1)?.name ?? null)
    agents.push(...page)
    if (page.length < AGENTS_PAGE) return agents
  }
}

const run = async (options: { readonly json?: boolean }): Promise<void> => {
  const records = (await administer(readAll)).map(agentRecord)
  if (options.json) return printJson({ data: records })
  printTable(['agent_id', 'name', 'scope', 'disabled_at'], records)
}

export const addListAgents = (agent: Command): void => {
  agent
    .command('list')
    .description('list all agents by name')
    .option('--json', 'print {"data":[…]}, each agent as `agent show --json` prints it')
    .addHelpText('after', '\nExample:\n  mintmark agent list')
    .action(run)
}
