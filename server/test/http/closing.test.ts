// A server that closes: what was begun is answered on every socket, each answer says that it is the last, and nobody is reset.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { connect as connectSecurely } from 'node:tls'
import { makeServerCertificate } from '../../../testkit/commands/serving-tls.ts'
import { type Given, listenTwice } from '../../../testkit/services/listeners.ts'
import { makeBrokenRequestHandler } from '../../src/http/wire/connections/broken-request.ts'
import { drain } from '../../src/http/wire/connections/listener.ts'
import { TIMING } from '../../src/ports/timing.ts'

const LIMIT = { timeout: 30_000 }
const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
const ANSWER_LAST = /^HTTP\/1\.1 200 OK\r\n(?:[^\r]+\r\n)*Connection: close\r\n(?:[^\r]+\r\n)*\r\ndone$/

/** A server whose connections come from a socket beside its own, as of `acceptInNumbers`. */
const listen = async (t: TestContext, handle: RequestListener, given: Given = {}) => {
  const { server, place, beside: where } = await listenTwice(t, handle, given)
  const { https } = given
  server.on('clientError', makeBrokenRequestHandler({ makeId: () => 'id', timing: { ...TIMING, ...given.timing } }))
  const open = async (): Promise<Socket> => {
    const accepted = once(server, https === undefined ? 'connection' : 'secureConnection')
    const socket = https === undefined ? connect(where) : connectSecurely({ ...where, rejectUnauthorized: false })
    await Promise.all([accepted, once(socket, https === undefined ? 'connect' : 'secureConnect')])
    return socket
  }
  return { server, open, place }
}

const closed = (server: Server): Promise<unknown> => new Promise(resolve => server.close(resolve))

/** Answers each request once it is let go on. */
const makeHeld = () => {
  const { promise: begun, resolve: onBegun } = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const handle: RequestListener = (_request, response) => {
    onBegun()
    void released.then(() => response.end('done'))
  }
  return { handle, begun, release }
}

/** Calls on a connection of its own each time until the port refuses; returns what else a call failed with. */
const callUntilRefused = async (open: () => Socket, onAnswer: () => void): Promise<string | undefined> => {
  try {
    for (;;) {
      const socket = open()
      socket.write(GET)
      assert.match(await text(socket), ANSWER_LAST)
      onAnswer()
    }
  } catch (fault) {
    const code = fault instanceof Error && 'code' in fault ? String(fault.code) : String(fault)
    return code === 'ECONNREFUSED' ? undefined : code
  }
}

