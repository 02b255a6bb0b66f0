// mintmark migrate-store
import type { Command } from 'commander'
import { moveStore } from '../compose-backup.ts'
import { readStoreConfig } from '../config.ts'
import { confirm } from './confirm.ts'
import { addExamples } from './examples.ts'
import { CommandFailed, EXIT } from './exit.ts'
import { printJson, printLine } from './print.ts'
import { stayHere } from './stay-here.ts'
import { tellCount } from './tell-suspended.ts'

type Options = { readonly from: string; readonly yes?: boolean; readonly json?: boolean }

const fileOf = (url: string): string => {
  const file = /^sqlite:(.+)$/.exec(url)?.[1]
  if (file === undefined) throw new CommandFailed('--from is not of the form sqlite:FILE.', EXIT.usage)
  return file
}

/** Tells a person, on standard error, how far it is. */
const tellRows = (table: string, rows: number): void => {
  if (process.stderr.isTTY) process.stderr.write(`\r${table}: ${rows.toLocaleString('en-US')} rows\u001b[K`)
}

const run = async ({ from, yes, json }: Options): Promise<void> => {
  const [config, file] = [readStoreConfig(), fileOf(from)]
  if (yes !== true)
    await confirm(`This copies ${file} into the database of DATABASE_URL, and nothing serves the file afterwards.`)
  const tables = await moveStore(config, file, tellRows)
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  if (json === true) return printJson({ rows, tables })
  printLine(
    `The database holds the store: ${tellCount(rows, 'row')} in ${tables.length} tables, each proven to be the same. Tokens live on. Serve it with this DATABASE_URL.`,
  )
}

export const addMigrateStore = (program: Command): void => {
  const command = program
    .command('migrate-store')
    .description('copy the embedded store into the empty PostgreSQL database of DATABASE_URL; stop the service first')
    .requiredOption('--from <url>', 'the store, as sqlite:FILE')
    .option('--json', 'print {"rows","tables"}, each table with its rows and their hash')
    .option('--yes', 'do not ask')
  addExamples(stayHere(command), [
    'DATABASE_URL_FILE=database.url mintmark migrate-store --from sqlite:.mintmark/mintmark.db --yes',
  ]).action(run)
}
