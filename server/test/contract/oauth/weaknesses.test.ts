// Every known weakness of verifiers, at every place that takes a JWT: introspection, token exchange, and revocation, both for
// the token and for the operator's JWT. The table is testkit/forgeries/weaknesses.ts.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { TOKEN_EXCHANGE } from '../../../../api/values/delegation.ts'
import { openSigningKey } from '../../../src/keys/tokens/signing-keys.ts'
import type { Ports } from '../../../src/ports/ports.ts'
import { goodClaims, makeProof, makeProofKey, type ProofKey } from '../../../../testkit/keys/dpop.ts'
import { askExchange } from '../../../../testkit/callers/exchanges.ts'
import { ATTACKER_JWKS, attackerOf, type Genuine, resigned } from '../../../../testkit/forgeries/forgeries.ts'
import {
  assertError,
  bearer,
  claimsOf,
  introspect,
  issue,
  postForm,
  revoke,
} from '../../../../testkit/callers/requests.ts'
import {
  type AgentOfTest,
  AUDIENCE,
  KEY_ENCRYPTION_KEY,
  startServer,
  type TestServer,
} from '../../../../testkit/services/test-server.ts'
import { setTrap, type Trap } from '../../../../testkit/identity-providers/trap.ts'
import { type Weakness, weaknessesOf } from '../../../../testkit/forgeries/weaknesses.ts'

const INACTIVE = '{"active":false}'
const NOT_ACTIVE =
  'The subject_token is neither an active access token of this service nor a JWT of an issuer from which this agent may exchange one.'
const JWT_REFUSED = 'The bearer token is not a valid JWT of a configured identity provider for this service.'

/** The table for our own tokens. */
const WEAKNESSES = weaknessesOf('ES256')

let service: TestServer
let ports: Ports
let trap: Trap
let agent: AgentOfTest
let apiKey: string

before(async () => {
  service = await startServer({
    break: own => {
      ports = own
      return own
    },
  })
  trap = await setTrap(ATTACKER_JWKS)
  agent = await service.createAgent()
  apiKey = (await service.createApiKey('tokens:introspect')).key
})

after(async () => {
  await service.close()
  await trap.close()
})

const isActive = async (token: string): Promise<boolean> =>
  (await introspect(service, apiKey, token)).text.startsWith('{"active":true')

const headerOf = (token: string): Readonly<Record<string, unknown>> =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as Readonly<Record<string, unknown>>

const genuineOf = (text: string, key: ProofKey): Genuine => ({
  text,
  key,
  header: headerOf(text),
  claims: claimsOf(text),
  trap: trap.address,
})

/** A token of ours with the key that signed it, which nobody but the service has. */
const genuineToken = async (): Promise<{ token: string; genuine: Genuine }> => {
  const token = await issue(service, agent)
  const { signingKey } = await ports.agents.viewForIssue([], 'fresh')
  const { alg, ...jwk } = signingKey.publicJwk
  const key = { alg, jwk, privateKey: openSigningKey(KEY_ENCRYPTION_KEY, signingKey) }
  return { token, genuine: genuineOf(token, key) }
}

const genuineJwt = async (alg: string): Promise<Genuine> => {
  const text = await service.provider.operatorJwt({}, { alg })
  return genuineOf(text, service.provider.keyOf(alg))
}

const assertNobodyCame = (): void => assert.equal(trap.visits(), 0)

suite('at introspection, signed by the key of the service itself: exactly {"active":false}', () => {
  let genuine: Genuine
  before(async () => {
    genuine = (await genuineToken()).genuine
  })

  for (const { name, forge } of WEAKNESSES) {
    test(name, async () => {
      const answer = await introspect(service, apiKey, forge(genuine))
      assert.deepEqual([answer.status, answer.text], [200, INACTIVE])
      assertNobodyCame()
    })
  }

  test('and the genuine one is active', async () => assert.equal(await isActive(genuine.text), true))
})

