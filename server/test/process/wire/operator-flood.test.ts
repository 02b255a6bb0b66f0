// A flood of forged JWTs that lack nothing but a signature, on connections by the hundred: it is refused within bounds, and
// operators, API keys and clients elsewhere have their answers meanwhile.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test, type TestContext } from 'node:test'
import { Overloaded } from '../../../src/domain/refusal.ts'
import { monotonicMs } from '../../../src/store/clocks.ts'
import { assertionFields, makeAssertion, registerKeys } from '../../../../testkit/keys/client-assertions.ts'
import { makeProofKey } from '../../../../testkit/keys/dpop.ts'
import { type Flood, forgerOf, startFlood } from '../../../../testkit/loads/flood.ts'
import { type Answer, bearer, FORM, introspect, issue, send } from '../../../../testkit/callers/requests.ts'
import { startServer, type TestServer } from '../../../../testkit/services/test-server.ts'

// Only Linux has these addresses without configuration. Elsewhere all are one source: who is honest may have to come again.
const isLinux = process.platform === 'linux'
const [ATTACKER, HONEST] = isLinux ? ['127.0.0.3', '127.0.0.2'] : ['127.0.0.1', '127.0.0.1']
const LIMIT = { timeout: 300_000 }
const HONEST_REQUESTS = 10

type Next = Parameters<typeof startFlood>[0]['next']

const floodWith = (service: TestServer, path: string, next: Next): Promise<Flood> =>
  startFlood({ port: Number(new URL(service.origin).port), path, from: ATTACKER, next })

/** A JWT that was not verified before. */
const freshJwt = ({ provider }: TestServer): Promise<string> => provider.operatorJwt({ jti: randomUUID() })

const postFrom = (localAddress: string, service: TestServer, path: string, { headers, body }: ReturnType<Next>) =>
  send(service, { method: 'POST', path, headers, body, connection: { localAddress } })

const revokeFrom = (localAddress: string, service: TestServer, jwt: string): Promise<Answer> =>
  postFrom(localAddress, service, '/oauth/revoke', { headers: { ...FORM, ...bearer(jwt) }, body: 'token=x' })

const listWith = (service: TestServer, jwt: string): Promise<Answer> =>
  send(service, { path: '/api/v1/tokens', headers: bearer(jwt), connection: { localAddress: HONEST } })

const askHonestly = async (ask: () => Promise<Answer>): Promise<Answer> => {
  const answer = await ask()
  return answer.status === 503 && !isLinux ? askHonestly(ask) : answer
}

/** Begins so many at once. */
const together = (ask: () => Promise<Answer>): Promise<readonly Answer[]> =>
  Promise.all(Array.from({ length: HONEST_REQUESTS }, () => askHonestly(ask)))

const assertAll = (answers: readonly Answer[], status: number): void =>
  assert.deepEqual(new Set(answers.map(answer => answer.status)), new Set([status]))

/** How a slow machine runs is not what is tested here: no deadline comes. */
const PATIENT_MS = 600_000

const start = async (t: TestContext): Promise<TestServer> => {
  const farAhead = monotonicMs() + PATIENT_MS
  const service = await startServer({
    timing: { storeMs: PATIENT_MS },
    break: ports => ({ ...ports, monotonic: () => farAhead }),
  })
  t.after(() => service.close())
  return service
}

/**
 * Each has an answer: that it is forged, or that too many wait and when to come again. How many those are depends on how
 * many begin at once; keys/verification-queue tests the bound.
 */
const assertAnswered = async ({ requests, heads }: Flood): Promise<void> => {
  const answered = await heads
  assert.equal(answered.length, requests)
  assert.ok(answered.every(head => /^HTTP\/1\.1 (?:401|503) /.test(head)))
  const busy = answered.filter(head => head.startsWith('HTTP/1.1 503'))
  assert.ok(busy.every(head => /\r\nretry-after: 1\r\n/i.test(head)))
}

