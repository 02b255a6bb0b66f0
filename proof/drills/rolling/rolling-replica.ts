// One replica of the service that is stopped as operators stop it, and started again.
import { type ChildProcess, spawn } from 'node:child_process'
import { untilListening } from '../cluster/replica.ts'
import { endChild, isThere } from '../../../testkit/processes/end-child.ts'
import { PROGRAM, untilReady, type Variables } from '../service-under-drill.ts'

export type RollingReplica = {
  readonly name: string
  /** Starts it and waits until it is ready. */
  readonly start: () => Promise<void>
  /** SIGTERM; what was wrong about its end, if anything was. */
  readonly stop: () => Promise<string | undefined>
  readonly kill: () => Promise<void>
}

export const makeRollingReplica = (name: string, port: number, variables: Variables): RollingReplica => {
  let child: ChildProcess | undefined
  return {
    name,
    start: async () => {
      const env = { ...variables, PORT: String(port) }
      child = spawn(process.execPath, [PROGRAM, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
      if ((await untilListening(child)) === 'ended') throw new Error(`Replica ${name} does not start.`)
      await untilReady(port)
    },
    stop: async () => {
      if (!isThere(child)) return `Replica ${name} had ended by itself.`
      await endChild(child, 'SIGTERM')
      const { exitCode, signalCode } = child
      return exitCode === 0 ? undefined : `Replica ${name} ended with ${signalCode ?? exitCode} at SIGTERM.`
    },
    kill: () => endChild(child, 'SIGKILL'),
  }
}
