// From when the deadline of a request counts: from its first byte, whatever the service made it wait for, and not from bytes
// that its caller sends slowly. The clock is the test's.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { type Admission, makeAdmission } from '../../src/http/wire/admission.ts'
import { answerBy } from '../../src/http/wire/answer-deadline.ts'
import { makeListener } from '../../src/http/wire/connections/listener.ts'
import { TIMING } from '../../src/ports/timing.ts'
import { makeSourceReader } from '../../src/http/wire/source.ts'

const ANSWER_MS_MAX = 4600

type Begun = { readonly url: string; readonly until: number }

type World = {
  readonly clock: { now: number }
  /** Each request whose body was complete, in order. */
  readonly begun: Begun[]
  readonly reasons: string[]
  readonly admission: Admission
  readonly open: () => Promise<Socket>
  /** Resolves once the request at this path has begun, before its body is read. */
  readonly beginning: (url: string) => Promise<void>
  /** Answers the request at this path, which waits for it. */
  readonly answer: (url: string) => void
}

const makeWorld = async (t: TestContext): Promise<World> => {
  const clock = { now: 1_000_000 }
  const monotonic = (): number => clock.now
  const begun: Begun[] = []
  const reasons: string[] = []
  const gates = new Map<string, PromiseWithResolvers<void>>()
  const beginnings = new Map<string, PromiseWithResolvers<void>>()
  const of = (map: Map<string, PromiseWithResolvers<void>>, url: string): PromiseWithResolvers<void> => {
    const one = map.get(url) ?? Promise.withResolvers<void>()
    map.set(url, one)
    return one
  }
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url = '' } = request
    of(beginnings, url).resolve()
    for await (const _ of request);
    begun.push({ url, until: answerBy({ monotonic, timing: TIMING }, request) })
    if (url.startsWith('/gate')) await of(gates, url).promise
    response.end('done')
  }
  const admission = makeAdmission({
    issuer: 'https://issuer.example',
    basePath: '',
    monotonic,
    timing: TIMING,
    makeId: () => '00000000-0000-4000-8000-000000000000',
    sourceOf: makeSourceReader(() => false),
    reportUnavailable: (_id, { message }) => void reasons.push(message),
    refuseUnread: response => void response.destroy(),
  })
  const guarded = admission.guard((request, response) => void handle(request, response))
  const server = makeListener(guarded, { timing: TIMING, onWaiting: admission.receive })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  const sockets: Socket[] = []
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const open = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    await once(socket, 'connect')
    return socket
  }
  return {
    clock,
    begun,
    reasons,
    admission,
    open,
    beginning: url => of(beginnings, url).promise,
    answer: url => of(gates, url).resolve(),
  }
}

const getOf = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`

/** Reads until so many answers are there; their statuses. */
const statusesOf = async (socket: Socket, count: number): Promise<readonly string[]> => {
  let text = ''
  for await (const bytes of socket.iterator({ destroyOnReturn: false })) {
    text += String(bytes)
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status = '']) => status)
    if (statuses.length === count) return statuses
  }
  return [text]
}

test('a request that waits behind another of its connection: its deadline counts from when it was received', async t => {
  const { clock, begun, open, beginning, answer } = await makeWorld(t)
  const socket = await open()
  const receivedAt = clock.now
  socket.write(getOf('/gate') + getOf('/behind'))
  await beginning('/gate')
  clock.now += 3000
  answer('/gate')
  assert.deepEqual(await statusesOf(socket, 2), ['200', '200'])
  assert.deepEqual(begun[1], { url: '/behind', until: receivedAt + ANSWER_MS_MAX })
})

test('one that waited there for too long is not begun: 503 at once, and so are those behind it', async t => {
  const { clock, begun, reasons, open, beginning, answer } = await makeWorld(t)
  const socket = await open()
  socket.write(getOf('/gate') + getOf('/b') + getOf('/c') + getOf('/d'))
  await beginning('/gate')
  clock.now += 3601
  answer('/gate')
  assert.deepEqual(await statusesOf(socket, 4), ['200', '503', '503', '503'])
  assert.deepEqual(
    begun.map(({ url }) => url),
    ['/gate'],
  )
  assert.equal(reasons.length, 3)
  const later = await open()
  later.write(getOf('/later'))
  assert.deepEqual(await statusesOf(later, 1), ['200'])
  assert.deepEqual(begun.at(-1), { url: '/later', until: clock.now + ANSWER_MS_MAX })
})

test('a request that waits for a turn of the event loop: its deadline counts from its arrival all the same', async t => {
  const { clock, admission } = await makeWorld(t)
  const [received, until]: [number[], number[]] = [[], []]
  const begin = admission.guard(request => {
    until.push(answerBy({ monotonic: () => clock.now, timing: TIMING }, request))
    // Each makes its turn longer.
    clock.now += 5
  })
  // More than a turn starts at first.
  for (let n = 0; n < 100; n += 1) {
    const request = Object.assign(new IncomingMessage(new Socket()), { url: `/${n}` })
    received.push(clock.now)
    begin(request, new ServerResponse(request))
  }
  const atOnce = until.length
  clock.now += 100
  while (until.length < received.length) await new Promise(setImmediate)
  assert.ok(atOnce < received.length, 'some waited')
  assert.deepEqual(
    until,
    received.map(at => at + ANSWER_MS_MAX),
  )
})

const HEAD = 'POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na'

test('of a body that is sent slowly a quarter of a second counts at most, and what the request waited before', async t => {
  const { clock, begun, open, beginning, answer } = await makeWorld(t)
  const [alone, behind] = [await open(), await open()]
  alone.write(HEAD.replace('/slow', '/alone'))
  await beginning('/alone')
  clock.now += 20_000
  alone.write('b')
  assert.deepEqual(await statusesOf(alone, 1), ['200'])
  assert.deepEqual(begun.at(-1), { url: '/alone', until: clock.now + ANSWER_MS_MAX })

  behind.write(getOf('/gate') + HEAD)
  await beginning('/gate')
  clock.now += 2000
  answer('/gate')
  await beginning('/slow')
  clock.now += 20_000
  behind.write('b')
  assert.deepEqual(await statusesOf(behind, 2), ['200', '200'])
  assert.deepEqual(begun.at(-1), { url: '/slow', until: clock.now - 250 - 2000 + ANSWER_MS_MAX })
})

test('a body that arrives at once after a wait: the deadline counts from the first byte of its request', async t => {
  const { clock, begun, open, beginning, answer } = await makeWorld(t)
  const socket = await open()
  const receivedAt = clock.now
  socket.write(`${getOf('/gate')}${HEAD}b`)
  await beginning('/gate')
  clock.now += 2000
  answer('/gate')
  assert.deepEqual(await statusesOf(socket, 2), ['200', '200'])
  assert.deepEqual(begun.at(-1), { url: '/slow', until: receivedAt + ANSWER_MS_MAX })
})
