// Sign-ins under way at an identity provider that hangs or is slow: strangers of one network leave room to operators of another.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { test } from 'node:test'
import type { Source } from '../../../src/domain/source.ts'
import { TIMING, type Timing } from '../../../src/ports/timing.ts'
import type { SignIn } from '../../../src/ports/sessions.ts'
import { makeFinishedSignIns } from '../../../src/keys/providers/finished-sign-ins.ts'
import { makeSignIn } from '../../../src/keys/providers/sign-in.ts'

const OF_ONE_MAX = 5
const MAX = 20
const BUSY = 'too many operators sign in at once'
const UNANSWERED = 'the metadata of the identity provider cannot be read'

const listen = async (server: Server): Promise<string> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on a port
}

const makeAt = (issuer: string, timing: Partial<Timing>, finished = makeFinishedSignIns()): SignIn =>
  makeSignIn({
    timing: { ...TIMING, ...timing },
    finished,
    client: { issuer, clientId: 'console', clientSecret: null, scope: 'openid', parameters: {} },
    callback: 'https://issuer.example/console/callback',
    keyEncryptionKey: new Uint8Array(32),
    now: () => 0,
  })

test('a network that begins as many sign-ins as it may leaves room for others, and gets it back', async t => {
  const sockets: Socket[] = []
  const provider = createServer(socket => void sockets.push(socket))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    provider.close()
  })
  const signIn = makeAt(await listen(provider), { signInAnswerMs: 400, signInWaitMs: 100 })
  const start = (source: Source): Promise<string> =>
    signIn.begin('/console/', source).then(
      () => 'begun',
      fault => (fault as Error).message,
    )
  const greedy = Array.from({ length: MAX }, () => start('192.0.2.1'))
  const honest = start('192.0.2.2')
  const others = Array.from({ length: MAX }, (_, n) => start(`198.51.100.${n}`))
  const outcomes = await Promise.all(greedy)
  assert.equal(outcomes.filter(one => one === UNANSWERED).length, OF_ONE_MAX)
  assert.equal(outcomes.filter(one => one === BUSY).length, MAX - OF_ONE_MAX)
  assert.equal(await honest, UNANSWERED)
  const later = await Promise.all(others)
  assert.equal(later.filter(one => one === UNANSWERED).length, MAX - OF_ONE_MAX - 1)
  assert.equal(await start('192.0.2.1'), UNANSWERED)
})

/** A provider that takes a moment to refuse each code. */
const startSlowProvider = async () => {
  let asked = 0
  const provider = createHttpServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    if (request.method === 'POST') {
      asked += 1
      setTimeout(() => response.writeHead(400).end('{"error":"invalid_grant"}'), 50)
      return
    }
    const at = `http://${request.headers.host}`
    const endpoints = { authorization_endpoint: `${at}/authorize`, token_endpoint: `${at}/token` }
    response.end(JSON.stringify({ issuer: at, jwks_uri: `${at}/jwks`, ...endpoints }))
  })
  const issuer = await listen(provider)
  return { issuer, asked: () => asked, close: () => provider.close() }
}

type Begun = { readonly callback: URL; readonly pending: string }

const begin = async (signIn: SignIn, source: Source): Promise<Begun> => {
  const { location, pending } = await signIn.begin('/console/', source)
  const state = new URL(location).searchParams.get('state') ?? ''
  return { callback: new URL(`https://issuer.example/console/callback?code=made-up&state=${state}`), pending }
}

const finish = async (signIn: SignIn, source: Source, { callback, pending }: Begun): Promise<string> => {
  try {
    const outcome = await signIn.finish(callback, pending, source)
    return 'refused' in outcome ? outcome.refused : 'signed in'
  } catch (fault) {
    return (fault as Error).message
  }
}

const REFUSED = 'The identity provider refused: invalid_grant.'

test('callbacks of 8 networks, as many as they like, make no sign-in of another network 503', async t => {
  const provider = await startSlowProvider()
  t.after(provider.close)
  const signIn = makeAt(provider.issuer, {})
  const finishAll = async (sources: readonly Source[]): Promise<readonly string[]> => {
    const all: (readonly [Source, Begun])[] = []
    for (const source of sources) all.push([source, await begin(signIn, source)])
    return Promise.all(all.map(([source, begun]) => finish(signIn, source, begun)))
  }
  const strangers = Array.from({ length: 400 }, (_, n): Source => `192.0.2.${n % 8}`)
  const others = Array.from({ length: MAX }, (_, n): Source => `198.51.100.${n}`)
  const outcomes = await finishAll([...strangers, ...others])
  assert.deepEqual(new Set(outcomes.slice(strangers.length)), new Set([REFUSED]))
})

test('a sign-in is finished once, whichever thread of the process it is called back at', async t => {
  const provider = await startSlowProvider()
  t.after(provider.close)
  const finished = makeFinishedSignIns()
  const [one, another] = [makeAt(provider.issuer, {}, finished), makeAt(provider.issuer, {}, finished)]
  const begun = await begin(one, '192.0.2.1')
  const outcomes = await Promise.all([one, another, one].map(signIn => finish(signIn, '192.0.2.1', begun)))
  assert.deepEqual(outcomes.toSorted(), [REFUSED, ...Array(2).fill('This sign-in was called back before.')])
  assert.equal(provider.asked(), 1)
})
