// Filters that both lists of tokens, their counts and their exports take alike. What each finds of many is the store's own test.
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
  sendJson,
} from '../../../../testkit/callers/requests.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

type Kept = Readonly<Record<string, unknown>>
type Page = { readonly data: readonly Kept[]; readonly next_cursor: string | null }

const TOKENS = '/api/v1/tokens'
const UNKNOWN = '0198d4c2-5d7c-4b7a-9c3e-1f2a3b4c5d6e'

const service = useService()
const reader = service.apiKey('tokens:read')
const writer = service.apiKey('agents:write')

const ask = (path: string, key = reader.key): Promise<Answer> => get(service, path, { 'x-api-key': key })

const idOf = (token: string): unknown => claimsOf(token)['jti']

const idsIn = (records: readonly Kept[]): readonly unknown[] => records.map(({ id }) => id)

/** The ids that a filter finds in a list, which its count and its export must find too. */
const found = async (list: 'tokens' | 'history', query: string, key = reader.key): Promise<readonly unknown[]> => {
  const path = list === 'tokens' ? TOKENS : `${TOKENS}/history`
  const [page, count, exported] = [
    await ask(`${path}?${query}`, key),
    await ask(`${path}/count?${query}`, key),
    await ask(`/api/v1/exports/${list}?${query}`, key),
  ]
  assert.equal(page.status, 200, page.text)
  const { data, next_cursor: next } = page.json as Page
  assert.equal(next, null)
  assert.deepEqual(count.json, { count: data.length, exact: true })
  const lines = exported.text.split('\n').filter(line => line !== '')
  assert.deepEqual(idsIn(lines.map(line => JSON.parse(line) as Kept)), idsIn(data))
  return idsIn(data)
}

/** In both lists: the token while it lives, and once it has ended. */
const assertFinds = async (query: string, token: string): Promise<void> => {
  assert.deepEqual(await found('tokens', query), [idOf(token)], query)
  await revoke(service, token)
  assert.deepEqual(await found('tokens', query), [], query)
  assert.deepEqual(await found('history', query), [idOf(token)], query)
}

test('credential_id: what was got with one credential of an agent, and not with another', async () => {
  const agent = await service.createAgent()
  await issue(service, agent)
  const path = `/api/v1/agents/${agent.agentId}/credentials`
  const made = await postJson(service, path, { name: 'second' }, { 'x-api-key': writer.key })
  const { credential_id: id, client_secret: secret } = made.json as Record<string, string>
  assert.equal(made.status, 201, made.text)
  const fields = { grant_type: 'client_credentials', client_id: agent.clientId, client_secret: String(secret) }
  const got = await postForm(service, '/oauth/token', { ...fields, scope: 'db:read' })
  const { access_token: token } = got.json as Record<string, string>
  await assertFinds(`credential_id=${String(id)}`, String(token))
  const other = await service.createAgent()
  assert.deepEqual(await found('history', `credential_id=${String(id)}&agent_id=${other.agentId}`), [])
})

test('audience: tokens for it among others, however its URI is spelled', async () => {
  const agent = await service.createAgent()
  const token = await issue(service, agent, { resource: 'https://one.example/a' })
  await issue(service, agent, { resource: 'https://one.example/b' })
  await assertFinds(`audience=${encodeURIComponent('HTTPS://One.example:443/a')}`, token)
})

test('kid: what one key signed, with every other filter', async () => {
  const agent = await service.createAgent()
  const token = await issue(service, agent)
  const { kid } = JSON.parse(Buffer.from(String(token.split('.')[0]), 'base64url').toString()) as { kid: string }
  await assertFinds(`kid=${kid}&agent_id=${agent.agentId}`, token)
})

