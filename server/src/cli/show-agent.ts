// mintmark agent show
import type { Command } from 'commander'
import { showAgent } from '../operations/show-agent.ts'
import { administer } from './administer.ts'
import { printAgent } from './agent-record.ts'

const run = async (agentId: string, options: { readonly json?: boolean }): Promise<void> =>
  printAgent(await administer((ports, { caller }) => showAgent(ports, caller, agentId)), options.json ?? false)

export const addShowAgent = (agent: Command): void => {
  agent
    .command('show')
    .description('show one agent')
    .argument('<agent-id>', 'the id of the agent; `mintmark agent list` shows it')
    .option('--json', 'print the agent as JSON')
    .addHelpText('after', '\nExample:\n  mintmark agent show 6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10')
    .action(run)
}
