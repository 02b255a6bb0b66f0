// mintmark agent enable
import type { Command } from 'commander'
import { enableAgent } from '../operations/enable-agent.ts'
import { administer } from './administer.ts'
import { printAgent } from './agent-record.ts'

const run = async (agentId: string, options: { readonly json?: boolean }): Promise<void> =>
  printAgent(await administer((ports, origin) => enableAgent(ports, origin, agentId)), options.json ?? false)

export const addEnableAgent = (agent: Command): void => {
  agent
    .command('enable')
    .description('let a disabled agent ask for tokens again; ended ones stay ended')
    .argument('<agent-id>', 'the id of the agent; `mintmark agent list` shows it')
    .option('--json', 'print the agent as JSON')
    .addHelpText('after', '\nExample:\n  mintmark agent enable 6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10')
    .action(run)
}
