// mintmark key show
import type { Command } from 'commander'
import { showSigningKey } from '../operations/show-signing-key.ts'
import { administerKeys, printKey } from './administer-keys.ts'

const run = async (kid: string, options: { readonly json?: boolean }): Promise<void> => {
  const shown = await administerKeys((ports, { caller }) => showSigningKey(ports, caller, kid))
  printKey(shown, options.json === true)
}

export const addShowKey = (key: Command): void => {
  key
    .command('show')
    .description('show a signing key and how much of its life is left, never its private half')
    .argument('<kid>', 'its kid; `mintmark key list` shows it')
    .option('--json', 'print the record, with the public key')
    .addHelpText('after', '\nExample:\n  mintmark key show -_HDAgKc0NCvfQbT1uNXFIlLFUSeHEoTIrbWXAvskWA')
    .action(run)
}