const FORGED_AT = [
  ['/oauth/revoke', FORM, 'token=x'],
  ['/api/v1/revocations', { 'content-type': 'application/json' }, '{}'],
] as const

for (const [path, type, body] of FORGED_AT) {
  test(
    `forged JWTs of operators at ${path} are 401 or, beyond what is taken, 503; others are served`,
    LIMIT,
    async t => {
      const service = await start(t)
      const agent = await service.createAgent()
      const { key } = await service.createApiKey('tokens:introspect')
      const token = await issue(service, agent)
      const forge = forgerOf(await freshJwt(service))
      assert.equal((await revokeFrom(HONEST, service, await freshJwt(service))).status, 200)
      const flood = await floodWith(service, path, () => ({ headers: { ...type, ...bearer(forge()) }, body }))
      const [revoked, listed, introspected] = await Promise.all([
        together(async () => revokeFrom(HONEST, service, await freshJwt(service))),
        together(async () => listWith(service, await freshJwt(service))),
        together(() => introspect(service, key, token)),
      ])
      assertAll([...revoked, ...listed, ...introspected], 200)
      assert.ok(introspected.every(answer => answer.text.startsWith('{"active":true,')))
      await assertAnswered(flood)
      assert.deepEqual(service.provider.fetches, { metadata: 1, jwks: 1 })
    },
  )
}

test(
  'an operator whose JWT was verified before is served beside a flood from the very same address',
  LIMIT,
  async t => {
    const service = await start(t)
    const jwt = await freshJwt(service)
    const forge = forgerOf(jwt)
    assert.equal((await revokeFrom(ATTACKER, service, jwt)).status, 200)
    const headers = () => ({ ...FORM, ...bearer(forge()) })
    const flood = await floodWith(service, '/oauth/revoke', () => ({ headers: headers(), body: 'token=x' }))
    assertAll(await together(() => revokeFrom(ATTACKER, service, jwt)), 200)
    await assertAnswered(flood)
  },
)

test(
  'forged assertions of a client are 401 or 503, and the client elsewhere and operators are served',
  LIMIT,
  async t => {
    const service = await start(t)
    const [agent, clientKey] = [await service.createAgent(), makeProofKey()]
    await registerKeys(service, agent, [clientKey.jwk])
    const forge = forgerOf(makeAssertion(service, agent, clientKey))
    const formOf = (assertion: string): ReturnType<Next> => {
      const fields = { grant_type: 'client_credentials', ...assertionFields(assertion) }
      return { headers: FORM, body: new URLSearchParams(fields).toString() }
    }
    const flood = await floodWith(service, '/oauth/token', () => formOf(forge()))
    const [issued, revoked] = await Promise.all([
      together(() => postFrom(HONEST, service, '/oauth/token', formOf(makeAssertion(service, agent, clientKey)))),
      together(async () => revokeFrom(HONEST, service, await freshJwt(service))),
    ])
    assertAll([...issued, ...revoked], 200)
    await assertAnswered(flood)
  },
)

test('a connection whose JWT found no room among those that wait rests before it is served again', async t => {
  const verify = (): Promise<never> => Promise.reject(new Overloaded('More wait than are taken.'))
  const service = await startServer({ break: ports => ({ ...ports, operators: { ...ports.operators, verify } }) })
  t.after(() => service.close())
  const jwt = await freshJwt(service)
  const socket = connect(Number(new URL(service.origin).port), '127.0.0.1')
  t.after(() => socket.destroy())
  const answerTo = async (request: string): Promise<string> => {
    socket.write(request)
    return String(await once(socket, 'data'))
  }
  assert.match(
    await answerTo(`GET /api/v1/tokens HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${jwt}\r\n\r\n`),
    /^HTTP\/1\.1 503 [\s\S]*\r\nretry-after: 1\r\n/,
  )
  const askedAt = performance.now()
  assert.match(await answerTo('GET /livez HTTP/1.1\r\nhost: x\r\n\r\n'), /^HTTP\/1\.1 200 /)
  assert.ok(performance.now() - askedAt > 100, 'it rests')
})
