// mintmark migrate-store
import { type Command, Option } from 'commander'
import { abandonMove, copyBesideServing, type CopiedStore, finishMove } from '../../compose/move.ts'
import { timingOf } from '../../compose/timing.ts'
import { readMoveConfig } from '../../config/config.ts'
import type { PostgresConfig } from '../../config/database.ts'
import { sqliteFileIn } from '../../config/database-url.ts'
import { confirm } from '../terminal/confirm.ts'
import { CommandFailed, EXIT } from '../terminal/exit.ts'
import { formatCount, printJson, printLine } from '../terminal/print.ts'
import { completeLocal } from './local-only.ts'
import type { Timing } from '../../ports/timing.ts'

// How far a move is, for a person at a terminal: rows, how many a second, and how long it takes at that pace.

type Step = { readonly step: string; readonly what: string; readonly rows: number; readonly of: number }

const count = (n: number): string => Math.round(n).toLocaleString('en-US')

/** `rate` is rows a second; 0 where it is not known yet. */
export const lineOf = ({ step, what, rows, of }: Step, rate: number): string => {
  const done = `${what}: ${count(rows)} of ${count(Math.max(of, rows))} rows ${step}`
  if (rate === 0) return done
  const left = of > rows ? `, ${count(Math.ceil((of - rows) / rate))} s left` : ''
  return `${done}, ${count(rate)} a second${left}`
}

type Output = { readonly isTTY?: boolean; readonly write: (text: string) => boolean }

type Progress = {
  readonly report: (step: string, what: string, rows: number, of: number) => void
  /** Leaves the line. */
  readonly end: () => void
}

/** Prints nothing where nobody looks, or where the caller is quiet. */
export const makeMoveProgress = (
  isQuiet: boolean,
  { progressMs }: Pick<Timing, 'progressMs'>,
  output: Output = process.stderr,
): Progress => {
  if (isQuiet || output.isTTY !== true) return { report: () => undefined, end: () => undefined }
  let [reportedAt, began, firstRows, current] = [Number.NEGATIVE_INFINITY, 0, 0, '']
  return {
    report: (step, what, rows, of) => {
      const now = performance.now()
      if (current !== `${step} ${what}`) [current, began, firstRows] = [`${step} ${what}`, now, rows]
      if (now - reportedAt < progressMs) return
      reportedAt = now
      const rate = now > began ? ((rows - firstRows) * 1000) / (now - began) : 0
      output.write(`\r${lineOf({ step, what, rows, of }, rate)}\u001b[K`)
    },
    end: () => void (current !== '' && output.write('\r\u001b[K')),
  }
}

type Options = {
  readonly from: string
  readonly to?: string
  readonly finish?: boolean
  readonly abandon?: boolean
  readonly yes?: boolean
  readonly json?: boolean
}

const fileOf = (url: string): string => {
  const file = sqliteFileIn(url)
  if (file === undefined) throw new CommandFailed('--from is not of the form sqlite:FILE.', EXIT.usage)
  return file
}

const report = ({ tables, changed }: CopiedStore, { finish, json }: Options, { database }: PostgresConfig): void => {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  if (json === true) return printJson({ finished: finish === true, rows, changed, tables })
  const compared = `${formatCount(rows, 'row')} in ${tables.length} tables compared, and ${formatCount(changed, 'changed row')} of this run.`
  if (finish === true) {
    return printLine(
      `The database ${database} is the store: ${compared} Tokens live on. Serve it with its address in DATABASE_URL.`,
    )
  }
  printLine(`The database ${database} has what the store has by now: ${compared}`)
  printLine('Stop the service, and run this again with --finish; what changes until then is copied by it.')
}

const abandon = async (file: string, json: boolean): Promise<void> => {
  const abandoned = await abandonMove(file)
  if (json) return printJson({ abandoned })
  printLine(
    abandoned
      ? `${file} keeps no log for a copy any more. What was copied of it is good for nothing: drop the database.`
      : `${file} was not being copied.`,
  )
}

const run = async (options: Options): Promise<void> => {
  const { from, to, finish = false, yes, json = false } = options
  const file = fileOf(from)
  if (options.abandon === true) return abandon(file, json)
  const address = readMoveConfig(to)
  if (finish && yes !== true) {
    await confirm(`This makes the database ${address.database} the store, and nothing serves ${file} afterwards.`)
  }
  const progress = makeMoveProgress(json, timingOf())
  const move = { file, address, onMoved: progress.report }
  try {
    const copied = await (finish ? finishMove(move) : copyBesideServing(move))
    progress.end()
    report(copied, options, address)
  } catch (fault) {
    progress.end()
    throw fault
  }
}

export const addMigrateStore = (program: Command): void => {
  const command = program
    .command('migrate-store')
    .description('copy the embedded store into an empty PostgreSQL database while it is served, and then move there')
    .requiredOption('--from <url>', 'the store, as sqlite:FILE')
    .option(
      '--to <url>',
      'the database, as postgres://USER@HOST/DATABASE; its password in PGPASSWORD; or all of it in DATABASE_URL',
    )
    .option('--finish', 'once the service is stopped: copy what changed, and make the database the store')
    .addOption(
      new Option('--abandon', 'keep no log in the store any more, where it is not moved after all').conflicts([
        'finish',
        'to',
      ]),
    )
    .option('--json', 'print {"finished","rows","changed","tables"}, each table with its rows and their hash')
    .option('--yes', 'do not ask')
  completeLocal(
    command,
    'DATABASE_URL_FILE=database.url mintmark migrate-store --from sqlite:.mintmark/mintmark.db',
    'mintmark migrate-store --from sqlite:.mintmark/mintmark.db --to "$(cat empty-database.url)" --finish --yes',
    'mintmark migrate-store --from sqlite:.mintmark/mintmark.db --abandon',
  ).action(run)
}
