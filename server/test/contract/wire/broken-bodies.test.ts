// Requests of which a part cannot be read: each has one answer, and one line in the access log, which has the id of that answer.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { type AccessLine, formatLine } from '../../../src/http/notes/access-line.ts'
import { startServer } from '../../../../testkit/services/test-server.ts'

const HEAD = 'POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n'

/** The bytes, and what the line says of them: a chunk without a length; a body, and a head, that break off. */
const REQUESTS = [
  [`${HEAD}Transfer-Encoding: chunked\r\n\r\n2\r\na=\r\nZZ\r\n`, 'POST', '/oauth/token'],
  [`${HEAD}Content-Length: 9\r\n\r\na=`, 'POST', '/oauth/token'],
  [HEAD, null, null],
] as const

const IN_TIME = { timeout: 30_000 }

test('a request whose body cannot be read has one line, with the answer that it got', IN_TIME, async () => {
  const lines: AccessLine[] = []
  let onLine = (): void => undefined
  const accessLog = (line: AccessLine): void => {
    lines.push(line)
    onLine()
  }
  const service = await startServer({ server: { accessLog } })
  const port = Number(new URL(service.baseUrl).port)
  const expected: unknown[] = []
  for (const [bytes, method, route] of REQUESTS) {
    const { promise: logged, resolve } = Promise.withResolvers<void>()
    onLine = resolve
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    await once(socket, 'connect')
    socket.end(bytes)
    const answer = await text(socket)
    await logged
    const requestId = /x-request-id: (.*)\r/.exec(answer)?.[1]
    assert.match(answer, /^HTTP\/1\.1 400 /)
    expected.push({ requestId, method, route, status: 400, code: 'invalid_request' })
  }
  await service.close()
  const logged = lines.map(line => {
    const { requestId, method, route, status, code } = JSON.parse(`{${formatLine(line)}}`) as Record<string, unknown>
    return { requestId, method, route, status, code }
  })
  assert.deepEqual(logged, expected)
})
