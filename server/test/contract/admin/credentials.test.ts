// Credentials over HTTP: made, rotated with a grace, revoked, and what each of that does to tokens and to who asks.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { admin, call, type Headers } from '../../../../testkit/callers/administration.ts'
import {
  type Answer,
  assertError,
  assertPlainHeaders,
  assertProblem,
  askToken,
  get,
  introspect,
  issue,
} from '../../../../testkit/callers/requests.ts'
import { readRows } from '../../../../testkit/stores/store-file.ts'
import type { AgentOfTest } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const REFUSED =
  'Client authentication failed: send client_id and client_secret of an enabled agent, in the form or by HTTP Basic.'
const SECRET = /^mmc_[0-9A-Za-z]{49}$/
const DAY = 86_400
const GRACE = `grace_seconds is not a whole number of seconds from 0 to ${30 * DAY}.`

const service = useService()
const introspector = service.apiKey('tokens:introspect')
let headers: Headers
let agent: AgentOfTest
let all: string
let first: string

type Created = Readonly<Record<string, unknown>> & { readonly credential_id: string; readonly client_secret: string }

beforeEach(async () => {
  headers = await admin(service)
  agent = await service.createAgent()
  all = `/api/v1/agents/${agent.agentId}/credentials`
  const sql = 'select c.id from credential c join agent a on a.n = c.agent where a.id = ?'
  first = String(readRows(service.storeFile, sql, agent.agentId)[0]?.['id'])
})

const post = (path: string, body: unknown): Promise<Answer> => call(service, { method: 'POST', path, body }, headers)

const now = (): string => new Date(service.clock.wall()).toISOString()

const inMs = (ms: number): string => new Date(service.clock.wall() + ms).toISOString()

const create = async (body: object = { name: 'second' }): Promise<Created> => {
  const answer = await post(all, body)
  assert.equal(answer.status, 201, answer.text)
  return answer.json as Created
}

const withSecret = ({ client_secret }: Created): AgentOfTest => ({ ...agent, clientSecret: client_secret })

const isActive = async (token: string): Promise<unknown> =>
  ((await introspect(service, introspector.key, token)).json as { active: unknown }).active

const assertRefused = async (credential: AgentOfTest): Promise<void> =>
  assertError(await askToken(service, credential), 401, 'invalid_client', REFUSED)

test('creating one: 201 with Location, the record and the secret, which gets tokens beside the first one', async () => {
  const answer = await post(all, { name: 'second site', expires_at: inMs(DAY) })
  const { credential_id, client_secret, ...record } = answer.json as Created
  assert.deepEqual([answer.status, answer.headers['location']], [201, `${service.baseUrl}${all}/${credential_id}`])
  assertPlainHeaders(answer)
  assert.match(client_secret, SECRET)
  assert.deepEqual(record, {
    agent_id: agent.agentId,
    name: 'second site',
    kind: 'client_secret',
    created_at: now(),
    expires_at: inMs(DAY),
    last_used_at: null,
    revoked_at: null,
    suspended_at: null,
    managed_by: null,
    live_tokens: { count: 0, exact: true },
  })
  await issue(service, { ...agent, clientSecret: client_secret })
  await issue(service, agent)
})

test('showing one: the record with its tokens and its last use, and never the secret again', async () => {
  const created = await create()
  await issue(service, withSecret(created))
  const answer = await get(service, `${all}/${created.credential_id}`, headers)
  const { client_secret, ...record } = created
  assert.equal(answer.status, 200)
  assert.deepEqual(answer.json, { ...record, last_used_at: now(), live_tokens: { count: 1, exact: true } })
  assert.ok(!service.log().includes(client_secret))
})

