// mintmark agent enable
import type { Command } from 'commander'
import { defineAdminCommand, show } from './administer.ts'
import { at } from './remote/api.ts'

type Options = { readonly note?: string }

export const addEnableAgent = (agent: Command): void => {
  const command = agent
    .command('enable')
    .description('let a disabled agent ask for tokens again; ended ones stay ended')
    .argument('<agent-id>', 'the id of the agent; `mintmark agent list` shows it')
    .option('--note <text>', 'for whoever reads the audit log')
  defineAdminCommand<Options>(command, {
    json: 'print the agent as JSON',
    examples: ['mintmark agent enable 6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10'],
    run: async ({ api, args: [id = ''], options: { note } }) =>
      show(await api.ask({ method: 'POST', path: at`/api/v1/agents/${id}/enable`, json: { note } }, 'agent_id')),
  })
}
