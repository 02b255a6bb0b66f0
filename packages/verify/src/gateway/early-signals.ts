// What signals do from the first moment of the process. Loaded before everything else.
import { constants } from 'node:os'

/** Each begins the end of `serve`; a second one ends it at once. */
export const ENDING_SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** Process 1, as a container starts one, has no default action: a signal that nothing handles is lost. */
const endFirstProcess = (): void => {
  for (const signal of ENDING_SIGNALS) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal])
    })
  }
}

export const handleEarlySignals = (): void => {
  // Of SIGUSR1 Node would open its debugger, which can read the API key. SIGHUP would end the process.
  for (const signal of ['SIGHUP', 'SIGUSR1'] as const) process.on(signal, () => undefined)
  if (process.pid === 1) endFirstProcess()
}