suite('at token exchange, signed by the key of the service itself: 400, by the text for every token that is not active', () => {
  let genuine: Genuine
  let exchanger: AgentOfTest
  before(async () => {
    genuine = (await genuineToken()).genuine
    exchanger = await service.createAgent({ grantTypes: [TOKEN_EXCHANGE], actsFor: ['*'], receives: [AUDIENCE] })
  })

  for (const { name, forge } of WEAKNESSES) {
    test(name, async () => {
      const answer = await askExchange(service, exchanger, forge(genuine))
      assertError(answer, 400, 'invalid_request', NOT_ACTIVE)
      assertNobodyCame()
    })
  }

  test('and the genuine one is exchanged', async () => {
    const { status } = await askExchange(service, exchanger, genuine.text)
    assert.equal(status, 200)
  })

  test('what is of another kind is no subject token', async () => {
    for (const other of Object.values(await othersOf())) {
      assertError(await askExchange(service, exchanger, other), 400, 'invalid_request', NOT_ACTIVE)
    }
  })
})

suite('at revocation, as the token: 200 {}, and the token that it was made of lives on', () => {
  // Who could sign other claims with our key could make tokens; such a text is as good as the token that it names.
  const forgerOf = (genuine: Genuine, { of }: Weakness): Genuine =>
    of === 'claims' ? { ...genuine, key: attackerOf(genuine) } : genuine
  for (const weakness of WEAKNESSES.filter(({ of }) => of !== 'signature spelling')) {
    test(weakness.name, async () => {
      const { token, genuine } = await genuineToken()
      const answer = await revoke(service, weakness.forge(forgerOf(genuine, weakness)))
      assert.deepEqual([answer.status, answer.text], [200, '{}'])
      assert.equal(await isActive(token), true)
      assertNobodyCame()
    })
  }
})

suite('at revocation, as the token with its signature spelled otherwise: 200 {}, and the token itself has ended', () => {
  for (const { name, forge } of WEAKNESSES.filter(({ of }) => of === 'signature spelling')) {
    test(name, async () => {
      const { token, genuine } = await genuineToken()
      const answer = await revoke(service, forge(genuine))
      assert.deepEqual([answer.status, answer.text], [200, '{}'])
      assert.equal(await isActive(token), false)
    })
  }
})

for (const alg of ['ES256', 'RS256'] as const) {
  suite(`at revocation, as the operator's JWT by ${alg}: 401 invalid_token, and nothing ends`, () => {
    let token: string
    let genuine: Genuine
    before(async () => {
      token = await issue(service, agent)
      genuine = await genuineJwt(alg)
    })

    test('the genuine one would have been taken', async () => {
      for (const jwt of [genuine.text, resigned(genuine, {})]) {
        const answer = await postForm(service, '/oauth/revoke', { token: 'x' }, bearer(jwt))
        assert.deepEqual([answer.status, answer.text], [200, '{}'])
      }
    })

    test('the genuine one that names keys elsewhere would have been taken, without a look at them', async () => {
      const header = { jku: `${trap.address}/jwks`, x5u: `${trap.address}/x5u`, jwk: attackerOf(genuine).jwk }
      const jwt = resigned(genuine, { header })
      assert.equal((await postForm(service, '/oauth/revoke', { token: 'x' }, bearer(jwt))).status, 200)
      assertNobodyCame()
    })

    for (const { name, forge } of weaknessesOf(alg)) {
      test(name, async () => {
        const answer = await postForm(service, '/oauth/revoke', { token }, bearer(forge(genuine)))
        assertError(answer, 401, 'invalid_token', JWT_REFUSED)
        assertNobodyCame()
      })
    }

    test('and the token is active', async () => assert.equal(await isActive(token), true))
  })
}

/** What this service takes or gives elsewhere. */
const othersOf = async (): Promise<Readonly<Record<string, string>>> => ({
  "an operator's JWT": await service.provider.operatorJwt(),
  'a DPoP proof': makeProof(makeProofKey(), { claims: goodClaims(service) }),
  'a client secret': agent.clientSecret,
  'a client id': agent.clientId,
  'an API key': apiKey,
  'the id of a token': String(claimsOf(await issue(service, agent))['jti']),
})

test('what is of another kind is inactive at introspection, and nothing to revoke', async () => {
  for (const [name, other] of Object.entries(await othersOf())) {
    assert.equal((await introspect(service, apiKey, other)).text, INACTIVE, name)
    assert.equal((await revoke(service, other)).text, '{}', name)
  }
})

test("what is of another kind is no operator's JWT", async () => {
  const ours = { ...(await othersOf()), 'an access token': await issue(service, agent) }
  for (const [name, other] of Object.entries(ours)) {
    if (name === "an operator's JWT") continue
    const answer = await postForm(service, '/oauth/revoke', { token: 'x' }, bearer(other))
    assertError(answer, 401, 'invalid_token', JWT_REFUSED)
  }
})
