// mintmark api-key rotate
import type { Command } from 'commander'
import { defineAdminCommand } from './administer.ts'
import { at } from './remote/api.ts'
import { parseDuration, parseExpiry } from './terminal/duration.ts'
import { showRotation } from './show-rotation.ts'

type Options = { readonly grace: number; readonly expiresIn?: string }

export const addRotateApiKey = (apiKey: Command): void => {
  const command = apiKey
    .command('rotate')
    .description('make a new API key of the same powers and let the old one live for a while')
    .argument('<api-key-id>', 'the id of the old key; `mintmark api-key list` shows it')
    .requiredOption('--grace <duration>', 'how long the old one is still taken: 0 to 30d', parseDuration)
    .option('--expires-in <duration>', 'when the new one stops being taken; without it never', parseExpiry)
  defineAdminCommand<Options>(command, {
    json: 'print {"api_key_id","api_key"}',
    examples: ['mintmark api-key rotate 0b9c6a52-8f0e-4a55-b1a5-3f0a3f6f5c11 --grace 24h'],
    run: async ({ api, args: [id = ''], options: { grace, expiresIn } }) => {
      const json = { grace_seconds: grace, expires_at: expiresIn }
      const request = { method: 'POST', path: at`/api/v1/api-keys/${id}/rotate`, json } as const
      const { api_key_id, api_key, replaces } = await api.ask(request, 'api_key_id', 'api_key')
      return showRotation({ api_key_id, api_key }, replaces, 'key')
    },
  })
}
