// What signals do from the first moment of a process, and where a command handles none. Loaded before everything else.
import { constants } from 'node:os'

/** Each ends a process that serves, in good order. */
export const ENDING_SIGNALS = ['SIGTERM', 'SIGINT'] as const

export type EarlySignals = {
  /** Each ends the process where nothing else handles it. */
  readonly ending: readonly NodeJS.Signals[]
  /** Each does nothing where nothing else handles it. */
  readonly ignored: readonly NodeJS.Signals[]
}

/** Process 1, as a container starts one, has no default action: a signal that nothing handles is lost. */
const endFirstProcess = (ending: readonly NodeJS.Signals[]): void => {
  for (const signal of ending) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal])
    })
  }
}

/**
 * At SIGUSR1 Node would open its debugger on a port of this machine, where every user of it could read the memory of the
 * process, with the keys in it. A handler takes the place of Node's own.
 */
export const handleEarlySignals = ({ ending, ignored }: EarlySignals): void => {
  for (const signal of ['SIGUSR1', ...ignored] as const) process.on(signal, () => undefined)
  if (process.pid === 1) endFirstProcess(ending)
}
