// GET /api/v1/tokens/{id}/explain and POST /api/v1/tokens/explain: each cause of an inactive answer has one code.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLIENT_CREDENTIALS, TOKEN_EXCHANGE } from '../../../../api/values/delegation.ts'
import { CHECKS_OF_SUBJECTS, OWN_CHECKS } from '../../../../api/values/explanation.ts'
import { type Reason, REASONS } from '../../../../api/values/reason.ts'
import { NO_CONDITION } from '../../../src/domain/ledger/ledger.ts'
import type { Ports } from '../../../src/ports/ports.ts'
import { type AgentsApi, makeAgentsApi } from '../../../../testkit/callers/agents-api.ts'
import { admin, call } from '../../../../testkit/callers/administration.ts'
import { exchange } from '../../../../testkit/callers/exchanges.ts'
import { idOf, makeExplainer, readExplained } from '../../../../testkit/callers/explanations.ts'
import { type Answer, claimsOf, issue, postForm, revoke } from '../../../../testkit/callers/requests.ts'
import { act } from '../../../../testkit/stores/store.ts'
import { type AgentOfTest, type AgentOfTestRequest, AUDIENCE } from '../../../../testkit/services/test-server.ts'
import { makeForPrincipals } from '../../../../testkit/services/for-principals.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'
import type { TestPrincipal } from '../../../../testkit/stores/principals.ts'

const ORDERS = 'https://orders.example'
const OF_AN_AGENT = OWN_CHECKS.filter(check => !CHECKS_OF_SUBJECTS.includes(check))

let ports: Ports
const forPrincipals = makeForPrincipals()
let principals: readonly TestPrincipal[]
const service = useService({
  break: own => {
    ports = own
    return forPrincipals.inFront(own)
  },
})
const agent = service.agent()
const introspector = service.apiKey('tokens:introspect')
const reader = service.apiKey('tokens:read')
const narrow = service.apiKey('tokens:read', [AUDIENCE])
let api: AgentsApi

service.before(async () => {
  api = await makeAgentsApi(service)
  principals = await forPrincipals.trustIssuers(service)
})

const { askId, explain, codeOf } = makeExplainer(service, {
  reader: () => reader.key,
  introspector: () => introspector.key,
})

const asAdmin = async (method: string, path: string, body?: object): Promise<Answer> => {
  const answer = await call(service, { method, path, body }, await admin(service))
  assert.ok(answer.status < 300, answer.text)
  return answer
}

const kidOf = (token: string): string =>
  (JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }).kid

type Ending = {
  readonly settings?: AgentOfTestRequest
  /** The token to explain, unless it is the agent's own. */
  readonly issue?: (agent: AgentOfTest) => Promise<string>
  readonly end: (agent: AgentOfTest, token: string) => Promise<unknown>
}

/** Ends with the issuer of this alias. */
const endsWithIssuer = (alias: string, end: (path: string) => Promise<unknown>): Ending => ({
  issue: async own => {
    const principal = principals.find(({ shown }) => shown.issuer === alias)
    assert.ok(principal)
    return forPrincipals.issueFor(service, own, principal)
  },
  end: () => end(`/api/v1/issuers/${alias}`),
})

/** How a token ends for each reason that there is: a new one does not compile without its end here. */
const ENDINGS: Readonly<Record<Reason, Ending>> = {
  expired: {
    settings: { lifetimeSeconds: 5 },
    end: async () => service.clock.advance(5000),
  },
  manual_revocation: { end: (_, token) => revoke(service, token) },
  bulk_revocation: { end: ({ agentId }) => asAdmin('POST', '/api/v1/revocations', { agent_id: agentId }) },
  agent_disabled: { end: ({ agentId }) => service.disableAgent(agentId) },
  agent_deleted: { end: ({ agentId }) => asAdmin('DELETE', `/api/v1/agents/${agentId}`) },
  credential_revoked: {
    end: ({ agentId }, token) =>
      asAdmin('POST', `/api/v1/agents/${agentId}/credentials/${String(claimsOf(token)['credential_id'])}/revoke`, {}),
  },
  secret_leaked: {
    end: ({ clientSecret }) => asAdmin('POST', '/api/v1/leaked-secrets', [{ token: clientSecret }]),
  },
  scope_removed: { end: ({ agentId }) => api.patch(agentId, { scope: 'mail:send', default_scope: null }) },
  agent_expired: {
    end: ({ agentId }) => api.patch(agentId, { expires_at: new Date(service.clock.wall()).toISOString() }),
  },
  audience_removed: {
    issue: own => issue(service, own, { resource: ORDERS }),
    end: ({ agentId }) => api.patch(agentId, { resources: ['https://else.example'] }),
  },
  actor_removed: {
    settings: { grantTypes: [CLIENT_CREDENTIALS, TOKEN_EXCHANGE], actsFor: ['*'], receives: [AUDIENCE] },
    issue: async actor => exchange(service, actor, await issue(service, agent)),
    end: ({ agentId }) => api.patch(agentId, { acts_for: [] }),
  },
  issuer_disabled: endsWithIssuer('acme', path => asAdmin('POST', `${path}/disable`, {})),
  issuer_deleted: endsWithIssuer('acme-two', path => asAdmin('DELETE', path)),
  subject_blocked: {
    issue: async own => {
      const [, principal] = principals
      assert.ok(principal)
      return forPrincipals.issueFor(service, own, principal)
    },
    end: () => asAdmin('POST', '/api/v1/issuers/acme/subjects/block', { sub: principals[1]?.shown.sub }),
  },
  ancestor_ended: {
    settings: { grantTypes: [CLIENT_CREDENTIALS, TOKEN_EXCHANGE] },
    issue: async own => {
      const parent = await issue(service, own)
      const child = await exchange(service, own, parent)
      await revoke(service, parent)
      return child
    },
    end: () => Promise.resolve(),
  },
  self_revocation: {
    end: ({ clientId, clientSecret }, token) =>
      postForm(service, '/oauth/revoke', { token, client_id: clientId, client_secret: clientSecret }),
  },
  key_compromise: { end: (_, token) => asAdmin('POST', `/api/v1/keys/${kidOf(token)}/compromise`, {}) },
  superseded: {
    end: async own => {
      await api.patch(own.agentId, { live_tokens_max: 1, at_live_tokens_max: 'supersede' })
      await issue(service, own)
    },
  },
  // No act of this version gives it: a store of another version may have it.
  undelivered: {
    end: (_, token) => ports.ledger.end({ id: idOf(token), lifetimeSeconds: 300 }, 'undelivered', act('token.revoke')),
  },
  // As a restore ends what was live in its backup.
  restored: { end: () => ports.ledger.endAll(NO_CONDITION, 'restored', act('store.restore')) },
}

