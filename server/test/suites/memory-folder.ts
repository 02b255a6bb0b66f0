// Gives a run of the tests a folder in memory for its temporary files, where the machine has room for one. A test asks whether
// the right thing is written, not whether a disk keeps it: that is what the drills are for. On ext4 a database for a test costs
// 250 ms of processor time, for each new file is kept from the place of one that was removed a moment ago; in memory 15 ms.
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, statfsSync } from 'node:fs'
import { freemem } from 'node:os'
import { join } from 'node:path'
import { isRunning } from '../../../testkit/processes/processes.ts'

/** Of Linux. */
export const MEMORY = '/dev/shm'

/** The tests have some 300 MB there at once; more is for who runs only some of them, side by side. */
const ROOM_BYTES_MIN = 2 * 2 ** 30
const REMOVAL = { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }
const PREFIX = 'mintmark-tests-'

/** A process by its number alone is another one in another container, which may share the memory. */
const spaceOfProcesses = (): string => readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '')

/** The folder of the run that this process is. */
export const folderOf = (memory: string, pid: number): string => join(memory, `${PREFIX}${spaceOfProcesses()}-${pid}`)

// Who is killed removes nothing, and what stays there stays in memory.
const removeForgotten = (memory: string): void => {
  const prefix = `${PREFIX}${spaceOfProcesses()}-`
  for (const name of readdirSync(memory).filter(one => one.startsWith(prefix))) {
    if (!isRunning(Number(name.slice(prefix.length)))) rmSync(join(memory, name), REMOVAL)
  }
}

/** Whether it is memory in which programs may run: PostgreSQL is copied there where nobody else could run it. */
const isUsable = (memory: string): boolean => {
  const mounts = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map(line => line.split(' '))
  const found = mounts.filter(([, place = '']) => `${memory}/`.startsWith(`${place}/`))
  const [, , kind, options = ''] = found.toSorted(([, a = ''], [, b = '']) => b.length - a.length)[0] ?? []
  return kind === 'tmpfs' && !options.split(',').includes('noexec')
}

const hasRoom = (memory: string): boolean => {
  const { bavail, bsize } = statfsSync(memory)
  return Math.min(bavail * bsize, freemem()) >= ROOM_BYTES_MIN
}

/** Whether the tests can use that memory. */
export const isFit = (memory: string): boolean => existsSync(memory) && isUsable(memory) && hasRoom(memory)

const makeFolder = (memory: string): string | undefined => {
  try {
    removeForgotten(memory)
    if (!isFit(memory)) return undefined
    const folder = folderOf(memory, process.pid)
    // PostgreSQL reads there as nobody.
    mkdirSync(folder, { mode: 0o755 })
    return folder
  } catch {
    // No such memory, or no right to it: the tests do without.
    return undefined
  }
}

let folder: string | undefined

/** Before the first file: what the runner has in its environment each file has. Who names a folder has chosen. */
export const globalSetup = (): void => {
  if (process.env['TMPDIR'] !== undefined) return
  folder = makeFolder(process.env['TEST_MEMORY_FOLDER'] ?? MEMORY)
  if (folder !== undefined) process.env['TMPDIR'] = folder
}

export const globalTeardown = (): void => {
  if (folder !== undefined) rmSync(folder, REMOVAL)
}
