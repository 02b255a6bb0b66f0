// What can be seen of a process from outside: its threads by their names, its memory, what it logged.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { memoryOf } from '../../../testkit/processes/process-costs.ts'

const orElse = <T>(read: () => T, otherwise: T): T => {
  try {
    return read()
  } catch {
    // Gone, or a system without /proc.
    return otherwise
  }
}

/** The ids of the threads that the service named; none where the system does not report them. */
export const threadsOf = (pid: number): readonly string[] =>
  orElse(
    () =>
      readdirSync(`/proc/${pid}/task`).filter(thread =>
        readFileSync(`/proc/${pid}/task/${thread}/comm`, 'utf8').startsWith('mintmark'),
      ),
    [],
  )

export const residentMiB = (pid: number): number => orElse(() => memoryOf(pid).residentMiB, Number.NaN)

export const peakMiB = (pid: number): number => orElse(() => memoryOf(pid).residentPeakMiB, Number.NaN)

/** proc_pid_clear_refs(5): 5 resets the peak; where that is not allowed it is the peak since the start. */
export const resetPeak = (pid: number): void => orElse(() => writeFileSync(`/proc/${pid}/clear_refs`, '5'), undefined)

const ERROR_LEVEL = 50

type LogLine = { readonly level?: unknown; readonly msg?: unknown; readonly err?: { readonly message?: unknown } }

const faultIn = (line: string): string | undefined => {
  const fields = orElse(() => JSON.parse(line) as LogLine, undefined)
  // What is no line of the log was printed by Node as the process broke.
  if (fields === undefined) return line
  if (typeof fields.level !== 'number' || fields.level < ERROR_LEVEL) return undefined
  const cause = fields.err?.message
  return typeof cause === 'string' ? `${String(fields.msg)}: ${cause}` : String(fields.msg)
}

/** The lines of a log that report a fault. */
export const faultsIn = (log: string): readonly string[] =>
  log
    .split('\n')
    .filter(line => line.trim() !== '')
    .map(faultIn)
    .filter(fault => fault !== undefined)
