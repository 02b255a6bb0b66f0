// Connections that are too slow, say too much, or say nothing: each is answered as far as that helps, and closed.
import assert from 'node:assert/strict'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { TIMING } from '../../../src/ports/timing.ts'
import { makeListener } from '../../../src/http/wire/connections/listener.ts'
import {
  getOf,
  openConnection,
  openTcp,
  readToEnd,
  statusesIn,
  TLS,
} from '../../../../testkit/callers/raw-connection.ts'
import { get } from '../../../../testkit/callers/requests.ts'
import { startServer, type TestServer } from '../../../../testkit/services/test-server.ts'

const TOO_SLOW = 'The request did not arrive in time.'
const TOO_LARGE =
  'The request line and the header fields are larger than 16384 bytes: send fewer or shorter ones, and in a browser delete the cookies of this host.'
/** Between two bytes of who sends them one by one. */
const DRIP_MS = 20

/** Long enough for a request to begin on a machine that has other work, and each limit apart from the others. */
const timing = { ...TIMING, requestMs: 1500, connectionCheckMs: 20, idleConnectionMs: 2000 }

const services: TestServer[] = []

before(async () => {
  services.push(await startServer({ timing }), await startServer({ timing, server: TLS }))
  // The first request of a service takes longest, and its handshake counts too.
  for (const service of services) assert.equal((await get(service, '/livez')).status, 200)
})

after(() => Promise.all(services.map(service => service.close())))

/** With each service, at the same time. */
const withEach = (work: (service: TestServer) => Promise<void>) => async (): Promise<void> => {
  await Promise.all(services.map(work))
}

const assertRefused = (answer: string, statusLine: string, code: string, description: string): void => {
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  assert.equal(head.split('\r\n', 1)[0], statusLine)
  assert.match(head, /\r\ncontent-type: application\/json; charset=utf-8(?:\r\n|$)/i)
  assert.match(head, /\r\ncache-control: no-store(?:\r\n|$)/i)
  assert.match(head, /\r\nconnection: close(?:\r\n|$)/i)
  assert.match(head, /\r\nx-request-id: [0-9a-f-]{36}(?:\r\n|$)/i)
  assert.deepEqual(JSON.parse(body), { error: code, error_description: description })
}

/** Writes the text one character at a time for as long as the connection lasts. */
const drip = (socket: Socket, text: string): void => {
  let sent = 0
  const timer = setInterval(() => socket.write(text.charAt(sent++ % text.length)), DRIP_MS)
  socket.once('close', () => clearInterval(timer))
}

const HEAD = 'POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n'

/** What a request begins with, and what then comes byte by byte. */
const TOO_SLOW_REQUESTS = [
  ['', ''],
  ['GET /livez HT', ''],
  [`${HEAD}X-Slow: `, 'x'],
  [`${HEAD}Content-Length: 9000\r\n\r\na=`, ''],
  [`${HEAD}Content-Length: 9000\r\n\r\na=`, 'x'],
] as const

test('header fields that are too large: 431, also while more of them arrive', async () => {
  for (const service of services) {
    for (const characters of [20_000, 1_000_000]) {
      const socket = await openConnection(service)
      socket.write(`GET /livez HTTP/1.1\r\nHost: x\r\nBig: ${'x'.repeat(characters)}\r\n\r\n`)
      const line = 'HTTP/1.1 431 Request Header Fields Too Large'
      assertRefused(await readToEnd(socket), line, 'header_fields_too_large', TOO_LARGE)
    }
  }
})

test('chunk extensions that are too large: 413', async () => {
  for (const service of services) {
    const socket = await openConnection(service)
    socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(20_000)}\r\na\r\n0\r\n\r\n`)
    const description = 'The chunk extensions of the body are larger than this service takes.'
    assertRefused(await readToEnd(socket), 'HTTP/1.1 413 Payload Too Large', 'request_too_large', description)
  }
})

test('plain HTTP where TLS is spoken: the connection is closed', async () => {
  const [, secure] = services
  assert.ok(secure !== undefined)
  const socket = await openTcp(secure)
  socket.write(getOf(secure, '/livez'))
  assert.deepEqual(statusesIn(await readToEnd(socket)), [])
})

test('a service waits 30 s for a handshake, for header fields and for a body, and 72 s for anything else', async () => {
  const limitsOf = ({ headersTimeout, requestTimeout, keepAliveTimeout, timeout }: Server) => ({
    headersTimeout,
    requestTimeout,
    keepAliveTimeout,
    timeout,
  })
  const wanted = { headersTimeout: 30_000, requestTimeout: 30_000, keepAliveTimeout: 72_000, timeout: 72_000 }
  for (const options of [{}, TLS])
    assert.deepEqual(limitsOf(makeListener(() => undefined, { ...options, timing: TIMING })), wanted)
})

const assertTooSlow = async (service: TestServer): Promise<void> => {
  const answers = TOO_SLOW_REQUESTS.map(async ([beginning, dripped]) => {
    const socket = await openConnection(service)
    if (beginning !== '') socket.write(beginning)
    if (dripped !== '') drip(socket, dripped)
    return readToEnd(socket)
  })
  for (const answer of await Promise.all(answers)) {
    assertRefused(answer, 'HTTP/1.1 408 Request Timeout', 'request_timeout', TOO_SLOW)
  }
}

// Each waits for a limit, and not for the others.
suite('connections that are too slow', { concurrency: 6 }, () => {
  void test(
    'header fields or a body that do not arrive whole in time, or byte by byte: 408, and the connection is closed',
    withEach(assertTooSlow),
  )

  void test(
    'a later request of a connection that does not arrive whole in time: 408 behind the answer to the first',
    withEach(async service => {
      const socket = await openConnection(service)
      socket.write(`${getOf(service, '/livez')}GET /livez HT`)
      assert.deepEqual(statusesIn(await readToEnd(socket)), [200, 408])
    }),
  )

  void test(
    'a body that does not arrive whole in time after its request was answered: no second answer',
    withEach(async service => {
      const socket = await openConnection(service)
      socket.write(`${HEAD.replace('/oauth/token', '/nothing')}Content-Length: 9000\r\n\r\na=`)
      assert.deepEqual(statusesIn(await readToEnd(socket)), [404])
    }),
  )

  void test('a TLS handshake that does not end in time: the connection is closed without a word', async () => {
    const [, secure] = services
    assert.ok(secure !== undefined)
    // The head of a record (RFC 8446 §5.1) that says that 512 bytes of a ClientHello follow.
    const beginning = Buffer.from([22, 3, 1, 2, 0, 1, 0, 1, 252])
    const [silent, dripping] = [await openTcp(secure), await openTcp(secure)]
    dripping.write(beginning)
    drip(dripping, '\0')
    assert.deepEqual(await Promise.all([silent, dripping].map(readToEnd)), ['', ''])
  })

  void test(
    'a caller who does not take the answers that it asked for: the connection is closed',
    withEach(async service => {
      const socket = await openConnection(service)
      socket.pause()
      // More than the system keeps for a connection.
      socket.write(getOf(service, '/docs/static/swagger-ui-bundle.js').repeat(40))
      // Who reads nothing notices only by writing that the connection is closed. The service does not read that.
      drip(socket, '\r\n')
      await new Promise(resolve => socket.once('close', resolve))
    }),
  )

  void test(
    'a connection that waits for its next request is closed after the idle time, which was announced',
    withEach(async service => {
      const socket = await openConnection(service)
      socket.write(getOf(service, '/livez'))
      assert.match(await readToEnd(socket), /\r\nKeep-Alive: timeout=/i)
    }),
  )
})
