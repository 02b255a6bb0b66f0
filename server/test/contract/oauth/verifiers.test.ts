// POST /oauth/revocation-feed/positions, GET /api/v1/verifiers, and which verifiers hold a revocation (docs/apis/feed-protocol.md,
// "Reporting").
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { FEED, type Head, readHead } from '../../../../testkit/feed/feed-client.ts'
import { assertPlainHeaders, get, postJson } from '../../../../testkit/callers/requests.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

type Fields = Readonly<Record<string, unknown>>
type Verifier = Fields & { readonly name: string; readonly position: number }
type Page = { readonly data: readonly Verifier[]; readonly next_cursor: string | null }
type Holding = { readonly total: number; readonly holding: number; readonly missing: readonly Fields[] }

const OURS = 'https://ours.example'
const AGENT = '7c1f6f5e-4b52-4a6c-9d0c-5f5b1f6a2f10'

const service = useService()
const orders = service.apiKey('tokens:introspect')
const billing = service.apiKey('tokens:introspect')
const reader = service.apiKey('tokens:read')
const revoker = service.apiKey('tokens:revoke')

let head: Head

// Each test has verifiers of its own: those of the tests before it were last heard of a day ago.
beforeEach(async () => {
  service.clock.advance(86_400_001)
  head = await readHead(service, orders.key)
})

const send204 = async (body: object, key = orders.key): Promise<void> => {
  const answer = await postJson(service, `${FEED}/positions`, body, { 'x-api-key': key })
  assert.deepEqual([answer.status, answer.text], [204, ''], answer.text)
}

const report = async (name: string, position: number, more: object = {}, key = orders.key): Promise<void> => {
  await send204({ name, epoch: head.epoch, position, ...more }, key)
  await service.settle()
}

const pageOf = async (query = '', key = reader.key): Promise<Page> => {
  const answer = await get(service, `/api/v1/verifiers${query}`, { 'x-api-key': key })
  assert.equal(answer.status, 200, answer.text)
  assertPlainHeaders(answer)
  return answer.json as Page
}

/** Those of this test. */
const list = async (key = reader.key): Promise<readonly Verifier[]> =>
  (await pageOf('?limit=1000', key)).data.filter(({ stale_seconds: stale }) => Number(stale) < 86_400)

const timeOf = (ms: number): string => new Date(ms).toISOString()

const revokeSome = async (): Promise<Fields & { readonly id: string; readonly verifiers: Holding }> => {
  const answer = await postJson(service, '/api/v1/revocations', { scope: 'no:one' }, { 'x-api-key': revoker.key })
  assert.equal(answer.status, 201, answer.text)
  return answer.json as Fields & { readonly id: string; readonly verifiers: Holding }
}

const holdingOf = async (id: string, key = reader.key): Promise<Holding> =>
  ((await get(service, `/api/v1/revocations/${id}`, { 'x-api-key': key })).json as { verifiers: Holding }).verifiers

test('a report is 204, and the list shows the verifier with its API key, where it is, and what it counted', async () => {
  const reportedAt = service.clock.wall()
  await report('orders-1', head.position, { uses: [{ agent_id: AGENT, count: 7 }] })
  service.clock.advance(2500)
  assert.deepEqual(await list(), [
    {
      name: 'orders-1',
      api_key_id: orders.id,
      api_key_name: 'tokens:introspect',
      address: '127.0.0.1',
      epoch: head.epoch,
      position: head.position,
      behind: 0,
      first_reported_at: timeOf(reportedAt),
      reported_at: timeOf(reportedAt),
      stale_seconds: 2.5,
      state: 'current',
      uses: [{ agent_id: AGENT, count: 7 }],
    },
  ])
})

test('a verifier is behind until it reports the position of the feed, and silent once it was not heard of for 30 s', async () => {
  await report('orders-1', head.position)
  await revokeSome()
  const stateNow = async () => (await list()).map(({ behind, state }) => [behind, state])
  assert.deepEqual(await stateNow(), [[1, 'behind']])
  await report('orders-1', head.position + 1)
  assert.deepEqual(await stateNow(), [[0, 'current']])
  service.clock.advance(29_999)
  assert.deepEqual(await stateNow(), [[0, 'current']])
  service.clock.advance(1)
  assert.deepEqual(await stateNow(), [[0, 'silent']])
  await report('orders-1', head.position)
  assert.deepEqual(await stateNow(), [[0, 'current']])
})

