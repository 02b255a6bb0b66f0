// mintmark key
import type { Command } from 'commander'
import { addCompromiseKey } from './compromise-key.ts'
import { addImportKey } from './import-key.ts'
import { addListKeys } from './list-keys.ts'
import { addReencryptKeys } from './local/reencrypt-keys.ts'
import { addRetireKey } from './retire-key.ts'
import { addRotateKey } from './rotate-key.ts'
import { addShowKey } from './show-key.ts'

export const addKey = (program: Command): void => {
  const key = program.command('key').description('the keys that sign tokens')
  const verbs = [addListKeys, addShowKey, addRotateKey, addRetireKey, addCompromiseKey, addImportKey, addReencryptKeys]
  for (const addTo of verbs) addTo(key)
}