test('every reason there is has an end here', () => {
  assert.deepEqual(Object.keys(ENDINGS).toSorted(), Object.keys(REASONS).toSorted())
})

for (const [reason, { settings, issue: make, end }] of Object.entries(ENDINGS)) {
  test(`a token that ended has its reason as code: ${reason}`, async () => {
    const own = await service.createAgent(settings)
    const token = await (make === undefined ? issue(service, own) : make(own))
    if (reason !== 'ancestor_ended') assert.equal(await codeOf(token), 'active')
    await end(own, token)
    assert.equal(await codeOf(token), reason)
    assert.equal((await explain(token)).token?.['termination_reason'], reason)
  })
}

test('a live token passes every check, each with what it looked at', async () => {
  const own = await service.createAgent()
  const token = await issue(service, own)
  const { code, active, explained_at, checks, token: shown } = await explain(token)
  assert.deepEqual([code, active], ['active', true])
  const { iat, exp, seq, credential_id } = claimsOf(token)
  const time = (ms: number): string => new Date(ms).toISOString()
  assert.equal(explained_at, time(service.clock.wall()))
  assert.equal(shown?.['issued_at'], time(1000 * Number(iat)))
  assert.deepEqual(
    checks.map(one => [one.check, one.outcome]),
    ['form', 'issuer', 'record', 'spelling', 'end', ...OF_AN_AGENT].map(check => [check, 'passed']),
  )
  const evidence = Object.fromEntries(checks.map(one => [one.check, one.evidence]))
  assert.deepEqual(evidence['issuer'], { issuer: service.baseUrl })
  assert.deepEqual(evidence['record'], { id: idOf(token) })
  assert.deepEqual(evidence['expiry'], { now: explained_at, expires_at: time(1000 * Number(exp)) })
  const { ended_seq: _, ...ofAgent } = evidence['agent'] ?? {}
  assert.deepEqual(ofAgent, { id: own.agentId, seq })
  assert.equal(evidence['credential']?.['id'], credential_id)
  assert.equal(evidence['signing_key']?.['id'], shown?.['kid'])
})

test('a recorded end is the last check, and shows the act', async () => {
  const token = await issue(service, agent)
  await revoke(service, token)
  const { checks } = readExplained(await askId(idOf(token)))
  assert.deepEqual(checks, [
    {
      check: 'end',
      outcome: 'failed',
      evidence: {
        act: {
          reason: 'manual_revocation',
          at: new Date(service.clock.wall()).toISOString(),
          by: { type: 'operator', iss: service.provider.issuer, sub: 'operator-1' },
          note: null,
          revocation_id: null,
        },
      },
    },
  ])
})

test('each ancestor is a check, and the dead one fails while the row of its descendant is still there', async () => {
  const own = await service.createAgent({ grantTypes: [CLIENT_CREDENTIALS, TOKEN_EXCHANGE] })
  const root = await issue(service, own)
  const child = await exchange(service, own, root)
  const grandchild = await exchange(service, own, child)
  const above = (await explain(grandchild)).checks.filter(({ check }) => check === 'ancestor')
  assert.deepEqual(
    above.map(({ outcome, evidence }) => [outcome, evidence]),
    [child, root].map((token, n) => ['passed', { id: idOf(token), distance: n + 1 }]),
  )
})

test('of an ancestor for other audiences a limited key sees the outcome, and neither its id nor its act', async () => {
  const actor = await service.createAgent({ grantTypes: [CLIENT_CREDENTIALS, TOKEN_EXCHANGE] })
  const parent = await issue(service, actor, { resource: ORDERS })
  const child = await exchange(service, actor, parent)
  const [above] = readExplained(await askId(idOf(child), narrow.key)).checks.filter(({ check }) => check === 'ancestor')
  assert.deepEqual(above?.evidence, { id: null, distance: 1 })
  const end = act('token.revoke', 'confidential')
  await ports.ledger.end({ id: idOf(parent), lifetimeSeconds: 300 }, 'manual_revocation', end)
  const ended = await askId(idOf(child), narrow.key)
  assert.equal(readExplained(ended).code, 'ancestor_ended')
  assert.ok(!ended.text.includes('confidential'), ended.text)
  assert.ok(!ended.text.includes(idOf(parent)), ended.text)
  assert.match((await askId(idOf(child))).text, /confidential/)
})
