// What an API key limited to audiences learns of a tree whose other members are for other audiences: nothing by which to name
// them, neither from records nor from filters, cursors, counts of a dry run, or revocations.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TOKEN_EXCHANGE } from '../../../../api/values/delegation.ts'
import { exchange } from '../../../../testkit/callers/exchanges.ts'
import { assertProblem, claimsOf, get, issue, postJson, revoke } from '../../../../testkit/callers/requests.ts'
import { AUDIENCE } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const ORDERS = 'https://orders.example'
const INDEX = 'https://index.example'
const UNKNOWN = 'lineage: no token has this id, or none that is kept.'
const OPERATOR = 'operator-1'

const service = useService()
const caller = service.agent()
const relay = service.agent({ grantTypes: [TOKEN_EXCHANGE], actsFor: ['*'], receives: [AUDIENCE, ORDERS, INDEX] })
const whole = service.apiKey('tokens:read')
const reader = service.apiKey('tokens:read', [ORDERS])
const revoker = service.apiKey('tokens:revoke', [ORDERS])

type Rows = { readonly data: readonly { readonly id: string }[]; readonly next_cursor: string | null }

const idOf = (token: string): string => String(claimsOf(token)['jti'])

const read = (path: string, { key } = reader) => get(service, `/api/v1${path}`, { 'x-api-key': key })

const idsAt = async (path: string, by = reader): Promise<readonly string[]> => {
  const { status, json, text } = await read(path, by)
  assert.equal(status, 200, text)
  const { data, next_cursor: next } = json as Rows
  assert.equal(next, null)
  return data.map(({ id }) => id)
}

/** A root for the default audience; below it a token for ORDERS, between others for INDEX, one of them its child. */
const makeTree = async () => {
  const root = await issue(service, caller)
  const before = await exchange(service, relay, root, { resource: INDEX })
  const seen = await exchange(service, relay, root, { resource: ORDERS })
  const below = await exchange(service, relay, seen, { resource: INDEX })
  const after = await exchange(service, relay, root, { resource: INDEX })
  return { root, seen: idOf(seen), below, hidden: [root, before, below, after].map(idOf) }
}

test('no page of a tree has an id of a hidden member, not even in its cursor, and each is full', async () => {
  const { seen, hidden } = await makeTree()
  for (const limit of [1, 2, 3]) {
    const { status, json, text } = await read(`/tokens/${seen}/lineage?limit=${limit}`)
    const { data, next_cursor: next } = json as Rows
    assert.deepEqual([status, data.map(({ id }) => id), next], [200, [seen], null])
    for (const id of hidden) assert.ok(!text.includes(id))
  }
  assert.equal((await idsAt(`/tokens/${seen}/lineage`, whole)).length, 5)
})

test('all members that a limited key may see are met, page by page', async () => {
  const root = await issue(service, caller)
  const seen: string[] = []
  for (let n = 0; n < 4; n += 1) {
    const child = await exchange(service, relay, root, { resource: ORDERS })
    await exchange(service, relay, root, { resource: INDEX })
    const grandchild = await exchange(service, relay, child, { resource: n % 2 === 0 ? ORDERS : INDEX })
    seen.push(idOf(child), ...(n % 2 === 0 ? [idOf(grandchild)] : []))
  }
  for (const limit of [1, 2, 5, 6, 7]) {
    const met: string[] = []
    let cursor = ''
    do {
      const { json } = await read(`/tokens/${seen[0]}/lineage?limit=${limit}${cursor}`)
      const { data, next_cursor: next } = json as Rows
      met.push(...data.map(({ id }) => id))
      assert.equal(data.length, Math.min(limit, seen.length - met.length + data.length))
      cursor = next === null ? '' : `&cursor=${next}`
    } while (cursor !== '')
    assert.deepEqual(met.toSorted(), seen.toSorted())
  }
})

test('a filter by a hidden parent or root finds nothing, as for a token that never was', async () => {
  const { root, seen, hidden } = await makeTree()
  const [rootId = ''] = hidden
  const filters = [`parent_id=${rootId}`, `root_id=${rootId}`]
  for (const filter of filters) {
    assert.deepEqual(await idsAt(`/tokens?${filter}&limit=1`), [])
    assert.ok((await idsAt(`/tokens?${filter}`, whole)).includes(seen))
  }
  await revoke(service, root)
  for (const filter of filters) {
    assert.deepEqual(await idsAt(`/tokens/history?${filter}`), [])
    assert.ok((await idsAt(`/tokens/history?${filter}`, whole)).includes(seen))
  }
})

test('a filter by who ended a token does not find one that ended with a hidden ancestor', async () => {
  const { root, seen } = await makeTree()
  const direct = await issue(service, caller, { resource: ORDERS })
  await revoke(service, root)
  await revoke(service, direct)
  const found = (await idsAt(`/tokens/history?ended_by=${OPERATOR}`)).filter(id => [seen, idOf(direct)].includes(id))
  assert.deepEqual(found, [idOf(direct)])
  assert.ok((await idsAt(`/tokens/history?ended_by=${OPERATOR}`, whole)).includes(seen))
})

test('a page by who ended tokens says as little of those that ended with a hidden ancestor as one by nobody', async () => {
  const { root } = await makeTree()
  await exchange(service, relay, root, { resource: ORDERS })
  const since = new Date(service.clock.wall() + 1).toISOString()
  service.clock.advance(1)
  await revoke(service, root)
  const answerTo = async (by: string) =>
    (await read(`/tokens/history?ended_after=${since}&ended_by=${by}&limit=1`)).json
  assert.deepEqual(await answerTo(OPERATOR), await answerTo('nobody'))
})

test('the sample of a dry run has no record for other audiences, though the count has all that would end', async () => {
  const { seen, hidden } = await makeTree()
  const body = { audience: ORDERS, lineage: seen, dry_run: true }
  const { status, json, text } = await postJson(service, '/api/v1/revocations', body, { 'x-api-key': revoker.key })
  const { tokens, sample } = json as { tokens: number; sample: readonly { id: string }[] }
  assert.deepEqual([status, tokens, sample.map(({ id }) => id)], [200, 2, [seen]])
  for (const id of hidden) assert.ok(!text.includes(id))
})

test('a limited key ends the tree of a token that it may see, and hears no root; of another token it hears as of none', async () => {
  const { seen, below, hidden } = await makeTree()
  const headers = { 'x-api-key': revoker.key }
  for (const id of hidden) {
    for (const dryRun of [true, false]) {
      const body = { audience: ORDERS, lineage: id, dry_run: dryRun }
      assertProblem(await postJson(service, '/api/v1/revocations', body, headers), 400, 'invalid_request', UNKNOWN)
    }
  }
  const made = await postJson(service, '/api/v1/revocations', { audience: ORDERS, lineage: seen }, headers)
  const { id, lineage } = made.json as { id: string; lineage: unknown }
  assert.deepEqual([made.status, lineage], [201, null])
  assert.deepEqual((await read(`/revocations/${id}`)).json, made.json)
  const shown = (await read(`/revocations/${id}`, whole)).json as { lineage: unknown }
  assert.equal(shown.lineage, hidden[0])
  const states = [seen, idOf(below)].map(
    async one => ((await read(`/tokens/${one}`, whole)).json as { state: unknown }).state,
  )
  assert.deepEqual(await Promise.all(states), ['ended', 'ended'])
})
