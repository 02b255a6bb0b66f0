// mintmark key reencrypt
import type { Command } from 'commander'
import { reencryptStoreKeys } from '../compose-keys.ts'
import { readReencryptConfig } from '../config.ts'
import { cliOrigin } from './administer.ts'
import { printJson, printLine } from './print.ts'

const DONE =
  'The store is sealed under the new key-encryption key: start the service with it, and destroy the former one.'
const DONE_BEFORE = 'The store is sealed under this key-encryption key already.'

const run = async (options: { readonly json?: boolean }): Promise<void> => {
  const outcome = await reencryptStoreKeys(readReencryptConfig(), cliOrigin())
  if (options.json) return printJson({ outcome })
  printLine(outcome === 'done' ? DONE : DONE_BEFORE)
}

export const addReencryptKeys = (key: Command): void => {
  key
    .command('reencrypt')
    .description(
      'take the store from MINTMARK_KEY_ENCRYPTION_KEY_OLD to MINTMARK_KEY_ENCRYPTION_KEY; stop the service first',
    )
    .option('--json', 'print {"outcome"}: done or done_before')
    .addHelpText(
      'after',
      '\nExample:\n  MINTMARK_KEY_ENCRYPTION_KEY_OLD_FILE=/etc/mintmark/key.old mintmark key reencrypt',
    )
    .action(run)
}
