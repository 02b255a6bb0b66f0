// mintmark api-key show
import type { Command } from 'commander'
import { showApiKey } from '../operations/show-api-key.ts'
import { administer } from './administer.ts'
import { apiKeyRecord } from '../domain/api-key-record.ts'
import { printJson, printRecord } from './print.ts'

const run = async (apiKeyId: string, options: { readonly json?: boolean }): Promise<void> => {
  const record = apiKeyRecord(await administer((ports, { caller }) => showApiKey(ports, caller, apiKeyId)))
  if (options.json) return printJson(record)
  printRecord(record)
}

export const addShowApiKey = (apiKey: Command): void => {
  apiKey
    .command('show')
    .description('show one API key')
    .argument('<api-key-id>', 'the id of the key; `mintmark api-key list` shows it')
    .option('--json', 'print the API key as JSON')
    .addHelpText('after', '\nExample:\n  mintmark api-key show 0b9c6a52-8f0e-4a55-b1a5-3f0a3f6f5c11')
    .action(run)
}
