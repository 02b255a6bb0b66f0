// mintmark agent show
import type { Command } from 'commander'
import { defineAdminCommand, show } from './administer.ts'
import { at } from './remote/api.ts'

export const addShowAgent = (agent: Command): void => {
  const command = agent
    .command('show')
    .description('show one agent')
    .argument('<agent-id>', 'the id of the agent; `mintmark agent list` shows it')
  defineAdminCommand(command, {
    json: 'print the agent as JSON',
    examples: ['mintmark agent show 6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10'],
    run: async ({ api, args: [id = ''] }) =>
      show(await api.ask({ method: 'GET', path: at`/api/v1/agents/${id}` }, 'agent_id')),
  })
}
