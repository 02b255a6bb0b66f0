// mintmark api-key list
import type { Command } from 'commander'
import type { ApiKey } from '../domain/api-key.ts'
import type { Origin } from '../domain/caller.ts'
import { API_KEYS_PAGE, listApiKeys } from '../operations/list-api-keys.ts'
import type { Ports } from '../ports.ts'
import { administer } from './administer.ts'
import { apiKeyRecord } from './api-key-record.ts'
import { printJson, printTable } from './print.ts'

const readAll = async (ports: Pick<Ports, 'apiKeys'>, { caller }: Origin): Promise<readonly ApiKey[]> => {
  const apiKeys: ApiKey[] = []
  for (;;) {
    const page = await listApiKeys(ports, caller, apiKeys.at(-1)?.id ?? null)
    apiKeys.push(...page)
    if (page.length < API_KEYS_PAGE) return apiKeys
  }
}

const run = async (options: { readonly json?: boolean }): Promise<void> => {
  const records = (await administer(readAll)).map(apiKeyRecord)
  if (options.json) return printJson({ data: records })
  printTable(['api_key_id', 'name', 'permissions', 'audiences', 'revoked_at'], records)
}

export const addListApiKeys = (apiKey: Command): void => {
  apiKey
    .command('list')
    .description('list all API keys, the revoked ones too')
    .option('--json', 'print {"data":[…]}')
    .addHelpText('after', '\nExample:\n  mintmark api-key list')
    .action(run)
}
