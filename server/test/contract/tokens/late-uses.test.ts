// GET /api/v1/usage/after-end: tokens that were introspected after they had ended, how often, and through which API key.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { admin, call } from '../../../../testkit/callers/administration.ts'
import { assertPlainHeaders, claimsOf, get, introspect, issue, revoke } from '../../../../testkit/callers/requests.ts'
import { AUDIENCE } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

type Fields = Readonly<Record<string, unknown>>

const OTHER = 'https://other.example'
const PATH = '/api/v1/usage/after-end'

const service = useService()
const agent = service.agent()
const orders = service.apiKey('tokens:introspect')
const billing = service.apiKey('tokens:introspect')
const reader = service.apiKey('tokens:read')

/** Limited to the audience of the tokens of this test. */
let narrow: { readonly id: string; readonly key: string }

service.before(async () => {
  const body = { name: 'narrow', permissions: ['tokens:introspect', 'tokens:read'], audiences: [AUDIENCE] }
  const made = await call(service, { method: 'POST', path: '/api/v1/api-keys', body }, await admin(service))
  const { api_key_id: id, api_key: key } = made.json as { api_key_id: string; api_key: string }
  narrow = { id, key }
})

const idOf = (token: string): string => String(claimsOf(token)['jti'])

const list = async (query: string, key = reader.key): Promise<readonly Fields[]> => {
  await service.settle()
  const answer = await get(service, `${PATH}${query}`, { 'x-api-key': key })
  assert.equal(answer.status, 200, answer.text)
  assertPlainHeaders(answer)
  return (answer.json as { data: readonly Fields[] }).data
}

const ofToken = (token: string, key = reader.key) => list(`?token_id=${idOf(token)}`, key)

const ask = async (token: string, key = orders.key): Promise<void> => {
  const { status, json } = await introspect(service, key, token)
  assert.deepEqual([status, json], [200, { active: false }])
}

const counts = (rows: readonly Fields[]) =>
  rows
    .map(row => [row['api_key_id'], row['count'], row['expired'], row['outside_audiences']] as const)
    .toSorted(([, a], [, b]) => Number(b) - Number(a))

test('a token that was revoked is counted for each API key through which it is presented', async () => {
  const token = await issue(service, agent)
  assert.equal(((await introspect(service, orders.key, token)).json as Fields)['active'], true)
  assert.deepEqual(await ofToken(token), [], 'not before its end')
  await revoke(service, token)
  for (let n = 0; n < 3; n += 1) await ask(token)
  const [first] = await ofToken(token)
  service.clock.advance(5000)
  await ask(token)
  await ask(token, billing.key)
  const rows = await ofToken(token)
  assert.deepEqual(counts(rows), [
    [orders.id, 4, false, false],
    [billing.id, 1, false, false],
  ])
  const { last_used_at: last, ...rest } = rows.find(row => row['api_key_id'] === orders.id) ?? {}
  assert.deepEqual(rest, {
    token_id: idOf(token),
    agent_id: agent.agentId,
    agent_name: null,
    owner: null,
    api_key_id: orders.id,
    api_key_name: 'tokens:introspect',
    outside_audiences: false,
    expired: false,
    count: 4,
    first_used_at: first?.['first_used_at'],
  })
  assert.ok(String(last) > String(first?.['last_used_at']), String(last))
  const usage = (await get(service, `/api/v1/usage?api_key_id=${billing.id}`, { 'x-api-key': reader.key })).json
  const [row] = (usage as { data: readonly Fields[] }).data
  assert.deepEqual([row?.['introspections'], row?.['active'], row?.['after_end']], [1, 0, 1])
})

test('every way in which a token ends is seen: moved, under a cut-off that is worked off, expired', async () => {
  const own = await service.createAgent({ lifetimeSeconds: 60 })
  const [covered, expired] = [await issue(service, own), await issue(service, agent)]
  await call(
    service,
    { method: 'POST', path: '/api/v1/revocations', body: { agent_id: own.agentId } },
    await admin(service),
  )
  await ask(covered)
  assert.deepEqual(counts(await ofToken(covered)), [[orders.id, 1, false, false]])
  service.clock.advance(3_600_000)
  await ask(expired)
  assert.deepEqual(counts(await ofToken(expired)), [[orders.id, 1, true, false]])
})

test('a forged text under the id of an ended token is not the token', async () => {
  const token = await issue(service, agent)
  const forged = token.replace(/[^.]+$/, signature => signature.replace(/^.{8}/, 'AAAAAAAA'))
  await ask(forged)
  assert.deepEqual(await ofToken(token), [], 'live')
  await revoke(service, token)
  await ask(forged)
  assert.deepEqual(await ofToken(token), [])
  await ask(token)
  await ask(forged)
  assert.deepEqual(counts(await ofToken(token)), [[orders.id, 1, false, false]])
})

test('a key limited to audiences sees what was presented through itself, and is for its audiences', async () => {
  const [own, other] = [await issue(service, agent), await issue(service, agent, { resource: OTHER })]
  for (const token of [own, other]) {
    await revoke(service, token)
    for (const { key } of [orders, narrow]) await ask(token, key)
  }
  assert.deepEqual(
    counts(await ofToken(other)).toSorted(([, , , a], [, , , b]) => Number(a) - Number(b)),
    [
      [orders.id, 1, false, false],
      [narrow.id, 1, false, true],
    ],
  )
  assert.deepEqual(await ofToken(other, narrow.key), [])
  assert.deepEqual(counts(await ofToken(own, narrow.key)), [[narrow.id, 1, false, false]])
  assert.deepEqual(counts(await list('', narrow.key)), [[narrow.id, 1, false, false]])
  assert.deepEqual(await list(`?api_key_id=${orders.id}`, narrow.key), [])
})

test('filters name a token, an agent, an API key and when it was last used; the last used comes first', async () => {
  const own = await service.createAgent()
  const tokens: string[] = []
  for (let n = 0; n < 3; n += 1) {
    service.clock.advance(1000)
    const token = await issue(service, own)
    await revoke(service, token)
    await ask(token)
    await service.settle()
    tokens.push(token)
  }
  const ids = async (query: string) => (await list(`?agent_id=${own.agentId}${query}`)).map(row => row['token_id'])
  const newest = tokens.map(idOf).toReversed()
  assert.deepEqual(await ids(''), newest)
  assert.deepEqual(await ids(`&api_key_id=${billing.id}`), [])
  assert.deepEqual(await ids(`&token_id=${String(newest[1])}`), [newest[1]])
  const [, middle] = await list(`?agent_id=${own.agentId}`)
  const at = String(middle?.['last_used_at'])
  assert.deepEqual(await ids(`&since=${at}`), newest.slice(0, 2))
  assert.deepEqual(await ids(`&before=${at}`), newest.slice(2))
  for (const query of ['?token_id=x', '?agent_id=x', '?before=x']) {
    assert.equal((await get(service, PATH + query, { 'x-api-key': reader.key })).status, 400, query)
  }
})
