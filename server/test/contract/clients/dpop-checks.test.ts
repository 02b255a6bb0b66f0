// What the proof of a token request must say (RFC 9449 §4.3), and when it is too old: each check at its edge.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import {
  askWith,
  fetchNonce,
  goodClaims,
  makeProof,
  makeProofKey,
  type ProofChange,
} from '../../../../testkit/keys/dpop.ts'
import { type Answer, assertError, basic, FORM, send, sendBytes } from '../../../../testkit/callers/requests.ts'
import { type AgentOfTest, startServer, type TestServer } from '../../../../testkit/services/test-server.ts'

type Body = Readonly<Record<string, unknown>>

const key = makeProofKey()

let service: TestServer
let agent: AgentOfTest
let nonce: string
/** Called once before the next insert. */
let beforeInsert: (() => void) | undefined

before(async () => {
  service = await startServer({
    break: ports => ({
      ...ports,
      ledger: {
        ...ports.ledger,
        insert: async (tokens, until) => {
          beforeInsert?.()
          return ports.ledger.insert(tokens, until)
        },
      },
    }),
  })
  agent = await service.createAgent()
  nonce = await fetchNonce(service, agent)
})

after(() => service.close())

afterEach(() => {
  beforeInsert = undefined
})

const proofOf = ({ header = {}, claims }: ProofChange = {}): string =>
  makeProof(key, { header, claims: { ...goodClaims(service), nonce, ...claims } })

const ask = (claims: Body): Promise<Answer> => askWith(service, agent, proofOf({ claims }))

const assertTaken = (answer: Answer, what: unknown): void =>
  assert.equal(answer.status, 200, `${String(what)}: ${answer.text}`)

const assertRefused = (answer: Answer, why: string): void =>
  assertError(answer, 400, 'invalid_dpop_proof', `The DPoP proof was refused: ${why}.`)

test('htm is POST, in this spelling', async () => {
  for (const htm of ['GET', 'post', 'POST ', '', null, ['POST'], undefined]) {
    assertRefused(await ask({ htm }), 'htm is not POST')
  }
})

test('htu is the token endpoint of the base URL in any equivalent spelling, without query and fragment', async () => {
  const { port } = new URL(service.baseUrl)
  const spellings = [
    `${service.baseUrl}/oauth/token`,
    `HTTP://127.0.0.1:${port}/oauth/token`,
    `${service.baseUrl}/oauth/token?x=1`,
    `${service.baseUrl}/oauth/token#x`,
    `${service.baseUrl}/oauth/token?#`,
    `${service.baseUrl}/oauth/./token`,
    `${service.baseUrl}/x/../oauth/token`,
    `${service.baseUrl}/%6Fauth/%74oken`,
    `${service.baseUrl}/oauth/tok%65n`,
  ]
  for (const htu of spellings) assertTaken(await ask({ htu }), htu)
})

test('htu is no other address', async () => {
  const { port, hostname } = new URL(service.baseUrl)
  const wrong = [
    `${service.baseUrl}/oauth/token/`,
    `${service.baseUrl}/oauth//token`,
    `${service.baseUrl}/OAuth/token`,
    `${service.baseUrl}/oauth%2Ftoken`,
    `${service.baseUrl}/oauth/introspect/v2`,
    service.baseUrl,
    `https://${hostname}:${port}/oauth/token`,
    `http://${hostname}:1/oauth/token`,
    `http://localhost:${port}/oauth/token`,
    `http://a:b@${hostname}:${port}/oauth/token`,
    `http://a@${hostname}:${port}/oauth/token`,
    ` ${service.baseUrl}/oauth/token`,
    `http:///${hostname}:${port}/oauth/token`,
    `http:${hostname}:${port}/oauth/token`,
    `${service.baseUrl}\\oauth\\token`,
    `${service.baseUrl}/oauth/\ttoken`,
    '/oauth/token',
    'mailto:x',
    '',
    null,
    [`${service.baseUrl}/oauth/token`],
    undefined,
  ]
  for (const htu of wrong) assertRefused(await ask({ htu }), `htu is not ${service.baseUrl}/oauth/token`)
})

test('the Host header says nothing about htu', async () => {
  const [host, htu] = ['evil.example', 'http://evil.example/oauth/token']
  const asked = (dpop: string): Promise<Answer> =>
    send(service, {
      method: 'POST',
      path: '/oauth/token',
      headers: { ...FORM, ...basic(agent.clientId, agent.clientSecret), host, dpop },
      body: 'grant_type=client_credentials',
    })
  assertRefused(await asked(proofOf({ claims: { htu } })), `htu is not ${service.baseUrl}/oauth/token`)
  assertTaken(await asked(proofOf()), host)
})

