// Every known weakness of verifiers, at token exchange of JWTs of a trusted issuer. The table is testkit/forgeries/weaknesses.ts.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type Answer, assertError, bearer, claimsOf, get } from '../../../../testkit/callers/requests.ts'
import {
  exchangerOf,
  presentJwt,
  subjectJwt,
  type SubjectTokenType,
  trust,
} from '../../../../testkit/callers/subject-jwts.ts'
import { ATTACKER_JWKS, attackerOf, type Genuine, resigned } from '../../../../testkit/forgeries/forgeries.ts'
import { weaknessesOf } from '../../../../testkit/forgeries/weaknesses.ts'
import {
  type IdentityProvider,
  startIdentityProvider,
} from '../../../../testkit/identity-providers/identity-provider.ts'
import { setTrap, type Trap } from '../../../../testkit/identity-providers/trap.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'
import type { AgentOfTest } from '../../../../testkit/services/test-server.ts'
import { countRows } from '../../../../testkit/stores/store-file.ts'

const service = useService()
let provider: IdentityProvider
let trap: Trap
let agent: AgentOfTest

service.before(async () => {
  trap = await setTrap(ATTACKER_JWKS)
  provider = await startIdentityProvider({
    now: service.clock.wall,
    algorithms: ['ES256', 'RS256'],
    firstRsaKey: 'shared',
  })
  await trust(service, provider, { alias: 'acme' })
  agent = await service.createAgent(exchangerOf('acme'))
})

after(async () => {
  await provider.close()
  await trap.close()
})

const headerOf = (text: string): Genuine['header'] =>
  JSON.parse(Buffer.from(text.split('.')[0] ?? '', 'base64url').toString()) as Genuine['header']

const genuineOf = async (type: SubjectTokenType, alg: string): Promise<Genuine> => {
  const text = await subjectJwt(service, provider, type, { header: { alg } })
  return { text, key: provider.keyOf(alg), header: headerOf(text), claims: claimsOf(text), trap: trap.address }
}

const present = (text: string, type: SubjectTokenType): Promise<Answer> =>
  presentJwt(service, agent, text, { as: type, scope: 'db:read' })

const assertNobodyCame = (): void => assert.equal(trap.visits(), 0)

for (const [type, alg] of [
  ['id_token', 'ES256'],
  ['access_token', 'RS256'],
  ['jwt', 'ES256'],
] as const) {
  suite(`as ${type}, by ${alg}: 400, no key is looked for elsewhere, and nothing is kept`, () => {
    let genuine: Genuine
    let kept: number
    before(async () => {
      genuine = await genuineOf(type, alg)
      kept = countRows(service.storeFile, 'token')
    })

    for (const { name, forge } of weaknessesOf(alg)) {
      test(name, async () => {
        const answer = await present(forge(genuine), type)
        assert.equal(answer.status, 400, answer.text)
        assert.partialDeepStrictEqual(answer.json, { error: 'invalid_request' })
        assertNobodyCame()
      })
    }

    test('and the genuine one would have been taken, also where it names keys elsewhere', async () => {
      assert.equal(countRows(service.storeFile, 'token'), kept)
      const header = { jku: `${trap.address}/jwks`, x5u: `${trap.address}/x5u`, jwk: attackerOf(genuine).jwk }
      for (const text of [genuine.text, resigned(genuine, {}), resigned(genuine, { header })]) {
        const { status, text: answer } = await present(text, type)
        assert.equal(status, 200, answer)
      }
      assertNobodyCame()
    })
  })
}

test("an operator's JWT is no subject token, and a subject token is no operator's", async () => {
  await trust(service, service.provider, { alias: 'operators' })
  const by = await service.createAgent({ ...exchangerOf('operators'), issuerClients: { operators: 'own-app' } })
  const aud = 'The subject_token was not sent to this agent: aud is not its client id there (issuer_clients).'
  const operators = await service.provider.operatorJwt()
  assertError(await presentJwt(service, by, operators, { as: 'id_token' }), 400, 'invalid_request', aud)
  const jwt = await subjectJwt(service, service.provider, 'id_token', { claims: { roles: ['mintmark-admin'] } })
  assert.equal((await get(service, '/api/v1/issuers', bearer(jwt))).status, 401)
})
