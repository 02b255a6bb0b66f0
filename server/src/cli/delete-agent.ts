// mintmark agent delete
import type { Command } from 'commander'
import { deleteAgent } from '../operations/delete-agent.ts'
import { StartRefused } from '../start-refused.ts'
import { administer } from './administer.ts'
import { printJson, printLine } from './print.ts'

const CONSEQUENCE = 'ends every token that the agent holds, and there is no way back; history keeps its tokens'

type Options = { readonly yes?: boolean; readonly json?: boolean }

const run = async (agentId: string, options: Options): Promise<void> => {
  if (options.yes !== true) {
    throw new StartRefused(`This ${CONSEQUENCE}. If that is meant, run it again with --yes.`)
  }
  await administer((ports, origin) => deleteAgent(ports, origin, agentId))
  if (options.json) return printJson({ agent_id: agentId })
  printLine(`The agent ${agentId} is deleted, and every token that it held has ended.`)
}

export const addDeleteAgent = (agent: Command): void => {
  agent
    .command('delete')
    .description('remove an agent for good and end all that it holds, at once; its name is free again')
    .argument('<agent-id>', 'the id of the agent; `mintmark agent list` shows it')
    .option('--yes', `confirm: it ${CONSEQUENCE}`)
    .option('--json', 'print {"agent_id"}')
    .addHelpText('after', '\nExample:\n  mintmark agent delete 6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10 --yes')
    .action(run)
}
