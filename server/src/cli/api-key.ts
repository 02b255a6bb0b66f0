// mintmark api-key
import { type Command, Option } from 'commander'
import * as rows from '../../../api/api-keys.ts'
import { type Permission, PERMISSIONS } from '../../../api/values/access.ts'
import { defineAdminCommand, show } from './administer.ts'
import { showAll } from './lists/read-list.ts'
import { addExpiry, addRotateOptions, type RotateOptions, rotationOf, showRotation } from './rotation.ts'

const API_KEY_ID = '0b9c6a52-8f0e-4a55-b1a5-3f0a3f6f5c11'
const COLUMNS = ['api_key_id', 'name', 'permissions', 'audiences', 'expires_at', 'revoked_at', 'suspended_at']

const ofOne = (command: Command): Command =>
  command.argument('<api-key-id>', 'the key, by its id or its name; `mintmark api-key list` shows both')

type CreateOptions = {
  readonly name: string
  readonly permission: Permission[]
  readonly audience?: string[]
  readonly expiresIn?: string
}

const addCreate = (apiKey: Command): void => {
  const permissionOption = new Option('--permission <permission...>', 'what the key may do (repeatable)')
  const command = apiKey
    .command('create')
    .description('make an API key for a resource server or a tool')
    .requiredOption('--name <name>', 'a name to know it by')
    .addOption(permissionOption.choices(PERMISSIONS).makeOptionMandatory())
    .option('--audience <uri...>', 'limit the key to tokens for this audience (repeatable)')
  defineAdminCommand<CreateOptions>(addExpiry(command, 'it'), {
    json: 'print {"api_key_id","api_key"}',
    examples: ['mintmark api-key create --name orders-api --permission tokens:introspect'],
    run: async ({ api, options: { name, permission: permissions, audience: audiences, expiresIn } }) => {
      const body = { name, permissions, audiences, expires_at: expiresIn }
      const { api_key_id, api_key } = await api.call(rows.createApiKey, { body })
      return show({ api_key_id, api_key }, 'Keep the key: it is shown this once.')
    },
  })
}

const addList = (apiKey: Command): void =>
  defineAdminCommand(apiKey.command('list').description('list all API keys, the revoked ones too'), {
    json: 'print {"data":[…]}',
    examples: ['mintmark api-key list'],
    run: ({ api }) => showAll(api, rows.listApiKeys, { columns: COLUMNS }),
  })

const addShow = (apiKey: Command): void =>
  defineAdminCommand(ofOne(apiKey.command('show').description('show one API key')), {
    json: 'print the API key as JSON',
    examples: [`mintmark api-key show ${API_KEY_ID}`],
    run: async ({ api, args: [id = ''] }) => show(await api.call(rows.showApiKey, { path: { api_key_id: id } })),
  })

const addRotate = (apiKey: Command): void => {
  const command = ofOne(
    apiKey.command('rotate').description('make a new API key of the same powers and let the old one live for a while'),
  )
  defineAdminCommand<RotateOptions>(addRotateOptions(command), {
    json: 'print {"api_key_id","api_key"}',
    examples: [`mintmark api-key rotate ${API_KEY_ID} --grace 24h`],
    ends: true, // the old one, at the latest after the grace
    rotates: true,
    run: async ({ api, args: [id = ''], options }) => {
      const body = rotationOf(options)
      const { api_key_id, api_key, replaces } = await api.call(rows.rotateApiKey, { path: { api_key_id: id }, body })
      return showRotation({ api_key_id, api_key }, replaces, 'key')
    },
  })
}

const addRevoke = (apiKey: Command): void => {
  const command = ofOne(apiKey.command('revoke').description('refuse an API key from now on')).option(
    '--note <text>',
    'for those who read the audit log',
  )
  defineAdminCommand<{ readonly note?: string }>(command, {
    json: 'print the API key as JSON',
    examples: [`mintmark api-key revoke ${API_KEY_ID} --yes`],
    consequence: async ({ api, args: [id = ''] }) => {
      const { name } = await api.call(rows.showApiKey, { path: { api_key_id: id } })
      return `This refuses the API key ${id} (${String(name)}) from now on; whatever asks with it is cut off. No token ends.`
    },
    run: async ({ api, args: [id = ''], options: { note } }) =>
      show(await api.call(rows.revokeApiKey, { path: { api_key_id: id }, body: { note } })),
  })
}

export const addApiKey = (program: Command): void => {
  const apiKey = program.command('api-key').description('the API keys of resource servers and tools')
  for (const addTo of [addCreate, addList, addShow, addRotate, addRevoke]) addTo(apiKey)
}