test('a position never falls within an epoch by a late report, which still says that the verifier is there', async () => {
  await revokeSome()
  await report('orders-1', head.position + 1, { uses: [{ agent_id: AGENT, count: 1 }] })
  service.clock.advance(4000)
  await report('orders-1', head.position)
  const [one] = await list()
  assert.deepEqual(
    [one?.position, one?.['stale_seconds'], one?.['uses']],
    [head.position + 1, 0, [{ agent_id: AGENT, count: 1 }]],
  )
})

test('in another epoch a verifier is behind by nobody knows what, and what it reports there late changes nothing', async () => {
  await send204({ name: 'mover-1', epoch: 'of-before', position: 4711 })
  await service.settle()
  const shown = async () => (await list()).map(({ epoch, position, behind, state }) => [epoch, position, behind, state])
  assert.deepEqual(await shown(), [['of-before', 4711, null, 'behind']])
  await report('mover-1', 0)
  assert.deepEqual(await shown(), [[head.epoch, 0, head.position, head.position === 0 ? 'current' : 'behind']])
  await send204({ name: 'mover-1', epoch: 'of-before', position: 4712 })
  await service.settle()
  assert.deepEqual((await shown())[0]?.slice(0, 2), [head.epoch, 0])
  // Two that arrive together, the late one last.
  await Promise.all([
    send204({ name: 'mover-2', epoch: head.epoch, position: head.position }),
    send204({ name: 'mover-2', epoch: 'of-before', position: 9 }),
  ])
  await service.settle()
  assert.equal((await list())[1]?.['epoch'], head.epoch)
})

test('a position beyond the feed is of nobody who follows it, and is not kept', async () => {
  await report('liar', head.position + 1)
  assert.deepEqual(await list(), [])
  await report('liar', Number.MAX_SAFE_INTEGER, { epoch: 'another' })
  const { id } = await revokeSome()
  assert.deepEqual((await holdingOf(id)).holding, 0)
})

test('50 reports of one name at once leave one row, with the newest position', async () => {
  for (let n = 0; n < 49; n += 1) await revokeSome()
  const positions = Array.from({ length: 50 }, (_, n) => head.position + ((n * 7) % 50))
  await Promise.all(positions.map(position => send204({ name: 'one', epoch: head.epoch, position })))
  await service.settle()
  assert.deepEqual(
    (await list()).map(({ name, position }) => [name, position]),
    [['one', head.position + 49]],
  )
})

test('the same name with two API keys is two verifiers', async () => {
  await report('api', 0, {}, orders.key)
  await report('api', 0, {}, billing.key)
  const keys = (await list()).map(one => one['api_key_id'])
  assert.deepEqual(keys, [orders.id, billing.id].toSorted())
})

test('names are shown as they were sent, whatever they look like', async () => {
  const names = [
    '<img src=x onerror=alert(1)>',
    `'; drop table verifier; --`,
    '=cmd|calc',
    '../../etc',
    '%00',
    '🙃'.repeat(50),
  ]
  for (const name of names) await report(name, 0)
  assert.deepEqual(new Set((await list()).map(({ name }) => name)), new Set(names))
})

test('the list is paged by API key and name, and each verifier stands on one page', async () => {
  const names = Array.from({ length: 7 }, (_, n) => `page-${n}`)
  for (const name of names) await report(name, 0, {}, billing.key)
  const seen: string[] = []
  let [cursor, pages] = [null as string | null, 0]
  do {
    const page = await pageOf(`?limit=2${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`)
    seen.push(...page.data.map(({ name }) => name))
    cursor = page.next_cursor
    pages += 1
  } while (cursor !== null && pages < 100)
  assert.deepEqual(
    seen,
    (await pageOf('?limit=1000')).data.map(({ name }) => name),
  )
  assert.deepEqual(
    seen.filter(name => name.startsWith('page-')),
    names,
  )
})

