// Connections over TLS whose callers hang up, or send no more, while the listener is at work for them.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect as connectPlain } from 'node:net'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { connect } from 'node:tls'
import { makeListener } from '../../src/http/wire/connections/listener.ts'
import { TIMING } from '../../src/ports/timing.ts'
import { makeServerCertificate } from '../../../testkit/commands/serving-tls.ts'

const CALLERS = 24
const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

const { key, cert } = makeServerCertificate()

/** Answers once the caller sends no more. */
const listenOverTls = async (t: TestContext) => {
  const server = makeListener(
    ({ socket }, response) => {
      socket.once('end', () => setImmediate(() => response.end('done')))
    },
    { https: { key, cert }, timing: TIMING },
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo // it listens on a port
  return { server, where: { port, host: '127.0.0.1' } }
}

test('callers who hang up before the TLS handshake is done hold no connection', { timeout: 20_000 }, async t => {
  const { server, where } = await listenOverTls(t)
  const gone: Promise<unknown>[] = []
  server.on('connection', socket => void gone.push(once(socket, 'close')))
  const hangUp = async (n: number): Promise<void> => {
    // The first bytes of a handshake, or the end of it as the caller sees it.
    const socket = n % 2 === 0 ? connectPlain(where) : connect({ ...where, rejectUnauthorized: false })
    await once(socket, n % 2 === 0 ? 'connect' : 'secureConnect')
    if (n % 2 === 0) socket.write(Buffer.from('16030100', 'hex'))
    socket.destroy()
  }
  await Promise.all(Array.from({ length: CALLERS }, (_, n) => hangUp(n)))
  while (gone.length < CALLERS) await new Promise(setImmediate)
  await Promise.all(gone)
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
