// What an agent may exchange (grant_types, acts_for, receives) over HTTP: how it is set and shown, its bounds, and its audit.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AgentsApi, type Body, makeAgentsApi } from '../../../../testkit/callers/agents-api.ts'
import { assertProblem, get } from '../../../../testkit/callers/requests.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ID = '6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10'
const NONE = { grant_types: ['client_credentials'], acts_for: [], receives: [] }
const ALL = {
  grant_types: ['client_credentials', EXCHANGE],
  acts_for: [ID, 'label:team=data and more', 'label:a.b/c=x=y', '*'],
  receives: ['https://a.example', 'urn:example:orders'],
}

const service = useService()
let api: AgentsApi

service.before(async () => {
  api = await makeAgentsApi(service)
})

const settingsIn = (record: Body): Body => Object.fromEntries(Object.keys(NONE).map(name => [name, record[name]]))

test('they are set at creation and by a change, shown and listed; a new agent may exchange nothing', async () => {
  const plain = await api.create()
  assert.deepEqual(settingsIn(plain.record), NONE)
  const { agentId, record } = await api.create(ALL)
  assert.deepEqual(settingsIn(record), ALL)
  assert.deepEqual(await api.show(agentId), record)
  const list = await get(service, `/api/v1/agents?q=${agentId}`, api.reader)
  assert.deepEqual((list.json as { data: readonly Body[] }).data[0], record)
  assert.deepEqual(await api.patch(plain.agentId, ALL), { ...plain.record, ...ALL })
  assert.deepEqual(await api.patch(agentId, { receives: [] }), { ...record, receives: [] })
  assert.deepEqual(await api.patch(agentId, NONE), { ...record, ...NONE })
})

test('an entry counts once, and grants stand in one order', async () => {
  const twice = {
    grant_types: [EXCHANGE, 'client_credentials', EXCHANGE],
    acts_for: ['*', '*'],
    receives: ['a:b', 'a:b'],
  }
  const { record } = await api.create(twice)
  assert.deepEqual(settingsIn(record), { ...ALL, acts_for: ['*'], receives: ['a:b'] })
})

test('the audit has what they were before a change and after, and the number of the act that ended what was got so', async () => {
  const { agentId } = await api.create(ALL)
  await api.patch(agentId, { acts_for: ['*'] })
  await api.patch(agentId, { acts_for: [] })
  const reader = { 'x-api-key': (await service.createApiKey('audit:read')).key }
  const { json } = await get(service, `/api/v1/audit?subject=${agentId}`, reader)
  const [narrowed, widened] = (json as { data: readonly { detail: Body }[] }).data.map(({ detail }) => detail)
  const { ended, ...difference } = narrowed ?? {}
  assert.deepEqual(difference, { before: { acts_for: ['*'] }, after: { acts_for: [] } })
  assert.deepEqual(Object.keys(ended as object), ['actor_removed'])
  const { seq, ...wider } = widened ?? {}
  assert.deepEqual([typeof seq, wider], ['number', { before: { acts_for: ALL.acts_for }, after: { acts_for: ['*'] } }])
})

const many = (count: number, entryOf: (n: number) => string): readonly string[] =>
  Array.from({ length: count }, (_, n) => entryOf(n))

const GRANTS = `grant_types is not one or more of client_credentials, ${EXCHANGE}, urn:ietf:params:oauth:grant-type:jwt-bearer.`
const ENTRY = 'acts_for has one that is not the id of an agent, label:key=value, issuer:ALIAS, issuer:ALIAS:SUB, or *.'
const URI = 'receives has one that is not an absolute URI without a fragment.'

const labels = (count: number): readonly string[] => many(count, n => `label:n=${n}`)
const uris = (count: number): readonly string[] => many(count, n => `https://${n}.example`)

const REFUSED: readonly (readonly [Body, string, string])[] = [
  [{ grant_types: [] }, 'invalid_request', GRANTS],
  [{ grant_types: ['client_credentials', 'password'] }, 'invalid_request', GRANTS],
  ...[
    '',
    'team=data',
    'label:',
    'label:team',
    'label:=x',
    'label:team=',
    'label:team= x',
    ID.toUpperCase(),
    '**',
    'label:a\u0000=b',
  ].map(entry => [{ acts_for: [ID, entry] }, 'invalid_request', ENTRY] as const),
  ...['*', '', 'a', '/a', 'https://a.example#b', 'https://', 'https://a.example\u0000'].map(
    uri => [{ receives: [uri] }, 'invalid_target', URI] as const,
  ),
  [{ acts_for: labels(65) }, 'invalid_request', 'acts_for has more than 64 entries.'],
  [{ receives: uris(65) }, 'invalid_target', 'receives has more than 64 entries.'],
]

test('whatever is none of them is refused, at creation and by a change, and changes nothing', async () => {
  const { agentId, record } = await api.create(ALL)
  for (const [body, error, description] of REFUSED) {
    assertProblem(await api.act('PATCH', `/${agentId}`, body), 400, error, description)
    const made = await api.act('POST', '', { name: api.newName(), scope: 'db:read', ...body })
    assertProblem(made, 400, error, description)
  }
  for (const body of [{ grant_types: null }, { acts_for: '*' }, { receives: null }]) {
    assert.equal((await api.act('PATCH', `/${agentId}`, body)).status, 400)
  }
  assert.deepEqual(await api.show(agentId), record)
})

test('64 entries are as many as it takes', async () => {
  const most = { acts_for: labels(64), receives: uris(64) }
  const { record } = await api.create(most)
  assert.deepEqual(settingsIn(record), { ...NONE, ...most })
})
