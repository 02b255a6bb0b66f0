// mintmark api-key revoke
import type { Command } from 'commander'
import { revokeApiKey } from '../operations/revoke-api-key.ts'
import { administer } from './administer.ts'
import { apiKeyRecord } from '../domain/api-key-record.ts'
import { printJson, printRecord } from './print.ts'

type Options = { readonly note?: string; readonly json?: boolean }

const run = async (apiKeyId: string, options: Options): Promise<void> => {
  const note = options.note ?? null
  const record = apiKeyRecord(await administer((ports, origin) => revokeApiKey(ports, origin, apiKeyId, note)))
  if (options.json) return printJson(record)
  printRecord(record)
}

export const addRevokeApiKey = (apiKey: Command): void => {
  apiKey
    .command('revoke')
    .description('refuse an API key from now on')
    .argument('<api-key-id>', 'the id of the key; `mintmark api-key list` shows it')
    .option('--note <text>', 'for whoever reads the audit log')
    .option('--json', 'print the API key as JSON')
    .addHelpText('after', '\nExample:\n  mintmark api-key revoke 0b9c6a52-8f0e-4a55-b1a5-3f0a3f6f5c11')
    .action(run)
}
