// A caller that sends its whole body before it reads anything, as many clients do, reads the answer that came before the body.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { openConnection, readToEnd, TLS } from '../../../../testkit/callers/raw-connection.ts'
import { startServer, type TestServer } from '../../../../testkit/services/test-server.ts'

/** More than the system takes for both ends of a connection. */
const BODY = Buffer.alloc(16_777_216, 'a')

const FORM = 'application/x-www-form-urlencoded'

type Case = { readonly path: string; readonly host?: string; readonly type: string; readonly framing?: string }

const LENGTH = `Content-Length: ${BODY.length}`

const CASES: Readonly<Record<string, Case>> = {
  '401': { path: '/api/v1/imports', type: 'application/json' },
  '404': { path: '/nothing', type: FORM },
  '413': { path: '/oauth/token', type: FORM },
  '413 in chunks': { path: '/oauth/token', type: FORM, framing: 'Transfer-Encoding: chunked' },
  '400': { path: '/oauth/token', type: 'text/plain' },
  '421': { path: '/oauth/token', type: FORM, host: 'other.example' },
}

const sendWhole = async (service: TestServer, { path, host, type, framing = LENGTH }: Case): Promise<string> => {
  const socket = await openConnection(service)
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${host ?? new URL(service.baseUrl).host}`,
    `Content-Type: ${type}`,
    framing,
  ]
  // Node's own TLS client would write no more once it has read the end.
  socket.allowHalfOpen = true
  socket.pause()
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  const chunk = framing === LENGTH ? [] : [`${BODY.length.toString(16)}\r\n`]
  for (const part of [...chunk, BODY]) await new Promise(sent => void socket.write(part, sent))
  socket.end()
  return readToEnd(socket)
}

const start = async (t: TestContext, server: object) => {
  const service = await startServer({ server })
  t.after(service.close)
  return service
}

for (const [scheme, server] of [['plain', {}] as const, ['TLS', TLS] as const]) {
  test(`an answer before a body of 16 MiB is read by a caller that sends all of it first (${scheme})`, async t => {
    const service = await start(t, server)
    const strict = await start(t, { ...server, allowedHosts: [] })
    for (const [status, given] of Object.entries(CASES)) {
      const answer = await sendWhole(given.host === undefined ? service : strict, given)
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status.slice(0, 3)} `), status)
      assert.match(answer, /\r\n\r\n\{"(?:error|type)":.*\}$/, status)
    }
  })
}
