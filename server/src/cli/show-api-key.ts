// mintmark api-key show
import type { Command } from 'commander'
import { defineAdminCommand, show } from './administer.ts'
import { at } from './remote/api.ts'

export const addShowApiKey = (apiKey: Command): void => {
  const command = apiKey
    .command('show')
    .description('show one API key')
    .argument('<api-key-id>', 'the id of the key; `mintmark api-key list` shows it')
  defineAdminCommand(command, {
    json: 'print the API key as JSON',
    examples: ['mintmark api-key show 0b9c6a52-8f0e-4a55-b1a5-3f0a3f6f5c11'],
    run: async ({ api, args: [id = ''] }) =>
      show(await api.ask({ method: 'GET', path: at`/api/v1/api-keys/${id}` }, 'api_key_id')),
  })
}
