// mintmark key list
import type { Command } from 'commander'
import { keyRecord } from '../domain/key-record.ts'
import { listSigningKeys } from '../operations/list-signing-keys.ts'
import { administerKeys, keyCells } from './administer-keys.ts'
import { listAll } from './list-all.ts'
import { printJson, printTable } from './print.ts'

const COLUMNS = ['kid', 'algorithm', 'state', 'signs_from', 'signs_until', 'ready_in_seconds', 'leaves_in_seconds']

const run = async (options: { readonly json?: boolean }): Promise<void> => {
  const keys = await administerKeys((ports, { caller }) => listAll(request => listSigningKeys(ports, caller, request)))
  if (options.json) return printJson({ data: keys.map(keyRecord) })
  printTable(COLUMNS, keys.map(keyCells))
}

export const addListKeys = (key: Command): void => {
  key
    .command('list')
    .description('list all signing keys, newest first, those that are gone too')
    .option('--json', 'print {"data":[…]}')
    .addHelpText('after', '\nExample:\n  mintmark key list')
    .action(run)
}
