// mintmark key import
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { importSigningKey } from '../operations/import-signing-key.ts'
import { administerKeys, printKeyChange } from './administer-keys.ts'

/** A JWK where it is a JSON object, else PEM: what is neither is refused where it is read. */
const parseKey = (input: string): string | object => {
  try {
    const value: unknown = JSON.parse(input)
    return typeof value === 'object' && value !== null ? value : input
  } catch {
    return input
  }
}

type Options = { readonly kid?: string; readonly note?: string; readonly json?: boolean }

const run = async ({ kid, note = '', json = false }: Options): Promise<void> => {
  const privateKey = parseKey(await text(process.stdin))
  const given = { privateKey, kid: kid ?? null, note: note === '' ? null : note }
  const changed = await administerKeys((ports, origin) => importSigningKey(ports, origin, given))
  printKeyChange(changed, json)
}

export const addImportKey = (key: Command): void => {
  key
    .command('import')
    .description('take a private key (PKCS#8 in PEM, or a JWK) from standard input as the next key, under its own kid')
    .option('--kid <kid>', 'its name; without it the one in the JWK, or else its thumbprint')
    .option('--note <text>', 'for whoever reads the audit log')
    .option('--json', 'print the record of the key, "current_kid" and "warning"')
    .addHelpText('after', '\nExample:\n  mintmark key import --kid 2026-01 < key.pem')
    .action(run)
}
