// mintmark migrate
import type { Command } from 'commander'
import { migrateStore } from '../../compose/administration.ts'
import { nameOfStore } from '../../compose/store.ts'
import { readMigrateConfig } from '../../config/config.ts'
import { completeLocal } from './local-only.ts'
import { printJson, printLine } from '../terminal/print.ts'

const run = async (options: { readonly json?: boolean }): Promise<void> => {
  const config = readMigrateConfig()
  const { from, to } = await migrateStore(config)
  if (options.json) return printJson({ from, to })
  const store = nameOfStore(config)
  printLine(from === to ? `${store} is at version ${to} already.` : `${store}: version ${from} to ${to}.`)
}

export const addMigrate = (program: Command): void => {
  const command = program
    .command('migrate')
    .description('make the store, or bring it to this version; the first time it also makes the signing key')
    .option('--json', 'print {"from","to"}')
  completeLocal(command, 'mintmark migrate').action(run)
}
