// mintmark key compromise
import type { Command } from 'commander'
import { compromiseSigningKey } from '../operations/compromise-signing-key.ts'
import { administerKeys, printKeyChange } from './administer-keys.ts'
import { confirm } from './confirm.ts'

const CONSEQUENCE = 'ends every token that the key signed and takes it out of the key set, and there is no way back'

type Options = { readonly yes?: boolean; readonly note?: string; readonly json?: boolean }

const run = async (kid: string, { yes, note = '', json = false }: Options): Promise<void> => {
  if (yes !== true) await confirm(`This ${CONSEQUENCE}.`)
  const changed = await administerKeys((ports, origin) =>
    compromiseSigningKey(ports, origin, kid, note === '' ? null : note),
  )
  printKeyChange(changed, json)
}

export const addCompromiseKey = (key: Command): void => {
  key
    .command('compromise')
    .description('a key leaked: out of the key set, its tokens ended, another signs, all from exit code 0 on')
    .argument('<kid>', 'its kid; `mintmark key list` shows it')
    .option('--yes', `confirm: it ${CONSEQUENCE}`)
    .option('--note <text>', 'for whoever reads the history later')
    .option('--json', 'print the record of the key, "current_kid" and "warning"')
    .addHelpText('after', '\nExample:\n  mintmark key compromise -_HDAgKc0NCvfQbT1uNXFIlLFUSeHEoTIrbWXAvskWA --yes')
    .action(run)
}
