// mintmark agent delete
import type { Command } from 'commander'
import { defineAdminCommand } from './administer.ts'
import { at } from './remote/api.ts'
import { countAlive } from './count-alive.ts'
import { printLine } from './terminal/print.ts'

export const addDeleteAgent = (agent: Command): void => {
  const command = agent
    .command('delete')
    .description('remove an agent for good and end all that it holds, at once; its name is free again')
    .argument('<agent-id>', 'the id of the agent; `mintmark agent list` shows it')
  defineAdminCommand(command, {
    json: 'print {"agent_id"}',
    examples: ['mintmark agent delete 6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10 --yes'],
    consequence: async ({ api, args: [id = ''] }) =>
      `This removes the agent ${id} for good and ends every token that it holds: ${await countAlive(api, { agent_id: id })}. History keeps its tokens.`,
    run: async ({ api, args: [id = ''] }) => {
      await api.ask({ method: 'DELETE', path: at`/api/v1/agents/${id}` })
      const forPeople = () => printLine(`The agent ${id} is deleted, and every token that it held has ended.`)
      return { json: { agent_id: id }, forPeople }
    },
  })
}
