// GET /api/v1/tokens/history: the ended tokens, over HTTP. What each filter finds is the store's own test.
import { lineageOfRoot } from '../../../../testkit/services/lineage-members.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Answer,
  assertProblem,
  claimsOf,
  get,
  issue,
  postForm,
  postJson,
  revoke,
  send,
} from '../../../../testkit/callers/requests.ts'
import { type AgentOfTest, AUDIENCE } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const PATH = '/api/v1/tokens/history'

type Page = { readonly data: readonly Record<string, unknown>[]; readonly next_cursor: string | null }

const service = useService()
const reader = service.apiKey('tokens:read')
const revoker = service.apiKey('tokens:revoke')

const list = (query: string): Promise<Answer> => get(service, `${PATH}?${query}`, { 'x-api-key': reader.key })

const pageOf = async (query: string): Promise<Page> => {
  const answer = await list(query)
  assert.equal(answer.status, 200, answer.text)
  return answer.json as Page
}

const idOf = (token: string): unknown => claimsOf(token)['jti']

const timeOf = (ms: number): string => new Date(ms).toISOString()

/** One token of each way to end, at times of their own; the oldest end first. */
const endTokens = async (agent: AgentOfTest): Promise<Record<string, string>> => {
  const [manual, own, expired] = [
    await issue(service, agent, { scope: 'db:write' }),
    await issue(service, agent),
    await issue(service, agent),
  ]
  service.clock.advance(1500)
  await revoke(service, manual)
  service.clock.advance(1500)
  const { clientId, clientSecret } = agent
  await postForm(service, '/oauth/revoke', { token: own, client_id: clientId, client_secret: clientSecret })
  service.clock.advance(1000 * Number(claimsOf(expired)['exp']) - service.clock.wall())
  const disabled = await issue(service, agent)
  service.clock.advance(250)
  await service.disableAgent(agent.agentId)
  return { manual, own, expired, disabled }
}

test('history: the ended ones by end, newest first, also those that merely expired a moment ago', async () => {
  const agent = await service.createAgent({ lifetimeSeconds: 60 })
  const { manual = '', own = '', expired = '', disabled = '' } = await endTokens(agent)
  const { data, next_cursor } = await pageOf(`agent_id=${agent.agentId}`)
  assert.equal(next_cursor, null)
  assert.deepEqual(
    data.map(({ id, termination_reason, note }) => [id, termination_reason, note]),
    [
      [idOf(disabled), 'agent_disabled', null],
      [idOf(expired), 'expired', null],
      [idOf(own), 'self_revocation', null],
      [idOf(manual), 'manual_revocation', null],
    ],
  )
  assert.deepEqual(
    data.map(({ ended_by }) => ended_by),
    [
      { type: 'cli', id: 'tester' },
      null,
      { type: 'client', id: agent.clientId },
      { type: 'operator', iss: service.provider.issuer, sub: 'operator-1' },
    ],
  )
})

test('a record adds ended_at (for expired it is exp), termination_reason, ended_by, note and revocation_id', async () => {
  const agent = await service.createAgent({ lifetimeSeconds: 60 })
  const token = await issue(service, agent)
  const { iat, exp } = claimsOf(token)
  service.clock.advance(60_000)
  const { data } = await pageOf(`agent_id=${agent.agentId}`)
  const [{ credential_id, kid, ...rest } = {}] = data
  assert.ok(typeof credential_id === 'string' && typeof kid === 'string')
  assert.deepEqual(rest, {
    id: idOf(token),
    agent_id: agent.agentId,
    client_id: agent.clientId,
    scope: 'db:read',
    audience: [AUDIENCE],
    ...lineageOfRoot(idOf(token), agent.agentId),
    issued_at: timeOf(1000 * Number(iat)),
    expires_at: timeOf(1000 * Number(exp)),
    ended_at: timeOf(1000 * Number(exp)),
    termination_reason: 'expired',
    ended_by: null,
    note: null,
    revocation_id: null,
    ancestor_id: null,
  })
})

