// HAProxy in front of the replicas, with the configuration that operators get: deploy/cluster/haproxy.cfg.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { findProgram } from '../../../testkit/processes/find-program.ts'
import { endChild } from '../../../testkit/processes/end-child.ts'
import { freePort } from '../../../testkit/processes/free-port.ts'

type Balancer = { readonly port: number; readonly close: () => Promise<void> }

const CONFIGURATION = join(import.meta.dirname, '..', '..', '..', 'deploy', 'cluster', 'haproxy.cfg')

const loopback = (port: number): string => `127.0.0.1:${port}`

/** The path of HAProxy; undefined where this machine has none. */
export const findBalancer = (): string | undefined => findProgram('haproxy')

/** `onDeath` is called when it ends by itself. */
export const startBalancer = async (
  program: string,
  port: number,
  replicas: readonly [number, number],
  onDeath: (what: string) => void,
): Promise<Balancer> => {
  const env = {
    MINTMARK_BIND: loopback(port),
    MINTMARK_1: loopback(replicas[0]),
    MINTMARK_2: loopback(replicas[1]),
    HEALTH_BIND: loopback(await freePort()),
  }
  // In the foreground, no worker of its own, and nothing said of replicas that go and come.
  const child = spawn(program, ['-db', '-q', '-f', CONFIGURATION], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const report = (code: number | null): void => onDeath(`HAProxy ended by itself, with ${code}.`)
  child.once('exit', report)
  return {
    port,
    close: async () => {
      child.off('exit', report)
      await endChild(child, 'SIGKILL')
    },
  }
}
