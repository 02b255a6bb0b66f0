// Hostile text in what the JWTs of a request say: of operators, of clients, of workloads, and in DPoP proofs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  askAsserting,
  assertionClaims,
  registerKeys,
  revokeAsserting,
  signAssertion,
} from '../../../../testkit/keys/client-assertions.ts'
import { askWith, type Change, fetchNonce, goodClaims, makeProof, makeProofKey } from '../../../../testkit/keys/dpop.ts'
import { HOSTILE_TEXTS } from '../../../../testkit/callers/hostile-text.ts'
import { isThorough } from '../../../../testkit/loads/thorough.ts'
import { type Answer, askToken, bearer, get, postForm } from '../../../../testkit/callers/requests.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const TEXTS = HOSTILE_TEXTS.map(({ json }) => String(JSON.parse(`"${json}"`)))
const KEY = makeProofKey()

const service = useService()
const honest = service.agent()
const agent = service.agent()

service.before(async () => {
  await registerKeys(service, agent, [KEY.jwk])
})

/** By turns: half of them. */
const textsFor = (turn: number): readonly string[] =>
  isThorough ? TEXTS : TEXTS.filter((_, n) => (n + turn) % 2 === 0)

/** Each of these members in turn with each text, alone and behind what belongs there. */
const spoilt = (good: Change, names: readonly string[]): readonly Change[] =>
  names.flatMap((name, turn) =>
    textsFor(turn)
      .flatMap(text => [text, `${typeof good[name] === 'string' ? good[name] : 'x'}${text}`])
      .map(text => ({
        ...good,
        [name]: text,
      })),
  )

/** All at one moment, and beside them somebody honest. */
const assertNoneFails = async (asked: readonly Promise<Answer>[]): Promise<readonly Answer[]> => {
  const [first, last, ...answers] = await Promise.all([askToken(service, honest), askToken(service, honest), ...asked])
  assert.deepEqual([first.status, last.status], [200, 200])
  for (const { status, text } of answers) assert.ok(status < 500, `${status} ${text}`)
  return answers
}

test('the JWT of an operator', async () => {
  const claims = spoilt({}, ['iss', 'sub', 'aud', 'jti', 'role', 'azp'])
  const headers = spoilt({}, ['kid', 'typ', 'alg', 'jku'])
  const jwts = await Promise.all([
    ...claims.map(changed => service.provider.operatorJwt(changed)),
    ...headers.map(changed => service.provider.sign({ sub: 'operator' }, { ...changed, alg: 'ES256' })),
  ])
  const asked = jwts.flatMap(jwt => [
    get(service, '/api/v1/agents', bearer(jwt)),
    postForm(service, '/oauth/revoke', { token: 'unknown' }, bearer(jwt)),
  ])
  const answers = await assertNoneFails(asked)
  // What nobody reads may be anything: some of them are good, and only their role is missing for the list.
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 401, 403]))
})

test('the assertion of a client or of a workload', async () => {
  const good = assertionClaims(service, agent)
  const both = spoilt(good, ['sub']).map(claims => ({ ...claims, iss: claims['sub'] }))
  const assertions = [
    ...[...both, ...spoilt(good, ['iss', 'sub', 'aud', 'jti'])].map(claims => signAssertion(KEY, claims)),
    ...spoilt({}, ['kid', 'typ']).map(header => signAssertion(KEY, assertionClaims(service, agent), header)),
  ]
  const asked = assertions.flatMap(assertion => [
    askAsserting(service, assertion),
    askAsserting(service, assertion, { client_id: 'x\0' }),
    revokeAsserting(service, assertion, 'unknown'),
  ])
  await assertNoneFails(asked)
})

test('a DPoP proof', async () => {
  const nonce = await fetchNonce(service, agent)
  const proofs = spoilt({ ...goodClaims(service), nonce }, ['jti', 'htu', 'htm', 'nonce', 'ath']).map(claims =>
    makeProof(KEY, { claims }),
  )
  await assertNoneFails(proofs.map(proof => askWith(service, agent, proof)))
})
