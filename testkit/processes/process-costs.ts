// What a process costs by the kernel's books: processor time of all its threads, resident memory. Linux only.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

const ticksASecond = Number(spawnSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }).stdout) || 100

const childrenOf = (pid: number): readonly number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap(thread =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  )

// A worker may be a process of its own: what it spends is spent by the service.
const treeOf = (pid: number): readonly number[] => [pid, ...childrenOf(pid).flatMap(treeOf)]

const ticksOf = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // proc_pid_stat(5): utime and stime are fields 14 and 15; the name, field 2, may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return Number(fields[11]) + Number(fields[12])
}

/** User and system seconds of the process, all its threads and child processes; NaN where there is no /proc. */
export const processorSeconds = (pid: number): number =>
  process.platform === 'linux' ? treeOf(pid).reduce((sum, each) => sum + ticksOf(each), 0) / ticksASecond : Number.NaN

/**
 * Returns the processor time of the threads that run now, in nanoseconds, for slices of a fraction of a second: the counts above
 * are in ticks of 10 ms. Threads that have ended are missing. NaN where the kernel does not keep it.
 */
export const threadNanoseconds = (pid: number): number => {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce(
      (sum, thread) => sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
      0,
    )
  } catch {
    return Number.NaN
  }
}

type Memory = { readonly residentMiB: number; readonly residentPeakMiB: number }

/** Returns the memory of the process alone; NaN where there is no /proc. */
export const memoryOf = (pid: number): Memory => {
  if (process.platform !== 'linux') return { residentMiB: Number.NaN, residentPeakMiB: Number.NaN }
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const mebibytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024
  return { residentMiB: mebibytes('VmRSS'), residentPeakMiB: mebibytes('VmHWM') }
}
