// Processes found by the folder they work in: a PostgreSQL server, its backends and what Patroni starts have parents and
// groups of their own, but none leaves the folder that the drill gave it.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** Returns undefined if there is no such process any more, or it may not be read. */
const readProc = (read: () => string): string | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

const isBelow = (path: string | undefined, folder: string): boolean =>
  path !== undefined && (path === folder || path.startsWith(`${folder}/`) || path === `${folder} (deleted)`)

/** The ids of all processes that work in the folder or below it. */
export const processesIn = (folder: string): readonly number[] =>
  readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(pid =>
      isBelow(
        readProc(() => readlinkSync(`/proc/${pid}/cwd`)),
        folder,
      ),
    )

/** Returns the title of a process, such as `postgres: mintmark: walwriter`. */
export const titleOf = (pid: number): string =>
  readProc(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
    ?.replaceAll('\0', ' ')
    .trim() ?? ''

/** Whether a process of this user with that id runs. */
export const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Sends a signal to each that is still there. */
export const signal = (pids: readonly number[], name: NodeJS.Signals): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch (fault) {
      if (!(fault instanceof Error && 'code' in fault && fault.code === 'ESRCH')) throw fault
    }
  }
}

const SWEEP_MS = 20

/** SIGKILL to all that works in the folder, and to what that had just begun, until nothing is left. */
export const killIn = async (folder: string): Promise<void> => {
  for (let left = processesIn(folder); left.length > 0; left = processesIn(folder)) {
    signal(left, 'SIGKILL')
    await delay(SWEEP_MS)
  }
}
