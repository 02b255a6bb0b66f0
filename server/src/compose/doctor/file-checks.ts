// Checks of files and of the disk: who can read what the data folder holds, how much room there is, how many files may be open.
import { readdir, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { adviseOnFiles, connectionsThatFit } from '../limits.ts'
import { fail, type Finding, good, warn } from '../../domain/checkup.ts'
import { besideStore } from '../../store/sqlite/connection/serving-lock.ts'
import type { Subject } from './subject.ts'

const [OTHERS_READ, OTHERS_WRITE] = [0o004, 0o002]
const STICKY = 0o1000

/** What `serve`, `dev` and `migrate` put into the data folder. */
const PRIVATE = /^(?:key-encryption-key|dev\.env|dev-secrets\.json|.*\.db(?:-\w+)?)$/

const codeOf = (fault: unknown): string => (fault instanceof Error && 'code' in fault ? String(fault.code) : 'unknown')

const modeOf = async (path: string): Promise<number | undefined> => {
  try {
    return (await stat(path)).mode
  } catch {
    // Gone meanwhile, or not for this user to see; another check says what that breaks.
    return undefined
  }
}

const judgeFile = async (path: string): Promise<readonly Finding[]> => {
  const mode = await modeOf(path)
  if (mode === undefined || (mode & (OTHERS_READ | OTHERS_WRITE)) === 0) return []
  const may = (mode & OTHERS_WRITE) === 0 ? 'read' : 'change'
  const what = `Every user of this machine can ${may} ${path} (mode 0${(mode & 0o777).toString(8)}).`
  const finding = {
    what,
    remedy: `Run: chmod 600 ${path}`,
    brief: `Other users of its machine can ${may} a file of the service.`,
  }
  return [may === 'change' ? fail(finding) : warn(finding)]
}

const judgeFolder = (path: string, mode: number): readonly Finding[] => {
  if ((mode & OTHERS_WRITE) === 0 || (mode & STICKY) !== 0) return []
  const what = `Every user of this machine can replace files in ${path} (mode 0${(mode & 0o777).toString(8)}).`
  return [
    fail({
      what,
      remedy: `Run: chmod o-w ${path}`,
      brief: 'Other users of its machine can replace files of the service.',
    }),
  ]
}

const isWindows = process.platform === 'win32'

/** Modes of the files that the configuration names are a matter of `configuration`. */
export const checkPrivateFiles = async ({ survey }: Subject): Promise<readonly Finding[]> => {
  const { dataDirectory, databaseFile, postgres } = survey.settings
  if (isWindows) return [good('This system has no modes of files.')]
  const names = await readdir(dataDirectory).catch((fault: unknown) => codeOf(fault))
  if (names === 'ENOENT')
    return [good(`There is no folder ${dataDirectory}, and so nothing in it that others could read.`)]
  if (typeof names === 'string') {
    const what = `The folder ${dataDirectory} cannot be read by this user (${names}).`
    return [warn({ what, remedy: 'Run this as the user of the service.', brief: 'The data folder cannot be read.' })]
  }
  const files = names.filter(name => PRIVATE.test(name)).map(name => join(dataDirectory, name))
  const store = postgres === null && dirname(databaseFile) !== dataDirectory ? [databaseFile] : []
  const folderMode = (await modeOf(dataDirectory)) ?? 0
  const judged = await Promise.all([...files, ...store].map(judgeFile))
  const found = [...judgeFolder(dataDirectory, folderMode), ...judged.flat()]
  return found.length > 0 ? found : [good(`Only their owner and group can read the files of ${dataDirectory}.`)]
}

const [MEBIBYTE, GIBIBYTE] = [1_048_576, 1_073_741_824]
const FREE_BYTES_WARNED = GIBIBYTE
const FREE_BYTES_NEEDED = 64 * MEBIBYTE
const FREE_PART_WARNED = 0.05
const LOG_BYTES_WARNED = GIBIBYTE

const inUnits = (bytes: number): string =>
  bytes >= GIBIBYTE ? `${(bytes / GIBIBYTE).toFixed(1)} GiB` : `${Math.floor(bytes / MEBIBYTE)} MiB`

export type DiskSpace = {
  readonly folder: string
  readonly freeBytes: number
  readonly bytes: number
  /** Files that can still be created; 0 of 0 where the file system does not count them. */
  readonly freeFiles: number
  readonly files: number
}

export const judgeDisk = ({ folder, freeBytes, bytes, freeFiles, files }: DiskSpace): Finding => {
  const part = bytes === 0 ? 1 : freeBytes / bytes
  const what = `The disk of ${folder} has ${inUnits(freeBytes)} free (${Math.floor(100 * part)} %).`
  const brief = `The disk of the store has ${Math.floor(100 * part)} % free.`
  const remedy = 'Make room there: a full disk stops issuing and revoking. Retention frees space inside the store only.'
  if (files > 0 && freeFiles === 0) return fail({ what: `The disk of ${folder} takes no more files.`, remedy, brief })
  if (freeBytes < FREE_BYTES_NEEDED) return fail({ what, remedy, brief })
  return freeBytes < FREE_BYTES_WARNED || part < FREE_PART_WARNED ? warn({ what, remedy, brief }) : good(what)
}

const nearestFolder = async (path: string): Promise<string> => {
  const above = dirname(path)
  return (await modeOf(path)) !== undefined || above === path ? path : nearestFolder(above)
}

const judgeLog = async (file: string): Promise<readonly Finding[]> => {
  const log = besideStore(file, '-wal')
  const bytes = await stat(log).then(
    ({ size }) => size,
    () => 0,
  )
  if (bytes <= LOG_BYTES_WARNED) return []
  const what = `The log of the store, ${log}, has ${inUnits(bytes)}: something reads the store for long, or the disk is too slow.`
  const remedy =
    'End programs other than mintmark that have the file open; the log shrinks when the service is restarted.'
  return [warn({ what, remedy, brief: 'The log of the store is large.' })]
}

export const checkDiskSpace = async ({ survey: { settings } }: Subject): Promise<readonly Finding[]> => {
  if (settings.postgres !== null) return [good('The store is in a database, whose disk cannot be seen from here.')]
  const folder = await nearestFolder(dirname(settings.databaseFile))
  const { bavail, blocks, bsize, ffree, files } = await statfs(folder)
  const disk = { folder, freeBytes: bavail * bsize, bytes: blocks * bsize, freeFiles: ffree, files }
  return [judgeDisk(disk), ...(await judgeLog(settings.databaseFile))]
}

export const checkOpenFiles = ({ survey: { settings } }: Subject): readonly Finding[] => {
  const { max } = settings.limits.connections
  const fit = connectionsThatFit(max)
  if (fit === max) return [good(`The open files that this process may have suffice for ${max} connections.`)]
  return [
    warn({
      ...adviseOnFiles(max),
      brief: 'The process may open too few files for its connections.',
    }),
  ]
}
