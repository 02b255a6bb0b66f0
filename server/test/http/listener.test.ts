// Connections over TLS whose callers hang up, or send no more, while the listener is at work for them.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { connect as connectPlain } from 'node:net'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { connect } from 'node:tls'
import { makeServerCertificate } from '../../../testkit/commands/serving-tls.ts'
import { listenTwice } from '../../../testkit/services/listeners.ts'

const CALLERS = 24
const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

/** Answers once the caller sends no more. */
const listenOverTls = async (t: TestContext) => {
  const answer: RequestListener = ({ socket }, response) => {
    socket.once('end', () => setImmediate(() => response.end('done')))
  }
  const { server, place, beside } = await listenTwice(t, answer, { https: makeServerCertificate() })
  return { server, where: place, places: [place, beside] }
}

test('callers who hang up before the TLS handshake is done hold no connection', { timeout: 20_000 }, async t => {
  const { server, places } = await listenOverTls(t)
  const gone: Promise<unknown>[] = []
  server.on('connection', socket => void gone.push(once(socket, 'close')))
  const hangUp = async (n: number): Promise<void> => {
    const where = places[n % places.length] ?? { port: 0 }
    // The first bytes of a handshake, or the end of it as the caller sees it.
    const isPlain = n % 4 < places.length
    const socket = isPlain ? connectPlain(where) : connect({ ...where, rejectUnauthorized: false })
    await once(socket, isPlain ? 'connect' : 'secureConnect')
    if (isPlain) socket.write(Buffer.from('16030100', 'hex'))
    socket.destroy()
  }
  await Promise.all(Array.from({ length: CALLERS }, (_, n) => hangUp(n)))
  while (gone.length < CALLERS) await new Promise(setImmediate)
  await Promise.all(gone)
})

test('a header line behind two thousand others is read', async t => {
  const answer: RequestListener = ({ headers }, response) => void response.end(headers['x-forwarded-for'])
  const { place } = await listenTwice(t, answer)
  const socket = connectPlain(place)
  await once(socket, 'connect')
  socket.end(REQUEST.replace(/\r\n$/, `${'a:\r\n'.repeat(2100)}X-Forwarded-For: 192.0.2.1\r\n\r\n`))
  const read = await text(socket)
  assert.match(read, /^HTTP\/1\.1 200 OK\r\n/)
  assert.match(read, /\r\n\r\n192\.0\.2\.1$/)
})

test('a caller over TLS who sends no more after its request is answered all the same', async t => {
  const { where } = await listenOverTls(t)
  const socket = connect({ ...where, rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  socket.end(REQUEST)
  const answer = await text(socket)
  assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/)
  assert.match(answer, /\r\n\r\ndone$/)
})