test('a body that is not as it must be is 400, names the member, and makes nothing', async () => {
  const mistakes: readonly (readonly [unknown, string])[] = [
    [{}, 'name is missing, or is not of the type string.'],
    [{ name: '' }, 'name is not 1 to 100 printable characters without spaces around them.'],
    [{ name: 'x'.repeat(101) }, 'name is not 1 to 100 printable characters without spaces around them.'],
    [{ name: 'x', expires_at: 5 }, 'expires_at is missing, or is not of the type string.'],
    [{ name: 'x', expires_at: 'soon' }, 'expires_at is not an RFC 3339 time such as 2026-11-21T09:30:05Z.'],
    [{ name: 'x', expires_at: now() }, 'The expiry is not in the future.'],
    [{ name: 'x', secret: 'mine' }, 'The body has a member that this operation does not know: secret.'],
    [[], 'The body is missing, or is not of the type object.'],
  ]
  for (const [body, description] of mistakes) assertProblem(await post(all, body), 400, 'invalid_request', description)
  const graces: readonly (readonly [unknown, string])[] = [
    [{}, GRACE],
    [{ grace_seconds: '5' }, GRACE],
    ...[-1, 0.5, 30 * DAY + 1].map(grace_seconds => [{ grace_seconds }, GRACE] as const),
  ]
  for (const [body, description] of graces) {
    assertProblem(await post(`${all}/${first}/rotate`, body), 400, 'invalid_request', description)
  }
  const revocations: readonly (readonly [unknown, string])[] = [
    [{ reason: 'expired' }, 'reason is not one of credential_revoked, secret_leaked.'],
    [{ keep_tokens: 'yes' }, 'keep_tokens is missing, or is not of the type boolean.'],
    [{ note: '' }, 'note is not 1 to 500 printable characters without spaces around them.'],
    [
      { note: 'a\nb' },
      'note is not 1 to 500 printable characters without spaces around them: character 2 is U+000A, which cannot be seen.',
    ],
    [{ note: 'x'.repeat(501) }, 'note is not 1 to 500 printable characters without spaces around them.'],
  ]
  for (const [body, description] of revocations) {
    assertProblem(await post(`${all}/${first}/revoke`, body), 400, 'invalid_request', description)
  }
  const { json } = await get(service, all, headers)
  assert.equal((json as { data: unknown[] }).data.length, 1)
  assert.equal((await post(`${all}/${first}/rotate`, { grace_seconds: 30 * DAY })).status, 201)
  assert.equal((await post(`${all}/${first}/revoke`, { note: 'x'.repeat(500) })).status, 200)
})

test('an eleventh live credential is refused with what to do', async () => {
  for (let n = 2; n <= 10; n += 1) await create({ name: 'x'.repeat(100) })
  const description = 'The agent has 10 live credentials, the most there can be; revoke one first.'
  assertProblem(await post(all, { name: 'one more' }), 400, 'invalid_request', description)
  assertProblem(await post(`${all}/${first}/rotate`, { grace_seconds: 1 }), 400, 'invalid_request', description)
  assert.equal((await post(`${all}/${first}/rotate`, { grace_seconds: 0 })).status, 201)
})

test('one that expires gets a token until the millisecond before, and then the refusal of a wrong secret', async () => {
  const credential = withSecret(await create({ name: 'short', expires_at: inMs(2000) }))
  service.clock.advance(1999)
  const token = await issue(service, credential)
  service.clock.advance(1)
  await assertRefused(credential)
  assert.equal(await isActive(token), true)
  await issue(service, agent)
})

test('rotating: 201 with the new one; the old one is taken for the grace, and no token ends', async () => {
  const token = await issue(service, agent)
  const answer = await post(`${all}/${first}/rotate`, { grace_seconds: 60, expires_at: inMs(DAY) })
  const rotated = answer.json as Created
  const at = `${service.baseUrl}${all}/${rotated.credential_id}`
  assert.deepEqual([answer.status, answer.headers['location']], [201, at])
  assert.match(rotated.client_secret, SECRET)
  assert.deepEqual([rotated['name'], rotated['expires_at']], ['first', inMs(DAY)])
  assert.deepEqual(rotated['replaces'], { credential_id: first, expires_at: inMs(60_000) })
  service.clock.advance(59_999)
  await issue(service, agent)
  await issue(service, withSecret(rotated))
  service.clock.advance(1)
  await assertRefused(agent)
  assert.equal(await isActive(token), true)
  headers = await admin(service)
  const description = 'The credential is revoked or has expired: create another instead.'
  assertProblem(await post(`${all}/${first}/rotate`, { grace_seconds: 0 }), 400, 'invalid_request', description)
})

test('revoking: no token from then on, and those that it got end with the reason given; others live', async () => {
  const second = await create()
  const [own, other] = [await issue(service, withSecret(second)), await issue(service, agent)]
  const path = `${all}/${second.credential_id}/revoke`
  const answer = await post(path, { reason: 'secret_leaked', note: 'seen in a log' })
  assert.equal(answer.status, 200)
  const { client_secret: _secret, ...record } = second
  assert.deepEqual(answer.json, { ...record, last_used_at: now(), revoked_at: now() })
  await assertRefused(withSecret(second))
  assert.deepEqual([await isActive(own), await isActive(other)], [false, true])
  const history = await get(service, `/api/v1/tokens/history?agent_id=${agent.agentId}`, headers)
  const [ended] = (history.json as { data: Readonly<Record<string, unknown>>[] }).data
  assert.deepEqual(
    [ended?.['termination_reason'], ended?.['note'], ended?.['credential_id']],
    ['secret_leaked', 'seen in a log', second.credential_id],
  )
  service.clock.advance(1000)
  assert.deepEqual((await post(path, {})).json, answer.json)
})

