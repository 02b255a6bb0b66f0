// What signals do from the first moment of the process, and where a command handles none. Loaded before everything else.
import { constants } from 'node:os'
import { ENDING_SIGNALS } from '../../files/unfinished.ts'

/**
 * Process 1, as a container starts one, has no default action: a signal that nothing handles is lost. `serve` and others
 * handle theirs once they have started.
 */
const endFirstProcess = (): void => {
  for (const signal of ENDING_SIGNALS) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal])
    })
  }
}

/**
 * At SIGUSR1 Node would open its debugger on a port of this machine, where every user of it could read the memory of the
 * process, with the keys in it. A handler takes the place of Node's own.
 */
const keepDebuggerShut = (): void => void process.on('SIGUSR1', () => undefined)

export const handleEarlySignals = (): void => {
  keepDebuggerShut()
  if (process.pid === 1) endFirstProcess()
}
