// The folder of a drill that starts many processes: each works below it, writes its log there, and ends with the drill.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, closeSync, mkdirSync, mkdtempSync, openSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KEEP_FOLDER } from './clean-up.ts'
import type { Account } from './parts.ts'

type Launch = {
  /** The folder below the drill's, made where it does not exist. Its log is beside it, `NAME.log`. */
  readonly name: string
  readonly program: string
  readonly args: readonly string[]
  readonly variables?: Readonly<Record<string, string>>
  /** Standard output comes to the drill, and it can be sent messages. */
  readonly isHeard?: boolean
  readonly account?: Account | undefined
}

export type DrillFolder = {
  readonly path: string
  /** A folder below, which belongs to the account. */
  readonly make: (name: string, account?: Account) => string
  readonly launch: (launch: Launch) => ChildProcess
  /** Ends all that works in the folder, and removes it unless it is to be kept for a look. */
  readonly close: (keep: boolean) => Promise<void>
}

const CLEAN_UP = join(import.meta.dirname, 'clean-up.ts')

const makeFolder = (path: string, account: Account | undefined): string => {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  if (account !== undefined) chownSync(path, account.uid, account.gid)
  return path
}

export const makeDrillFolder = (): DrillFolder => {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'mintmark-drill-')))
  // Another account passes through it to its own folders.
  chmodSync(path, 0o711)
  const cleanUp = spawn(process.execPath, [CLEAN_UP, path], {
    stdio: ['pipe', 'ignore', 'inherit'],
    cwd: '/',
    detached: true,
  })
  const gone = once(cleanUp, 'exit')
  cleanUp.unref()
  // What a drill starts works where the drill does, unless it is given a folder: below this one all of it is found.
  const before = process.cwd()
  process.chdir(path)
  const launch = ({ name, program, args, variables = {}, isHeard = false, account }: Launch): ChildProcess => {
    const cwd = makeFolder(join(path, name), account)
    const log = openSync(join(path, `${name}.log`), 'a', 0o600)
    try {
      return spawn(program, args, {
        cwd,
        ...account,
        env: { PATH: process.env['PATH'] ?? '', HOME: cwd, ...variables },
        stdio: isHeard ? ['ignore', 'pipe', log, 'ipc'] : ['ignore', log, log],
        detached: true,
      })
    } finally {
      closeSync(log)
    }
  }
  return {
    path,
    make: (name, account) => makeFolder(join(path, name), account),
    launch,
    close: async keep => {
      process.chdir(before)
      cleanUp.ref()
      cleanUp.stdin.end(keep ? KEEP_FOLDER : '')
      await gone
    },
  }
}
