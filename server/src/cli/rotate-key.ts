// mintmark key rotate
import type { Command } from 'commander'
import { rotateSigningKey } from '../operations/rotate-signing-key.ts'
import { administerKeys, printKeyChange } from './administer-keys.ts'
import { printLine } from './print.ts'

type Options = { readonly force?: boolean; readonly note?: string; readonly json?: boolean }

const run = async ({ force = false, note = '', json = false }: Options): Promise<void> => {
  const rotation = { force, note: note === '' ? null : note }
  const changed = await administerKeys((ports, origin) => rotateSigningKey(ports, origin, rotation))
  printKeyChange(changed, json)
  if (!json && changed.key.state === 'next') printLine('It signs as soon as it has been published long enough.')
}

export const addRotateKey = (key: Command): void => {
  key
    .command('rotate')
    .description('let the next key sign: now where verifiers have it, else as soon as they have')
    .option('--force', 'at once, although verifiers that keep the key set may refuse its tokens for some minutes')
    .option('--note <text>', 'for whoever reads the audit log')
    .option('--json', 'print the record of the next key, "current_kid" and "warning"')
    .addHelpText('after', '\nExample:\n  mintmark key rotate --note "quarterly"')
    .action(run)
}
