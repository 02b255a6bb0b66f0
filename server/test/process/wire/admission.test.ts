// The way in under more requests than can be served: who begins, who waits, who is refused, and what a refused caller hears.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect, Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { test, type TestContext } from 'node:test'
import { type Admission, makeAdmission } from '../../../src/http/wire/admission.ts'
import { makeListener } from '../../../src/http/wire/connections/listener.ts'
import { TIMING } from '../../../src/ports/timing.ts'
import { makeSourceReader } from '../../../src/http/wire/source.ts'

const ISSUER = 'https://issuer.example'
const ID = '00000000-0000-4000-8000-000000000000'
/** More than a turn of a thread starts whose every turn takes 100 ms, and more than it would start in a second. */
const CROWD = 300

type World = {
  readonly begun: string[]
  readonly reasons: string[]
  readonly limits: string[]
  readonly admission: Admission
  /** An accepted connection. */
  readonly connectTo: (localAddress?: string) => Promise<Socket>
}

type Sent = { readonly request: string; readonly localAddress?: string }

const postOf = (path: string): string => `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`

const getOf = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`

const answerOf = async (socket: Socket): Promise<string> => {
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  return bytes.toString()
}

/** A listener behind its admission, whose clock moves by `stepMs` each time it is read. */
const makeWorld = async (t: TestContext, stepMs: number, basePath = ''): Promise<World> => {
  const [begun, reasons, limits]: [string[], string[], string[]] = [[], [], []]
  let now = 0
  const admission = makeAdmission({
    issuer: ISSUER,
    basePath,
    monotonic: () => (now += stepMs),
    timing: TIMING,
    makeId: () => ID,
    sourceOf: makeSourceReader(() => false),
    reportUnavailable: (_id, { message }) => void reasons.push(message),
    countLimit: limit => void limits.push(limit),
    refuseUnread: response => void response.destroy(),
  })
  const guarded = admission.guard((request, response) => {
    if (request.url !== `${basePath}/livez`) begun.push(request.url ?? '')
    response.end('done')
  })
  const server = makeListener(guarded, { timing: TIMING })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  const sockets = new Set<Socket>()
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const connectTo = async (localAddress = '127.0.0.1'): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress })
    sockets.add(socket)
    // Once it is answered, the listener has accepted the connection.
    socket.write(getOf(`${basePath}/livez`))
    await answerOf(socket)
    return socket
  }
  return { begun, reasons, limits, admission, connectTo }
}

const statusOf = (answer: string): string => answer.slice(9, 12)

/** Sends each request on a connection of its own, all of them in one turn of the event loop; the answers in order. */
const askTogether = async ({ connectTo }: World, sent: readonly (string | Sent)[]): Promise<readonly string[]> => {
  const requests = sent.map((one): Sent => (typeof one === 'string' ? { request: one } : one))
  const sockets = await Promise.all(requests.map(({ localAddress }) => connectTo(localAddress)))
  requests.forEach(({ request }, n) => sockets[n]?.write(request))
  return Promise.all(sockets.map(socket => answerOf(socket)))
}

const crowdAt = (path: string, headers = ''): readonly string[] =>
  Array.from({ length: CROWD }, () => getOf(path, headers))

test('what is more than can be served is refused early, each as its path wants it, and the others are served', async t => {
  const world = await makeWorld(t, 100)
  const refusedAt = async (path: string): Promise<string> => {
    const answers = await askTogether(world, crowdAt(path))
    assert.ok(answers.some(answer => statusOf(answer) === '200'))
    const refused = answers.find(answer => statusOf(answer) === '503') ?? ''
    assert.match(refused, /\r\nretry-after: 1\r\n/i)
    assert.match(refused, /\r\ncache-control: no-store\r\n/i)
    assert.ok(refused.includes(`\r\nx-request-id: ${ID}\r\n`))
    assert.match(refused, /"error":"temporarily_unavailable"/)
    return refused
  }
  assert.match(await refusedAt('/oauth/token'), /\r\ncontent-type: application\/json; charset=utf-8\r\n/i)
  const problem = await refusedAt('/api/v1/tokens')
  assert.match(problem, /\r\ncontent-type: application\/problem\+json\r\n/i)
  assert.ok(problem.includes(`"type":"${ISSUER}/errors#temporarily_unavailable"`))
  assert.deepEqual(new Set(world.reasons), new Set(['More requests arrive than can be served.']))
  assert.deepEqual(
    world.limits,
    world.reasons.map(() => 'waiting_requests'),
  )
})

const PROBES = [
  '/livez',
  '/readyz',
  '/.well-known/jwks.json',
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
]

test('probes, metadata and callers that are known are served whatever waits', async t => {
  for (const basePath of ['', '/base']) {
    const world = await makeWorld(t, 100, basePath)
    world.admission.credentials.add({ 'x-api-key': 'known' })
    const inserted = basePath === '' ? [] : PROBES.slice(-2).map(path => path + basePath)
    const first = [...PROBES.map(path => basePath + path), ...inserted].map(path => getOf(path))
    const answers = await askTogether(world, [
      ...crowdAt('/unknown', 'x-api-key: unknown\r\n'),
      ...first,
      getOf('/known', 'x-api-key: known\r\n'),
    ])
    assert.ok(answers.slice(0, CROWD).some(answer => statusOf(answer) === '503'))
    assert.deepEqual(new Set(answers.slice(CROWD).map(statusOf)), new Set(['200']))
  }
})

const REVOCATIONS = ['/oauth/revoke', '/api/v1/revocations', '/api/v1/tokens/x/revoke', '/api/v1/api-keys/x/revoke']

test('beside a crowd of token requests a revocation of a caller that is not known begins before those that wait', async t => {
  const world = await makeWorld(t, 100)
  const crowd = Array.from({ length: CROWD }, () => postOf('/oauth/token'))
  const answers = await askTogether(world, [...crowd, ...REVOCATIONS.map(postOf)])
  assert.ok(answers.slice(0, CROWD).some(answer => statusOf(answer) === '503'))
  assert.deepEqual(answers.slice(CROWD).map(statusOf), ['200', '200', '200', '200'])
  const last = world.begun.lastIndexOf('/oauth/token')
  for (const path of REVOCATIONS) assert.ok(world.begun.indexOf(path) < last, path)
})

test('beside a crowd of revocations from one network that of another is served, and token requests are too', async t => {
  const world = await makeWorld(t, 100)
  const crowd = Array.from({ length: 2 * CROWD }, () => postOf('/oauth/revoke'))
  const others = ['/oauth/revoke', '/oauth/token'].map(path => ({
    request: postOf(path),
    localAddress: '127.0.0.2',
  }))
  const answers = await askTogether(world, [...crowd, ...others])
  assert.ok(answers.slice(0, crowd.length).some(answer => statusOf(answer) === '503'))
  assert.deepEqual(answers.slice(crowd.length).map(statusOf), ['200', '200'])
})

test('a connection that was refused rests: what it sends next begins later, and is answered all the same', async t => {
  const world = await makeWorld(t, 100)
  const sockets = await Promise.all(Array.from({ length: CROWD }, () => world.connectTo()))
  const answers = sockets.map(socket => answerOf(socket))
  for (const socket of sockets) socket.write(getOf('/crowd'))
  const refused = sockets[(await Promise.all(answers)).findIndex(answer => statusOf(answer) === '503')]
  assert.ok(refused !== undefined)
  const sentAt = performance.now()
  refused.write(getOf('/again').repeat(2))
  assert.equal(statusOf(await answerOf(refused)), '200')
  assert.ok(performance.now() - sentAt > 100, 'it rests')
})

test('while there is room nothing is refused and nothing is reported', async t => {
  const world = await makeWorld(t, 0)
  const answers = await askTogether(world, crowdAt('/oauth/token'))
  assert.deepEqual(new Set(answers.map(statusOf)), new Set(['200']))
  assert.equal(world.begun.length, CROWD)
  assert.deepEqual(world.reasons, [])
})

test('nothing is begun, nor refused, for a caller who has gone while its request waited', async t => {
  const { begun, reasons, admission } = await makeWorld(t, 100)
  const begin = admission.guard(({ url = '' }) => void begun.push(url))
  const waiting = Array.from({ length: CROWD }, (_, n) => {
    const request = Object.assign(new IncomingMessage(new Socket()), { url: `/${n}` })
    begin(request, new ServerResponse(request))
    return request
  })
  const [atOnce, refused] = [begun.length, reasons.length]
  assert.ok(atOnce > 0 && atOnce + refused < CROWD)
  for (const { socket } of waiting) socket.destroy()
  // Each turn begins some of those that wait.
  for (let turn = 0; turn < CROWD; turn += 1) await new Promise(setImmediate)
  assert.deepEqual([begun.length, reasons.length], [atOnce, refused])
})
