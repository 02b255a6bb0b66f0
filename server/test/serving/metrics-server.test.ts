// The listener of metrics, and scrapers that are rude: none of them keeps a good one from its answer.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { makeFresh, startMetricsServer } from '../../src/metrics/metrics-server.ts'
import { TIMING } from '../../src/ports/timing.ts'
import { readToEnd } from '../../../testkit/callers/raw-connection.ts'

const BODY = Buffer.alloc(200_000, 'm')

const start = async (t: TestContext, expose?: (accept: string | undefined) => Promise<never>) => {
  const faults: unknown[] = []
  const answer = (accept: string | undefined) =>
    Promise.resolve({ contentType: `text/${accept ?? 'none'}`, body: BODY })
  const server = await startMetricsServer({
    host: '127.0.0.1',
    port: 0,
    expose: expose ?? answer,
    onFault: fault => faults.push(fault),
    timing: TIMING,
  })
  t.after(() => server.close())
  return { port: server.port, faults }
}

const ask = async (port: number, path = '/metrics', method = 'GET', headers: Readonly<Record<string, string>> = {}) => {
  const asked = request({ host: '127.0.0.1', port, path, method, headers, agent: false })
  asked.end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) }
}

const open = (port: number): Socket => connect({ host: '127.0.0.1', port }).on('error', () => undefined)

test('GET /metrics is answered with the exposition for its Accept header, and nothing else is', async t => {
  const { port, faults } = await start(t)
  for (const path of ['/metrics', '/metrics?a=b']) {
    const { status, headers, body } = await ask(port, path, 'GET', { accept: 'x' })
    assert.equal(status, 200)
    assert.equal(headers['content-type'], 'text/x')
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers.connection, 'close')
    assert.ok(body.equals(BODY))
  }
  for (const path of ['/', '/metrics/', '/metricsx', '/token', '/%6detrics', '/..', 'http://a/metrics']) {
    assert.equal((await ask(port, path)).status, 404, path)
  }
  for (const method of ['POST', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
    const { status, headers } = await ask(port, '/metrics', method)
    assert.deepEqual([status, headers.allow], [405, 'GET'], method)
  }
  assert.deepEqual(faults, [])
})

test('a fault of an exposition is reported, its scraper gets 500, and the next gets its answer', async t => {
  let isBroken = true
  const { port, faults } = await start(t, () => Promise.reject(new Error(`broken: ${isBroken}`)))
  assert.equal((await ask(port)).status, 500)
  isBroken = false
  assert.equal((await ask(port)).status, 500)
  assert.deepEqual(faults.map(String), ['Error: broken: true', 'Error: broken: false'])
})

const RUDE: Readonly<Record<string, string>> = {
  'no HTTP': '\0\0\0\r\n\r\n',
  'a header without end': `GET /metrics HTTP/1.1\r\nA: ${'a'.repeat(9000)}`,
  'a huge URL': `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n\r\n`,
  'a TLS handshake': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'a cut request': 'GET /metrics HTTP/1.1\r\nHos',
  'a chunked body that never ends':
    'POST /metrics HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffff\r\naaa',
  'an upgrade': 'GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  'an odd Accept header': 'GET /metrics HTTP/1.1\r\nHost: a\r\nAccept: ;;q=,\xff,,"\r\n\r\n',
  'many requests at once': 'GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(500),
}

for (const [name, bytes] of Object.entries(RUDE)) {
  test(`${name}, and then a reset, ends nothing`, async t => {
    const { port, faults } = await start(t)
    for (let n = 0; n < 20; n += 1) {
      const socket = open(port)
      await once(socket, 'connect')
      await new Promise(resolve => socket.write(Buffer.from(bytes, 'latin1'), resolve))
      if (n % 2 === 0) socket.resetAndDestroy()
      else t.after(() => socket.destroy())
    }
    assert.equal((await ask(port)).status, 200)
    assert.deepEqual(faults, [])
  })
}

test('a connection is closed after its answer, whatever else it sent', async t => {
  const { port } = await start(t)
  const socket = open(port)
  socket.write('GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(100))
  const answered = await readToEnd(socket)
  assert.equal(answered.match(/^HTTP\/1\.1 200/gm)?.length, 1)
})

test('a scraper gets its answer while a thousand others hold connections and do not read', async t => {
  const { port, faults } = await start(t)
  const sockets = Array.from({ length: 1000 }, () => open(port))
  t.after(() => sockets.forEach(socket => socket.destroy()))
  for (const socket of sockets) {
    socket.pause()
    socket.write('GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n')
  }
  await Promise.all(sockets.slice(-1).map(socket => once(socket, 'connect')))
  for (let n = 0; n < 5; n += 1) assert.equal((await ask(port)).status, 200)
  assert.deepEqual(faults, [])
})

test('of too many connections the oldest are closed', async t => {
  const { port } = await start(t)
  const first = open(port)
  await once(first, 'connect')
  const closed = once(first, 'close')
  const later = Array.from({ length: 64 }, () => open(port))
  t.after(() => later.forEach(socket => socket.destroy()))
  await closed
})

test('an answer is made once in half a second for all that ask, and again after a fault', async () => {
  let [now, made] = [0, 0]
  let isBroken = false
  const fresh = makeFresh(
    async (key: string) => {
      const number = ++made
      await Promise.resolve()
      if (isBroken) throw new Error('broken')
      return `${key} ${number}`
    },
    TIMING,
    () => now,
  )
  assert.deepEqual(await Promise.all([fresh('a'), fresh('a'), fresh('b')]), ['a 1', 'a 1', 'b 2'])
  now = 499
  assert.equal(await fresh('a'), 'a 1')
  now = 500
  isBroken = true
  await assert.rejects(fresh('a'), /broken/)
  isBroken = false
  assert.equal(await fresh('a'), 'a 4')
})
