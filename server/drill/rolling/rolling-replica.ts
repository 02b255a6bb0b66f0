// One replica of the service that is stopped as operators stop it, and started again.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { untilListening } from '../cluster/replica.ts'
import { PROGRAM, untilReady, type Variables } from '../service-under-drill.ts'

export type RollingReplica = {
  readonly name: string
  /** Starts it and waits until it is ready. */
  readonly start: () => Promise<void>
  /** SIGTERM; what was wrong about its end, if anything was. */
  readonly stop: () => Promise<string | undefined>
  readonly kill: () => Promise<void>
}

const isThere = (child: ChildProcess | undefined): child is ChildProcess =>
  child !== undefined && child.exitCode === null && child.signalCode === null

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
      child.kill('SIGTERM')
      await once(child, 'exit')
      const { exitCode, signalCode } = child
      return exitCode === 0 ? undefined : `Replica ${name} ended with ${signalCode ?? exitCode} at SIGTERM.`
    },
    kill: async () => {
      if (!isThere(child)) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}