for (const scheme of ['http', 'https'] as const) {
  const given: Given = scheme === 'http' ? {} : { https: makeServerCertificate() }

  test(`a server of ${scheme} is closed once a request on a socket beside its own is answered`, LIMIT, async t => {
    const { handle, begun, release } = makeHeld()
    const { server, open } = await listen(t, handle, given)
    const socket = await open()
    socket.write(GET)
    await begun
    const order: string[] = []
    const ended = closed(server).then(() => order.push('closed'))
    const answer = text(socket).then(bytes => {
      order.push('answered')
      return bytes
    })
    await new Promise(setImmediate)
    release()
    assert.match(await answer, ANSWER_LAST)
    await ended
    assert.deepEqual(order, ['answered', 'closed'])
  })

  test(`each answer of ${scheme} during the drain says that it is the last of its connection`, LIMIT, async t => {
    const { handle, begun, release } = makeHeld()
    const { server, open } = await listen(t, handle, given)
    const [underWay, later] = [await open(), await open()]
    underWay.write(GET)
    await begun
    drain(server)
    later.write(GET)
    release()
    for (const socket of [underWay, later, await open()]) {
      if (socket !== underWay && socket !== later) socket.write(GET)
      assert.match(await text(socket), ANSWER_LAST)
    }
  })

  test(
    `a connection of ${scheme} in the queue of the system is answered as the port closes, and not reset`,
    LIMIT,
    async t => {
      const load = Buffer.alloc(2_000_000)
      const handle: RequestListener = (_request, response) => {
        // As beside load: no turn of the event loop is short while requests are answered.
        createHash('sha256').update(load).digest()
        response.setHeader('Connection', 'close').end('done')
      }
      const { server, place } = await listen(t, handle, { ...given, timing: { closeAcceptMs: 5000 } })
      const open = (): Socket =>
        scheme === 'http' ? connect(place) : connectSecurely({ ...place, rejectUnauthorized: false })
      const busy = Promise.withResolvers<void>()
      const calls = Array.from({ length: 64 }, () => callUntilRefused(open, () => busy.resolve()))
      await busy.promise
      await closed(server)
      assert.deepEqual((await Promise.all(calls)).filter(Boolean), [])
    },
  )

  test(`a caller that hangs up while the port of ${scheme} closes keeps no server open`, LIMIT, async t => {
    const { server, place } = await listen(t, () => undefined, {
      ...given,
      timing: { closeAcceptMs: 300, quietTurnMs: 0, closeIdleMs: 0 },
    })
    const ended = closed(server)
    await text(connect(place).end())
    await ended
  })

  test(`at the end of the drain of ${scheme} a connection at rest ends without a reset`, LIMIT, async t => {
    const { server, open } = await listen(t, (_request, response) => response.end('done'), {
      ...given,
      timing: { closeIdleMs: 0 },
    })
    const [unused, used] = [await open(), await open()]
    used.write(GET)
    await once(used, 'data')
    const ended = closed(server)
    // Sent on the way to a server that has said its last.
    unused.once('end', () => unused.write(GET))
    assert.deepEqual(await Promise.all([text(unused), text(used)]), ['', ''])
    await ended
  })
}

test('a caller that connects a moment later finds the port open', LIMIT, async t => {
  const timing = { closeQuietMs: 500, closeAcceptMs: 5000 }
  const { server, place } = await listen(t, (_request, response) => response.end('done'), { timing })
  const ended = closed(server)
  for (let turns = 0; turns < 50; turns += 1) await new Promise(setImmediate)
  const socket = connect(place)
  socket.write(GET)
  assert.match(await text(socket), ANSWER_LAST)
  await ended
})

test('a head that has begun to arrive while the port closes is waited for', LIMIT, async t => {
  const { server, place } = await listen(t, () => undefined, {
    timing: { closeAcceptMs: 100, quietTurnMs: 0, closeIdleMs: 0, closeRequestMs: 1000 },
  })
  const ended = closed(server)
  const socket = connect(place)
  socket.write('GET / HT')
  assert.match(await text(socket), /^HTTP\/1\.1 408 /)
  await ended
})

test('what arrives on a connection at rest after the drain is answered', LIMIT, async t => {
  const { server, open } = await listen(t, (_request, response) => response.end('done'), {
    timing: { closeIdleMs: 20_000 },
  })
  const socket = await open()
  const ended = closed(server)
  socket.write(GET)
  assert.match(await text(socket), ANSWER_LAST)
  await ended
})

test(
  'pipelined requests are all answered during the drain, the last of them with Connection: close',
  LIMIT,
  async t => {
    const { server, open } = await listen(t, (_request, response) => response.end('done'))
    const socket = await open()
    drain(server)
    socket.write(GET.repeat(3))
    const answers = await text(socket)
    assert.equal(answers.match(/\r\n\r\ndone/g)?.length, 3)
    assert.equal(answers.match(/Connection: close/g)?.length, 1)
  },
)

test('a body that does not arrive keeps no server open: it is answered 408', LIMIT, async t => {
  const { server, open } = await listen(t, request => void request.resume(), {
    timing: { closeIdleMs: 0, closeRequestMs: 1 },
  })
  const socket = await open()
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na')
  await once(server, 'request')
  const ended = closed(server)
  assert.match(await text(socket), /^HTTP\/1\.1 408 /)
  await ended
})
