// The folder of the store on a disk of our own: records what the service does to it, and cuts the power.
import { execFileSync } from 'node:child_process'
import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type LogRecord, readPowerLog } from './power-log.ts'
import type { Random } from '../random.ts'
import { type Files, type Losses, playLog } from './simulated-disk.ts'

const SHIM_SOURCE = join(import.meta.dirname, 'power-shim.c')

type CutReport = Losses & {
  /** Changes to the database file itself, by a checkpoint, that no sync covered. */
  readonly inDatabase: number
}

export const DATABASE = 'mintmark.db'

export type RecordedFolder = {
  /** The environment of a process whose changes are recorded, on a disk whose syncs take so much longer. */
  readonly variables: (syncMicroseconds: number) => Readonly<Record<string, string>>
  /** Reads what a process that is gone has recorded. Throws where that does not explain the folder byte for byte. */
  readonly endLife: () => void
  /** Puts in the folder what is found when the power is back. */
  readonly cutPower: (random: Random) => CutReport
}

/** Compiles the shim; throws with a line for a person where there is no compiler. */
const compileShim = (workFolder: string): string => {
  const library = join(workFolder, 'power-shim.so')
  const options = ['-std=gnu11', '-O2', '-shared', '-fPIC', '-o', library, SHIM_SOURCE, '-ldl', '-lpthread']
  try {
    execFileSync('cc', options, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' })
    return library
  } catch (fault) {
    if (fault instanceof Error && 'code' in fault && fault.code === 'ENOENT') {
      throw new Error('The power drill needs a C compiler named cc (Debian: apt-get install gcc libc6-dev).', {
        cause: fault,
      })
    }
    throw fault
  }
}

// Shared memory does not outlive a power cut, and SQLite makes it anew.
const isFollowed = (name: string): boolean => !name.endsWith('-shm')

const readFolder = (folder: string): Files =>
  new Map(
    readdirSync(folder)
      .filter(isFollowed)
      .map(name => [name, readFileSync(join(folder, name))]),
  )

const writeFolder = (folder: string, files: Files): void => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name))
  for (const [name, bytes] of files) {
    const descriptor = openSync(join(folder, name), 'wx', 0o600)
    writeFileSync(descriptor, bytes)
    // What is found after the cut is on the disk for good.
    fsyncSync(descriptor)
    closeSync(descriptor)
  }
}

const areEqual = (left: Files, right: Files): boolean =>
  left.size === right.size && Array.from(left).every(([name, bytes]) => right.get(name)?.equals(bytes) === true)

const CHANGES: readonly LogRecord['kind'][] = ['wrote', 'truncated', 'created', 'unlinked', 'renamed']

/** What may have become of the change that the kill hit: nothing, or, of a write, what a file shows of its beginning. */
const formsOf = (record: LogRecord, found: Files): readonly (LogRecord | undefined)[] => {
  if (record.kind !== 'wrote') return [undefined]
  const { bytes, offset } = record
  const beginnings = Array.from(found.values(), file => {
    const differs = bytes.findIndex((byte, n) => file[offset + n] !== byte)
    return { ...record, bytes: differs < 0 ? bytes : bytes.subarray(0, differs) }
  })
  return [undefined, ...beginnings]
}

/** What was really done: all that was recorded, but perhaps for the last change, which is recorded before it is made. */
const reconcile = (base: Files, records: readonly LogRecord[], found: Files): readonly LogRecord[] => {
  const explains = (candidate: readonly LogRecord[]): boolean => areEqual(playLog(base, candidate).seen(), found)
  if (explains(records)) return records
  const last = records.findLastIndex(({ kind }) => CHANGES.includes(kind))
  const record = records[last]
  for (const form of record === undefined ? [] : formsOf(record, found)) {
    const candidate = records.toSpliced(last, 1, ...(form === undefined ? [] : [form]))
    if (explains(candidate)) return candidate
  }
  throw new Error('The folder holds what was not recorded: the shim has missed a change.')
}

/** Takes what is in the folder now as durable. The shim and its log lie in `workFolder`. */
export const recordFolder = (folder: string, workFolder: string): RecordedFolder => {
  const shim = compileShim(workFolder)
  const log = join(workFolder, 'power.log')
  let base = readFolder(folder)
  let records: readonly LogRecord[] = []
  return {
    variables: syncMicroseconds => ({
      LD_PRELOAD: shim,
      DRILL_FOLDER: folder,
      DRILL_LOG: log,
      DRILL_SYNC_MICROSECONDS: String(syncMicroseconds),
    }),
    endLife: () => {
      const life = readPowerLog(readFileSync(log))
      rmSync(log)
      if (life[0]?.kind !== 'started') throw new Error('The shim was not loaded.')
      records = reconcile(base, [...records, ...life], readFolder(folder))
    },
    cutPower: random => {
      const disk = playLog(base, records)
      const inDatabase = disk.unsyncedIn(DATABASE)
      const { files, losses } = disk.cut(random)
      writeFolder(folder, files)
      base = files
      records = []
      return { ...losses, inDatabase }
    },
  }
}
