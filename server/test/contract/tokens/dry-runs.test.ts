// Dry runs over HTTP: each operation that ends tokens counts them with `dry_run`, refuses what it would refuse, and does nothing.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { admin, call, type Headers } from '../../../../testkit/callers/administration.ts'
import {
  type Answer,
  assertPlainHeaders,
  assertProblem,
  get,
  introspect,
  issue,
} from '../../../../testkit/callers/requests.ts'
import { TOKEN_EXCHANGE } from '../../../../api/values/delegation.ts'
import { exchange } from '../../../../testkit/callers/exchanges.ts'
import { readRows } from '../../../../testkit/stores/store-file.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const [OURS, THEIRS] = ['https://ours.example', 'https://theirs.example'] as const

const service = useService()
const introspector = service.apiKey('tokens:introspect')
let headers: Headers
let agentId: string
let tokens: readonly string[]
let acts: readonly (readonly [method: string, path: string, body: object | undefined, reason: string])[]

beforeEach(async () => {
  headers = await admin(service)
  const agent = await service.createAgent({ scope: 'db:*' })
  agentId = agent.agentId
  tokens = [await issue(service, agent, { resource: OURS }), await issue(service, agent, { resource: THEIRS })]
  const sql = 'select c.id from credential c join agent a on a.n = c.agent where a.id = ?'
  const credential = String(readRows(service.storeFile, sql, agentId)[0]?.['id'])
  const path = `/api/v1/agents/${agentId}`
  acts = [
    ['PATCH', path, { scope: 'db:write', default_scope: null, dry_run: true }, 'scope_removed'],
    ['POST', `${path}/disable`, { dry_run: true, note: 'tried' }, 'agent_disabled'],
    ['DELETE', `${path}?dry_run=true`, undefined, 'agent_deleted'],
    ['POST', `${path}/credentials/${credential}/revoke`, { reason: 'secret_leaked', dry_run: true }, 'secret_leaked'],
  ]
})

const counted = (count: number, ...reasons: readonly string[]) => ({
  dry_run: true,
  ends: { tokens: count, descendants: 0, descendant_agents: [] as readonly object[], exact: true, reasons },
})

const assertCounted = (answer: Answer, expected: object): void => {
  assert.deepEqual([answer.status, answer.json], [200, expected], answer.text)
  assertPlainHeaders(answer)
}

const isActive = async (token: string): Promise<unknown> =>
  ((await introspect(service, introspector.key, token)).json as { active: unknown }).active

const countAudit = (): number => Number(readRows(service.storeFile, 'select count(*) as n from audit')[0]?.['n'])

test('with dry_run a change, a disabling, a deletion and a revocation count what would end, and do nothing', async () => {
  const [shown, audited] = [await get(service, `/api/v1/agents/${agentId}`, headers), countAudit()]
  for (const [method, path, body, reason] of acts)
    assertCounted(await call(service, { method, path, body }, headers), counted(2, reason))
  assert.deepEqual((await get(service, `/api/v1/agents/${agentId}`, headers)).json, shown.json)
  assert.equal(countAudit(), audited)
  for (const token of tokens) assert.equal(await isActive(token), true)
})

test('with dry_run the agents are named that hold what was got for the tokens that would end', async () => {
  const acting = { grantTypes: [TOKEN_EXCHANGE], actsFor: ['*'], receives: [OURS] } as const
  const [relay, other] = [await service.createAgent(acting), await service.createAgent(acting)]
  for (const actor of [relay, other, relay]) await exchange(service, actor, tokens[0] ?? '')
  const nameOf = async (id: string): Promise<unknown> =>
    ((await get(service, `/api/v1/agents/${id}`, headers)).json as { name: unknown }).name
  const holders = [
    { agent_id: relay.agentId, name: await nameOf(relay.agentId), tokens: 2 },
    { agent_id: other.agentId, name: await nameOf(other.agentId), tokens: 1 },
  ]
  const { ends } = counted(2, 'agent_disabled')
  const path = `/api/v1/agents/${agentId}/disable`
  assertCounted(await call(service, { method: 'POST', path, body: { dry_run: true } }, headers), {
    dry_run: true,
    ends: { ...ends, descendants: 3, descendant_agents: holders },
  })
})

test('with dry_run the compromise of a signing key counts what it signed, and leaves it in the key set', async () => {
  const { keys } = (await get(service, '/.well-known/jwks.json')).json as { keys: readonly { kid: string }[] }
  const path = `/api/v1/keys/${encodeURIComponent(keys[0]?.kid ?? '')}/compromise`
  const answer = await call(service, { method: 'POST', path, body: { dry_run: true } }, headers)
  const { ends } = answer.json as ReturnType<typeof counted>
  assertCounted(answer, counted(ends.tokens, 'key_compromise'))
  assert.ok(ends.tokens >= 2)
  assert.deepEqual((await get(service, '/.well-known/jwks.json')).json, { keys })
})

test('what takes nothing away counts nothing and has no reason, and false is no dry run', async () => {
  const path = `/api/v1/agents/${agentId}`
  const wider = { scope: 'db:* files:read', dry_run: true }
  assertCounted(await call(service, { method: 'PATCH', path, body: wider }, headers), counted(0))
  const disabled = await call(service, { method: 'POST', path: `${path}/disable`, body: { dry_run: false } }, headers)
  assert.notEqual((disabled.json as { disabled_at: unknown }).disabled_at, null)
  const again = { method: 'POST', path: `${path}/disable`, body: { dry_run: true } }
  assertCounted(await call(service, again, headers), counted(0))
})

test('a dry run is refused as the act is: by its body, by its thing and by its caller', async () => {
  for (const [method, path, body] of acts) {
    const unknown = path.replace(agentId, '6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10')
    assert.equal((await call(service, { method, path: unknown, body }, headers)).status, 404, path)
    assert.equal((await call(service, { method, path, body })).status, 401, path)
  }
  const path = `/api/v1/agents/${agentId}`
  const { name } = (await get(service, `/api/v1/agents/${(await service.createAgent()).agentId}`, headers)).json as {
    name: string
  }
  const refusals = [
    [{ name, dry_run: true }, 409],
    [{ default_scope: 'mail:read', dry_run: true }, 400],
    [{ dry_run: 'yes' }, 400],
  ] as const
  for (const [body, status] of refusals)
    assert.equal((await call(service, { method: 'PATCH', path, body }, headers)).status, status)
})

test('an act refuses a query where it reads its body alone, and a body where it reads its query: neither passes over a dry run', async () => {
  for (const [method, path, body] of acts) {
    const [bare, isDeletion] = [path.replace('?dry_run=true', ''), body === undefined]
    const { dry_run: _asked, ...act } = { dry_run: true, ...body }
    const misplaced = isDeletion ? { path: bare, body: { dry_run: true } } : { path: `${bare}?dry_run=true`, body: act }
    const detail = isDeletion
      ? 'The body has a member that this operation does not know: dry_run.'
      : 'dry_run is not a parameter of this operation.'
    // Node sends the body of a DELETE without a length unless it is given.
    const sent = { ...headers, 'content-length': String(JSON.stringify(misplaced.body).length) }
    assertProblem(await call(service, { method, ...misplaced }, sent), 400, 'invalid_request', detail)
  }
  for (const token of tokens) assert.equal(await isActive(token), true)
  const gone = { method: 'DELETE', path: `/api/v1/agents/${agentId}`, body: {} }
  assert.equal((await call(service, gone, { ...headers, 'content-length': '2' })).status, 204)
})
