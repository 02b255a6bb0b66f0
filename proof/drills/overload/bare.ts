// A bare Fastify handler as a process of its own, beside the service and under the same flood.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { endChild } from '../../../testkit/processes/end-child.ts'
import type { BareTask } from '../../../testkit/services/bare-server.ts'
import { openConnection } from '../connection.ts'
import type { Access } from '../requests.ts'

const PROGRAM = join(import.meta.dirname, '..', '..', '..', 'testkit', 'services', 'bare-server.ts')
/** About as much as an active introspection, or a token. */
const OTHER_BYTES = 400
const START_MS_MAX = 15_000
const READY = /ready on (\d+)\n/

const documentBytes = async (port: number): Promise<number> => {
  const connection = await openConnection(port)
  const { body } = await connection.exchange('GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
  connection.close()
  return body.length
}

/** Starts it, and gives its port: its answers are as large as those of the service. */
export const startBare = async ({ port }: Access, started: AsyncDisposableStack): Promise<number> => {
  const task: BareTask = { bytes: { '/openapi.json': await documentBytes(port) }, otherBytes: OTHER_BYTES }
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(task)], { stdio: ['ignore', 'pipe', 'inherit'] })
  started.defer(() => endChild(child, 'SIGKILL'))
  const signal = AbortSignal.timeout(START_MS_MAX)
  const [printed] = (await once(child.stdout.setEncoding('utf8'), 'data', { signal })) as [string]
  const found = READY.exec(printed)
  if (found === null) throw new Error(`The bare handler printed ${printed}`)
  return Number(found[1])
}