test('an API key limited to audiences finds its own tokens alone, by whatever filter', async () => {
  const agent = await service.createAgent()
  const limited = (await service.createApiKey('tokens:read', ['https://ours.example'])).key
  const own = await issue(service, agent, { resource: 'https://ours.example' })
  await issue(service, agent, { resource: 'https://theirs.example' })
  const record = (await ask(`${TOKENS}/${String(idOf(own))}`)).json as Kept
  const query = `credential_id=${String(record['credential_id'])}`
  assert.equal((await found('tokens', query)).length, 2)
  assert.deepEqual(await found('tokens', query, limited), [idOf(own)])
  assert.deepEqual(await found('tokens', 'audience=https://theirs.example', limited), [])
})

const MARKED: readonly (readonly [marks: object, query: string])[] = [
  [{ owner: 'Grace' }, 'owner=Grace'],
  [{ labels: { team: 'data', env: 'live' } }, 'label=team=data&label=env=live'],
  [{ name: 'harvest' }, 'agent_name=harvest'],
  [{ owner: 'Linus', labels: { of: 'both' } }, 'owner=Linus&label=of=both'],
]

for (const [marks, query] of MARKED) {
  test(`${query}: tokens of the agents that have it now, in history of deleted ones too`, async () => {
    const [agent, other] = [await service.createAgent(), await service.createAgent()]
    const path = `/api/v1/agents/${agent.agentId}`
    const headers = { 'x-api-key': writer.key }
    const changed = await sendJson(service, 'PATCH', path, { headers, body: marks })
    assert.equal(changed.status, 200, changed.text)
    await issue(service, other)
    const ended = await issue(service, agent)
    await assertFinds(query, ended)
    assert.deepEqual(await found('history', `${query}&agent_id=${other.agentId}`), [])
    service.clock.advance(1000)
    const last = await issue(service, agent)
    assert.deepEqual(await found('tokens', `${query}&agent_id=${agent.agentId}`), [idOf(last)])
    const deleted = await sendJson(service, 'DELETE', path, { headers })
    assert.ok(deleted.status < 300, deleted.text)
    assert.deepEqual(await found('tokens', query), [])
    assert.deepEqual(await found('history', query), [idOf(last), idOf(ended)])
  })
}

test('an API key limited to audiences selects by owner, label and name only where it may read agents', async () => {
  const ours = ['https://ours.example']
  const blind = (await service.createApiKey('tokens:read', ours)).key
  const description =
    'owner, label, agent_name: this API key is limited to audiences and lacks the permission agents:read.'
  for (const query of ['owner=Grace', 'label=team=data', 'agent_name=harvest']) {
    for (const path of [TOKENS, `${TOKENS}/history`, `${TOKENS}/count`, '/api/v1/exports/history']) {
      assertProblem(await ask(`${path}?${query}`, blind), 403, 'insufficient_scope', description)
    }
  }
})

test('what nothing has is an empty page, and what is malformed is 400', async () => {
  for (const query of [
    `credential_id=${UNKNOWN}`,
    'kid=none',
    'audience=urn:none',
    'owner=nobody',
    'label=a=none',
    'agent_name=none',
  ]) {
    assert.deepEqual(await found('tokens', query), [])
    assert.deepEqual(await found('history', query), [])
  }
  const wrong = {
    'credential_id=none': 'credential_id is not a UUID.',
    'owner=%20': 'owner is not 1 to 100 printable characters without spaces around them.',
    'label=none': 'label.0 is not of the form key=value, as labels are.',
    'agent_name=%20': 'agent_name is not 1 to 100 printable characters without spaces around them.',
    'kid=a%20b': 'kid is not 1 to 128 printable ASCII characters without spaces.',
    'audience=a%20b': 'audience is not 1 to 512 printable ASCII characters without spaces.',
  }
  for (const [query, description] of Object.entries(wrong)) {
    for (const path of [TOKENS, `${TOKENS}/history`, `${TOKENS}/count`, '/api/v1/exports/history']) {
      assertProblem(await ask(`${path}?${query}`), 400, 'invalid_request', description)
    }
  }
})
