// mintmark api-key list
import type { Command } from 'commander'
import { listApiKeys } from '../operations/list-api-keys.ts'
import { administer } from './administer.ts'
import { apiKeyRecord } from '../domain/api-key-record.ts'
import { listAll } from './list-all.ts'
import { printJson, printTable } from './print.ts'

const run = async (options: { readonly json?: boolean }): Promise<void> => {
  const apiKeys = await administer((ports, { caller }) => listAll(request => listApiKeys(ports, caller, request)))
  const records = apiKeys.map(apiKeyRecord)
  if (options.json) return printJson({ data: records })
  printTable(['api_key_id', 'name', 'permissions', 'audiences', 'expires_at', 'revoked_at'], records)
}

export const addListApiKeys = (apiKey: Command): void => {
  apiKey
    .command('list')
    .description('list all API keys, the revoked ones too')
    .option('--json', 'print {"data":[…]}')
    .addHelpText('after', '\nExample:\n  mintmark api-key list')
    .action(run)
}