test('revoking with keep_tokens leaves them; revoking again without it ends them as credential_revoked', async () => {
  const token = await issue(service, agent)
  const path = `${all}/${first}/revoke`
  const kept = await post(path, { keep_tokens: true })
  assert.deepEqual((kept.json as { live_tokens: unknown }).live_tokens, { count: 1, exact: true })
  await assertRefused(agent)
  assert.equal(await isActive(token), true)
  await post(path, {})
  assert.equal(await isActive(token), false)
  const query = `agent_id=${agent.agentId}&termination_reason=credential_revoked`
  const { json } = await get(service, `/api/v1/tokens/history?${query}`, headers)
  assert.equal((json as { data: unknown[] }).data.length, 1)
})

test('the list: oldest first, in pages by Link and cursor; a cursor of another agent is 400, as is an unknown parameter', async () => {
  const ids = [first, (await create()).credential_id, (await create()).credential_id]
  const seen: unknown[] = []
  let next: string | undefined = `${all}?limit=2`
  while (next !== undefined) {
    const answer: Answer = await get(service, next, headers)
    const { data, next_cursor } = answer.json as { data: { credential_id: string }[]; next_cursor: string | null }
    seen.push(data.map(({ credential_id }) => credential_id))
    const link = /^<([^>]+)>; rel="next"$/.exec(answer.headers['link'] ?? '')?.[1]
    assert.equal(link, next_cursor === null ? undefined : `${service.baseUrl}${all}?limit=2&cursor=${next_cursor}`)
    next = link?.slice(service.baseUrl.length)
  }
  assert.deepEqual(seen, [ids.slice(0, 2), ids.slice(2)])
  const { json } = await get(service, `${all}?limit=1`, headers)
  const { next_cursor } = json as { next_cursor: string }
  const other = `/api/v1/agents/${(await service.createAgent()).agentId}/credentials`
  const description = 'cursor: not one of this list with these filters. Start again without it.'
  for (const path of [`${other}?cursor=${next_cursor}`, `${all}?cursor=x`]) {
    assertProblem(await get(service, path, headers), 400, 'invalid_request', description)
  }
  const unknown = await get(service, `${all}?names=x`, headers)
  assertProblem(unknown, 400, 'invalid_request', 'names is not a parameter of this operation.')
})

test('what is not there is named: the agent, or the credential of this agent', async () => {
  const [other, unknown] = [(await service.createAgent()).agentId, randomUUID()]
  const reported = [
    [`${agent.agentId}/credentials/nonsense`, `No credential of an agent ${agent.agentId} has the id nonsense.`],
    [`${agent.agentId}/credentials/${unknown}`, `No credential of an agent ${agent.agentId} has the id ${unknown}.`],
    [`${other}/credentials/${first}`, `No credential of an agent ${other} has the id ${first}.`],
    [`${unknown}/credentials`, `No agent has the id ${unknown}.`],
    ['nonsense/credentials', 'No agent has this id: it is no UUID.'],
  ] as const
  for (const [path, description] of reported) {
    assertProblem(await get(service, `/api/v1/agents/${path}`, headers), 404, 'not_found', description)
  }
})

test('each act stands in the audit by its kind and who did it, and no secret with it', async () => {
  const { credential_id, client_secret } = await create()
  await call(service, { method: 'POST', path: `${all}/${credential_id}/rotate`, body: { grace_seconds: 5 } }, headers)
  await post(`${all}/${credential_id}/revoke`, {})
  const rows = readRows(
    service.storeFile,
    'select kind, actor, detail from audit where subject = ? order by n',
    credential_id,
  )
  assert.deepEqual(
    rows.map(({ kind }) => kind),
    ['credential.create', 'credential.rotate', 'credential.revoke'],
  )
  for (const { actor } of rows) assert.equal((JSON.parse(String(actor)) as { type: string }).type, 'operator')
  assert.ok(!JSON.stringify(rows).includes(client_secret))
})
