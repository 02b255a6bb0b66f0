// mintmark key import
import type { Command } from 'commander'
import { defineAdminCommand } from './administer.ts'
import { CHANGED_KEY, CHANGED_KEY_JSON, showKey } from './key-change.ts'
import { parseDocument } from './terminal/parse-json.ts'
import { isRecord } from './terminal/print.ts'
import { readStandardInput } from './terminal/standard-input.ts'

/** A JWK where it is a JSON object, else PEM: what is neither is refused where it is read. */
const parseKey = (input: string): string | object => {
  const value = parseDocument(input)
  return isRecord(value) ? value : input
}

type Options = { readonly kid?: string; readonly note?: string }

export const addImportKey = (key: Command): void => {
  const command = key
    .command('import')
    .description('take a private key (PKCS#8 in PEM, or a JWK) from standard input as the next key, under its own kid')
    .option('--kid <kid>', 'its name; without it the one in the JWK, or else its thumbprint')
    .option('--note <text>', 'for whoever reads the audit log')
  defineAdminCommand<Options>(command, {
    json: CHANGED_KEY_JSON,
    examples: ['mintmark key import --kid 2026-01 < key.pem'],
    run: async ({ api, options: { kid, note } }) => {
      const json = { private_key: parseKey(await readStandardInput('the private key')), kid, note }
      return showKey(await api.ask({ method: 'POST', path: '/api/v1/keys/import', json }, ...CHANGED_KEY))
    },
  })
}