test('ended_at is a time in RFC 3339 to the millisecond', async () => {
  const agent = await service.createAgent()
  const token = await issue(service, agent)
  service.clock.advance(1000 - (service.clock.wall() % 1000) + 7)
  await revoke(service, token)
  const [record] = (await pageOf(`agent_id=${agent.agentId}`)).data
  assert.match(String(record?.['ended_at']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.007Z$/)
})

test('filters: termination_reason (a comma list), ended_after (inclusive), ended_before (exclusive)', async () => {
  const agent = await service.createAgent({ lifetimeSeconds: 60 })
  const { manual = '', own = '', expired = '', disabled = '' } = await endTokens(agent)
  const idsOf = async (query: string): Promise<readonly unknown[]> =>
    (await pageOf(`agent_id=${agent.agentId}&${query}`)).data.map(({ id }) => id)
  const end = 1000 * Number(claimsOf(expired)['exp'])
  assert.deepEqual(await idsOf('termination_reason=manual_revocation'), [idOf(manual)])
  assert.deepEqual(await idsOf('termination_reason=manual_revocation,expired'), [idOf(expired), idOf(manual)])
  assert.deepEqual(await idsOf(`ended_after=${timeOf(end)}`), [idOf(disabled), idOf(expired)])
  assert.deepEqual(await idsOf(`ended_before=${timeOf(end)}`), [idOf(own), idOf(manual)])
  assert.deepEqual(await idsOf('scope=db:write'), [idOf(manual)])
  assert.deepEqual(await idsOf('termination_reason=manual_revocation&scope=db:read'), [])
  assert.deepEqual((await pageOf(`client_id=${agent.clientId}`)).data.length, 4)
})

test('ended_by finds what a client, an operator, a user at the terminal or the service ended, and nothing that expired', async () => {
  const idsOf = async (by: string) => (await pageOf(`ended_by=${encodeURIComponent(by)}`)).data.map(({ id }) => id)
  const agent = await service.createAgent({ lifetimeSeconds: 60 })
  const { manual = '', own = '', disabled = '' } = await endTokens(agent)
  assert.deepEqual(await idsOf(agent.clientId), [idOf(own)])
  assert.ok((await idsOf('operator-1')).includes(idOf(manual)))
  assert.ok((await idsOf('tester')).includes(idOf(disabled)))
  assert.deepEqual(await idsOf('nobody'), [])
  const superseding = await service.createAgent({ liveTokensMax: 1, atLiveTokensMax: 'supersede' })
  const superseded = await issue(service, superseding)
  await issue(service, superseding)
  assert.deepEqual(await idsOf('system'), [idOf(superseded)])
  for (const wrong of ['x'.repeat(513), '%00', '']) assert.equal((await list(`ended_by=${wrong}`)).status, 400)
})

test('revocation_id finds what a revocation of many ended, and nothing else of that instant', async () => {
  const agent = await service.createAgent()
  const [covered, other] = [await issue(service, agent), await issue(service, agent, { scope: 'db:write' })]
  const body = { agent_id: agent.agentId, scope: 'db:read' }
  const made = await postJson(service, '/api/v1/revocations', body, { 'x-api-key': revoker.key })
  assert.equal(made.status, 201, made.text)
  await revoke(service, other)
  const { id } = made.json as { id: string }
  const { data } = await pageOf(`revocation_id=${id.toUpperCase()}`)
  assert.deepEqual(
    data.map(one => [one['id'], one['revocation_id']]),
    [[idOf(covered), id]],
  )
  assert.deepEqual((await pageOf(`revocation_id=${id}&termination_reason=expired`)).data, [])
  assert.deepEqual((await pageOf(`revocation_id=${agent.agentId}`)).data, [])
  assertProblem(await list('revocation_id=none'), 400, 'invalid_request', 'revocation_id is not a UUID.')
  const live = await get(service, `/api/v1/tokens?revocation_id=${id}`, { 'x-api-key': reader.key })
  assert.equal(live.status, 400)
})

test('a well-formed value that matches nothing is 200 with an empty page', async () => {
  // The set of reasons is open: a name that only another version knows is well-formed, and no token here has it.
  for (const query of ['termination_reason=secret_leaked', 'scope=no:such']) {
    assert.deepEqual(await pageOf(query), { data: [], next_cursor: null })
  }
})

test('a reason that is not known is named beside the records, so that an empty page is no false "nobody did"', async () => {
  const asked = 'termination_reason=of_another_version,secret_leaked,manual_revocatio'
  const unknown = ['manual_revocatio', 'of_another_version']
  assert.deepEqual(await pageOf(asked), { data: [], next_cursor: null, unknown })
})

test('keyset paging: Link rel="next" leads through every record once, by end', async () => {
  const agent = await service.createAgent({ lifetimeSeconds: 60 })
  const { manual = '', own = '', expired = '', disabled = '' } = await endTokens(agent)
  const seen: unknown[] = []
  let next: string | undefined = `${PATH}?agent_id=${agent.agentId}&limit=1`
  while (next !== undefined) {
    const answer: Answer = await get(service, next, { 'x-api-key': reader.key })
    seen.push(...(answer.json as Page).data.map(({ id }) => id))
    next = /^<([^>]+)>; rel="next"$/.exec(answer.headers['link'] ?? '')?.[1]?.replace(service.baseUrl, '')
  }
  assert.deepEqual(seen, [disabled, expired, own, manual].map(idOf))
})

test('a cursor of this list is refused by the other: 400', async () => {
  const { next_cursor: cursor } = await pageOf('limit=1')
  assert.ok(cursor !== null)
  const answer = await get(service, `/api/v1/tokens?cursor=${cursor}`, { 'x-api-key': reader.key })
  const description = 'cursor: not one of this list with these filters. Start again without it.'
  assertProblem(answer, 400, 'invalid_request', description)
})

const ONE = 'https://one.example'

test('an API key limited to audiences sees only its own, on every page', async () => {
  const agent = await service.createAgent()
  const headers = { 'x-api-key': (await service.createApiKey('tokens:read', [ONE])).key }
  const own: string[] = []
  for (let n = 0; n < 3; n += 1) {
    service.clock.advance(1000)
    own.unshift(await issue(service, agent, { resource: ONE }))
    const other = await issue(service, agent, { resource: 'https://two.example' })
    await revoke(service, own[0] ?? '')
    service.clock.advance(1000)
    await revoke(service, other)
  }
  const seen: unknown[] = []
  let pages = 0
  let cursor: string | null = ''
  while (cursor !== null) {
    const rest: string = cursor === '' ? '' : `&cursor=${cursor}`
    const answer = await get(service, `${PATH}?agent_id=${agent.agentId}&limit=1${rest}`, headers)
    assert.equal(answer.status, 200, answer.text)
    const page = answer.json as Page
    seen.push(...page.data.map(({ id }) => id))
    pages += 1
    cursor = page.next_cursor
  }
  assert.deepEqual([seen, pages], [own.map(idOf), 3])
})

test('a cursor is bound to the audiences of its reader: 400 for a reader of others', async () => {
  const agent = await service.createAgent()
  for (let n = 0; n < 2; n += 1) await revoke(service, await issue(service, agent, { resource: ONE }))
  const limited = (await service.createApiKey('tokens:read', [ONE])).key
  const ask = (key: string, cursor: string) =>
    get(service, `${PATH}?agent_id=${agent.agentId}&limit=1${cursor}`, { 'x-api-key': key })
  const cursorOf = async (key: string): Promise<string> => {
    const { next_cursor: cursor } = (await ask(key, '')).json as Page
    assert.ok(cursor !== null)
    return `&cursor=${cursor}`
  }
  const description = 'cursor: not one of this list with these filters. Start again without it.'
  for (const [own, other] of [[reader.key, limited] as const, [limited, reader.key] as const]) {
    const cursor = await cursorOf(own)
    assertProblem(await ask(other, cursor), 400, 'invalid_request', description)
    assert.equal((await ask(own, cursor)).status, 200)
  }
})

test('never open: without a credential 401 with challenges ApiKey and Bearer', async () => {
  const answer = await get(service, `${PATH}?limit=0`)
  const description = 'Send an API key in X-API-Key, or a JWT of the identity provider as a Bearer token.'
  assertProblem(answer, 401, 'invalid_client', description)
  assert.deepEqual(answer.challenges, [`ApiKey realm="${service.baseUrl}"`, `Bearer realm="${service.baseUrl}"`])
})

test('HEAD as GET', async () => {
  const answer = await send(service, { method: 'HEAD', path: PATH, headers: { 'x-api-key': reader.key } })
  assert.deepEqual([answer.status, answer.text], [200, ''])
})
