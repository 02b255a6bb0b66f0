// mintmark agent disable
import type { Command } from 'commander'
import { disableAgent } from '../operations/disable-agent.ts'
import { administer } from './administer.ts'
import { printAgent } from './agent-record.ts'

const run = async (agentId: string, options: { readonly json?: boolean }): Promise<void> =>
  printAgent(await administer((ports, origin) => disableAgent(ports, origin, agentId)), options.json ?? false)

export const addDisableAgent = (agent: Command): void => {
  agent
    .command('disable')
    .description('refuse an agent new tokens and end all that it holds, at once')
    .argument('<agent-id>', 'the id of the agent; `mintmark agent list` shows it')
    .option('--json', 'print the agent as JSON')
    .addHelpText('after', '\nExample:\n  mintmark agent disable 6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10')
    .action(run)
}
