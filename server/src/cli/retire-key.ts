// mintmark key retire
import type { Command } from 'commander'
import { retireSigningKey } from '../operations/retire-signing-key.ts'
import { administerKeys, printKeyChange } from './administer-keys.ts'

type Options = { readonly force?: boolean; readonly note?: string; readonly json?: boolean }

const run = async (kid: string, { force = false, note = '', json = false }: Options): Promise<void> => {
  const retirement = { force, note: note === '' ? null : note }
  const changed = await administerKeys((ports, origin) => retireSigningKey(ports, origin, kid, retirement))
  printKeyChange(changed, json)
}

export const addRetireKey = (key: Command): void => {
  key
    .command('retire')
    .description('take a key out of signing; what it signed lives on')
    .argument('<kid>', 'its kid; `mintmark key list` shows it')
    .option('--force', 'at once, although verifiers may not have the key that follows')
    .option('--note <text>', 'for whoever reads the audit log')
    .option('--json', 'print the record of the key, "current_kid" and "warning"')
    .addHelpText('after', '\nExample:\n  mintmark key retire -_HDAgKc0NCvfQbT1uNXFIlLFUSeHEoTIrbWXAvskWA')
    .action(run)
}
