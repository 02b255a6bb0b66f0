// mintmark api-key revoke
import type { Command } from 'commander'
import { defineAdminCommand, show } from './administer.ts'
import { at } from './remote/api.ts'

type Options = { readonly note?: string }

export const addRevokeApiKey = (apiKey: Command): void => {
  const command = apiKey
    .command('revoke')
    .description('refuse an API key from now on')
    .argument('<api-key-id>', 'the id of the key; `mintmark api-key list` shows it')
    .option('--note <text>', 'for whoever reads the audit log')
  defineAdminCommand<Options>(command, {
    json: 'print the API key as JSON',
    examples: ['mintmark api-key revoke 0b9c6a52-8f0e-4a55-b1a5-3f0a3f6f5c11 --yes'],
    consequence: async ({ api, args: [id = ''] }) => {
      const { name } = await api.ask({ method: 'GET', path: at`/api/v1/api-keys/${id}` }, 'name')
      return `This refuses the API key ${id} (${String(name)}) from now on; whatever asks with it is cut off. No token ends.`
    },
    run: async ({ api, args: [id = ''], options: { note } }) =>
      show(await api.ask({ method: 'POST', path: at`/api/v1/api-keys/${id}/revoke`, json: { note } }, 'api_key_id')),
  })
}