test('jti is a text of 1 to 256 characters', async () => {
  for (const jti of ['x', 'y'.repeat(256), '🙂 \u0000"']) assertTaken(await ask({ jti }), jti)
  for (const jti of ['', 'y'.repeat(257), 7, null, ['x'], undefined]) {
    assertRefused(await ask({ jti }), 'jti is not 1 to 256 characters')
  }
})

test('iat lies within 60 s of the clock of the store, to the millisecond', async () => {
  const now = service.clock.wall()
  for (const ms of [now - 60_000, now, now + 60_000]) assertTaken(await ask({ iat: ms / 1000 }), ms - now)
  for (const ms of [0, now - 60_001, now + 60_001, now * 1000, -now, 1e300]) {
    assertRefused(await ask({ iat: ms / 1000 }), 'iat is more than 60 s from the time of this service')
  }
  for (const iat of [String(now / 1000), null, true, undefined]) {
    assertRefused(await ask({ iat }), 'iat is missing, or no time')
  }
})

test('exp and nbf hold where they are there', async () => {
  const now = service.clock.wall() / 1000
  assertTaken(await ask({ exp: now + 0.001, nbf: now + 60 }), 'exp and nbf')
  for (const exp of [now, now - 1, '9', null]) assertRefused(await ask({ exp }), 'exp has passed, or is no time')
  for (const nbf of [now + 60.001, '9', null])
    assertRefused(await ask({ nbf }), 'nbf lies in the future, or is no time')
})

test('claims and members of the header that nobody knows are passed over', async () => {
  assertTaken(await askWith(service, agent, proofOf({ header: { x: 1 }, claims: { ath: 'x', y: [2] } })), 'extra')
})

test('what is wrong in form, header, key or signature is reported', async () => {
  const other = makeProofKey()
  const wrong: readonly (readonly [string, string])[] = [
    ['', 'it is not a compact JWS in its canonical form, or has a member that is not taken'],
    ['x'.repeat(4097), 'it has more than 4096 characters'],
    [proofOf({ header: { typ: 'JWT' } }), 'typ is not dpop+jwt'],
    [proofOf({ header: { alg: 'none' } }), 'alg is not one of ES256, Ed25519, EdDSA, RS256, PS256'],
    [proofOf({ header: { jwk: undefined } }), 'jwk is missing'],
    [
      proofOf({ header: { jwk: key.privateKey.export({ format: 'jwk' }) } }),
      'jwk is not a public key for alg, without private members',
    ],
    [proofOf({ header: { jwk: other.jwk } }), 'its signature does not verify with jwk'],
  ]
  for (const [proof, why] of wrong) assertRefused(await askWith(service, agent, proof), why)
})

test('two DPoP headers are refused, also where they are equal or one is empty', async () => {
  const proof = proofOf()
  for (const two of [[proof, proof], [proof, proofOf()], ['', proof], [proof, ''], [`${proof}, ${proof}`]]) {
    assertRefused(await askWith(service, agent, two), 'there is more than one')
  }
  assertTaken(await askWith(service, agent, proof), 'one')
})

test('a header of 17,000 characters is refused before it is a proof', async () => {
  const head = ['POST /oauth/token HTTP/1.1', 'Host: x', 'Connection: close', `DPoP: ${'x'.repeat(17_000)}`, '', '']
  assert.match(await sendBytes(service, head.join('\r\n')), /^HTTP\/1\.1 431 .*"error":"header_fields_too_large"/s)
})

test('a nonce is taken for its minute and the next, and an older one hears the new one', async () => {
  const step = 60_000 - (service.clock.wall() % 60_000)
  service.clock.advance(step)
  const own = await fetchNonce(service, agent)
  assert.notEqual(own, nonce)
  service.clock.advance(119_999)
  assertTaken(await ask({ nonce: own }), 'at its last millisecond')
  service.clock.advance(1)
  const refused = await ask({ nonce: own })
  assert.equal((refused.json as Body)['error'], 'use_dpop_nonce')
  nonce = refused.headers['dpop-nonce'] ?? ''
  assertTaken(await ask({ nonce }), 'the new one')
})

test('a foreign nonce, a part of one and what is no text hear the nonce', async () => {
  for (const foreign of ['x', '', nonce.slice(1), `${nonce}A`, nonce.toLowerCase(), [nonce], 7, null]) {
    const refused = await ask({ nonce: foreign })
    assert.deepEqual([refused.status, (refused.json as Body)['error']], [400, 'use_dpop_nonce'])
    assert.equal(refused.headers['dpop-nonce'], nonce)
  }
})

test('a proof that became too old between its check and the write gets no token and is not used up', async () => {
  const iat = service.clock.wall() / 1000
  const proof = proofOf({ claims: { iat } })
  beforeInsert = () => service.clock.advance(60_001)
  assertRefused(await askWith(service, agent, proof), 'it is too old by now')
})
