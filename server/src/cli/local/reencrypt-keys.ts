// mintmark key reencrypt
import type { Command } from 'commander'
import { reencryptStoreKeys } from '../../compose/keys.ts'
import { readReencryptConfig } from '../../config/config.ts'
import { cliOrigin } from '../remote/cli-origin.ts'
import { printJson, printLine } from '../terminal/print.ts'
import { completeLocal } from './local-only.ts'

const DONE =
  'The store is sealed under the new key-encryption key: start the service with it. Keep the old one while there are backups made under it.'
const DONE_BEFORE = 'The store is sealed under this key-encryption key already.'

const run = async (options: { readonly json?: boolean }): Promise<void> => {
  const outcome = await reencryptStoreKeys(readReencryptConfig(), cliOrigin())
  if (options.json === true) return printJson({ outcome })
  printLine(outcome === 'done' ? DONE : DONE_BEFORE)
}

export const addReencryptKeys = (key: Command): void => {
  const command = key
    .command('reencrypt')
    .description(
      'take the store from MINTMARK_KEY_ENCRYPTION_KEY_OLD to MINTMARK_KEY_ENCRYPTION_KEY; stop the service first',
    )
    .option('--json', 'print {"outcome"}: done or done_before')
  completeLocal(command, 'MINTMARK_KEY_ENCRYPTION_KEY_OLD_FILE=key.old mintmark key reencrypt').action(run)
}
