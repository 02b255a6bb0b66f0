// What signals do from the first moment of the process, and where a command handles none. Loaded before everything else.
import { constants } from 'node:os'

const ENDING = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const

/**
 * Process 1, as a container starts one, has no default action: a signal that nothing handles is lost. `serve` and others
 * handle theirs once they have started.
 */
const endFirstProcess = (): void => {
  for (const signal of ENDING) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal])
    })
  }
}

export const handleEarlySignals = (): void => {
  if (process.pid === 1) endFirstProcess()
}
