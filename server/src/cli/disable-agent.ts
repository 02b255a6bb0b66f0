// mintmark agent disable
import type { Command } from 'commander'
import { defineAdminCommand, show } from './administer.ts'
import { at } from './remote/api.ts'
import { countAlive } from './count-alive.ts'

type Options = { readonly note?: string }

export const addDisableAgent = (agent: Command): void => {
  const command = agent
    .command('disable')
    .description('refuse an agent new tokens and end all that it holds, at once')
    .argument('<agent-id>', 'the id of the agent; `mintmark agent list` shows it')
    .option('--note <text>', 'for whoever reads the audit log and the history')
  defineAdminCommand<Options>(command, {
    json: 'print the agent as JSON',
    examples: ['mintmark agent disable 6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10 --yes'],
    consequence: async ({ api, args: [id = ''] }) =>
      `This refuses the agent ${id} new tokens and ends every token that it holds: ${await countAlive(api, { agent_id: id })}.`,
    run: async ({ api, args: [id = ''], options: { note } }) =>
      show(await api.ask({ method: 'POST', path: at`/api/v1/agents/${id}/disable`, json: { note } }, 'agent_id')),
  })
}
