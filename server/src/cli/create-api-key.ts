// mintmark api-key create
import { type Command, Option } from 'commander'
import { PERMISSIONS } from '../domain/caller.ts'
import { createApiKey } from '../operations/create-api-key.ts'
import { administer } from './administer.ts'
import { parseDuration } from './duration.ts'
import { printJson, printLine, printRecord } from './print.ts'

type Options = {
  readonly name: string
  readonly permission: readonly string[]
  readonly audience?: readonly string[]
  readonly expiresIn?: number
  readonly json?: boolean
}

const run = async ({ name, permission, audience, expiresIn, json }: Options): Promise<void> => {
  const expiry = expiresIn === undefined ? null : { afterMs: 1000 * expiresIn }
  const request = { name, permissions: permission, audiences: audience ?? null, expiry }
  const { apiKey, key } = await administer((ports, origin) => createApiKey(ports, origin, request))
  const record = { api_key_id: apiKey.id, api_key: key }
  if (json) return printJson(record)
  printRecord(record)
  printLine('Keep the key: it is shown this once.')
}

export const addCreateApiKey = (apiKey: Command): void => {
  const permission = new Option('--permission <permission...>', 'what the key may do (repeatable)')
  apiKey
    .command('create')
    .description('make an API key for a resource server or a tool')
    .requiredOption('--name <name>', 'a name to know it by')
    .addOption(permission.choices(PERMISSIONS).makeOptionMandatory())
    .option('--audience <uri...>', 'limit the key to tokens for this audience (repeatable)')
    .option('--expires-in <duration>', 'when it stops being taken, such as 90d; without it never', parseDuration)
    .option('--json', 'print {"api_key_id","api_key"}')
    .addHelpText('after', '\nExample:\n  mintmark api-key create --name orders-api --permission tokens:introspect')
    .action(run)
}