test('the longest name goes through a cursor', async () => {
  const { key } = await makeLimited(['tokens:introspect', 'tokens:read'])
  const names = ['𝒳', '𝒴'].map(end => '𝒳'.repeat(99) + end)
  for (const name of names) await report(name, 0, {}, key)
  const { next_cursor: cursor } = await pageOf('?limit=1', key)
  const { data } = await pageOf(`?limit=1&cursor=${encodeURIComponent(cursor ?? '')}`, key)
  assert.deepEqual(
    data.map(({ name }) => name),
    names.slice(1),
  )
})

test('a revocation says how many of the verifiers heard of in 5 minutes hold it, and which do not', async () => {
  await report('gone', head.position)
  service.clock.advance(300_001)
  await report('slow', head.position)
  service.clock.advance(12_000)
  await report('quick', head.position)
  await send204({ name: 'elsewhere', epoch: 'of-before', position: Number.MAX_SAFE_INTEGER }, billing.key)
  await service.settle()
  const { id, verifiers } = await revokeSome()
  const missing = [
    { name: 'slow', api_key_id: orders.id, stale_seconds: 12 },
    ...[
      { name: 'quick', api_key_id: orders.id, stale_seconds: 0 },
      { name: 'elsewhere', api_key_id: billing.id, stale_seconds: 0 },
    ].toSorted((a, b) => (a.api_key_id < b.api_key_id ? -1 : 1)),
  ]
  assert.deepEqual(verifiers, { total: 3, holding: 0, missing })
  assert.deepEqual(await holdingOf(id), verifiers)
  await report('quick', head.position + 1)
  assert.deepEqual(await holdingOf(id), {
    total: 3,
    holding: 1,
    missing: missing.filter(({ name }) => name !== 'quick'),
  })
  await report('slow', head.position + 1)
  await report('elsewhere', head.position + 1, {}, billing.key)
  assert.deepEqual(await holdingOf(id), { total: 3, holding: 3, missing: [] })
})

test('a revocation names at most 100 verifiers that miss it, and counts them all', async () => {
  await Promise.all(
    Array.from({ length: 101 }, (_, n) => send204({ name: `many-${n}`, epoch: head.epoch, position: head.position })),
  )
  await service.settle()
  const { verifiers } = await revokeSome()
  assert.deepEqual([verifiers.total, verifiers.holding, verifiers.missing.length], [101, 0, 100])
})

test('an API key that is limited to audiences sees the verifiers of its own key, and no others', async () => {
  const permissions = ['tokens:introspect', 'tokens:read', 'tokens:revoke']
  const limited = await makeLimited(permissions)
  await report('theirs', 0, {}, orders.key)
  await report('own', 0, {}, limited.key)
  assert.deepEqual(
    (await list(limited.key)).map(({ name }) => name),
    ['own'],
  )
  const made = await postJson(service, '/api/v1/revocations', { audience: OURS }, { 'x-api-key': limited.key })
  const { id, verifiers } = made.json as { readonly id: string; readonly verifiers: Holding }
  const missing = [{ name: 'own', api_key_id: limited.id, stale_seconds: 0 }]
  assert.deepEqual(verifiers, { total: 1, holding: 0, missing })
  assert.deepEqual(await holdingOf(id, limited.key), verifiers)
  assert.equal((await holdingOf(id)).total, 2)
})

const makeLimited = async (permissions: readonly string[]): Promise<{ readonly id: string; readonly key: string }> => {
  const operator = { authorization: `Bearer ${await service.provider.operatorJwt({ roles: ['mintmark-admin'] })}` }
  const body = { name: 'limited', permissions, audiences: [OURS] }
  const answer = await postJson(service, '/api/v1/api-keys', body, operator)
  assert.equal(answer.status, 201, answer.text)
  const { api_key: key, api_key_id: id } = answer.json as { readonly api_key: string; readonly api_key_id: string }
  return { id, key }
}
