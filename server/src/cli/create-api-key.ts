// mintmark api-key create
import { type Command, Option } from 'commander'
import { PERMISSIONS } from '../../../api/values/access.ts'
import { defineAdminCommand, show } from './administer.ts'
import { parseExpiry } from './terminal/duration.ts'

type Options = {
  readonly name: string
  readonly permission: readonly string[]
  readonly audience?: readonly string[]
  readonly expiresIn?: string
}

export const addCreateApiKey = (apiKey: Command): void => {
  const permission = new Option('--permission <permission...>', 'what the key may do (repeatable)')
  const command = apiKey
    .command('create')
    .description('make an API key for a resource server or a tool')
    .requiredOption('--name <name>', 'a name to know it by')
    .addOption(permission.choices(PERMISSIONS).makeOptionMandatory())
    .option('--audience <uri...>', 'limit the key to tokens for this audience (repeatable)')
    .option('--expires-in <duration>', 'when it stops being taken, such as 90d; without it never', parseExpiry)
  defineAdminCommand<Options>(command, {
    json: 'print {"api_key_id","api_key"}',
    examples: ['mintmark api-key create --name orders-api --permission tokens:introspect'],
    run: async ({ api, options }) => {
      const { name, permission: permissions, audience: audiences, expiresIn } = options
      const json = { name, permissions, audiences, expires_at: expiresIn }
      const request = { method: 'POST', path: '/api/v1/api-keys', json } as const
      const { api_key_id, api_key } = await api.ask(request, 'api_key_id', 'api_key')
      return show({ api_key_id, api_key }, 'Keep the key: it is shown this once.')
    },
  })
}
