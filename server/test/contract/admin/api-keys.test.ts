// API keys over HTTP: made with no more powers than their maker has, expiring, rotated with a grace, revoked.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { admin, call, type Headers } from '../../../../testkit/callers/administration.ts'
import { limitKey } from '../../../../testkit/stores/earlier-keys.ts'
import { HOSTLESS } from '../../../../testkit/callers/hostless-addresses.ts'
import { type Answer, assertProblem, get } from '../../../../testkit/callers/requests.ts'
import { countRows, readRows } from '../../../../testkit/stores/store-file.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const ALL = '/api/v1/api-keys'
const GONE = 'The API key is unknown, revoked or expired.'
const ONE = 'https://one.example'
const TWO = 'https://two.example'
const READ = { name: 'reader', permissions: ['tokens:read'] }

type Created = Readonly<Record<string, unknown>> & { readonly api_key_id: string; readonly api_key: string }

const service = useService()
let headers: Headers

beforeEach(async () => {
  headers = await admin(service)
})

const post = (path: string, body: unknown, as: Headers = headers): Promise<Answer> =>
  call(service, { method: 'POST', path, body }, as)

const inMs = (ms: number): string => new Date(service.clock.wall() + ms).toISOString()

const create = async (body: object = READ, as: Headers = headers): Promise<Created> => {
  const answer = await post(ALL, body, as)
  assert.equal(answer.status, 201, answer.text)
  return answer.json as Created
}

/** One of before, with powers that a limited key does not get any more. */
const createLimited = async (permissions: readonly string[], audiences: readonly string[]): Promise<Created> => {
  const created = await create({ name: 'earlier', permissions })
  limitKey(service.storeFile, created.api_key_id, audiences)
  return created
}

const keyOf = ({ api_key }: Created): Headers => ({ 'x-api-key': api_key })

const reads = async (created: Created): Promise<number> => (await get(service, '/api/v1/tokens', keyOf(created))).status

test('creating one: 201 with Location, the record and the key, which is taken; shown without it', async () => {
  const answer = await post(ALL, { ...READ, permissions: ['tokens:read', 'tokens:introspect'], audiences: [ONE, ONE] })
  const created = answer.json as Created
  const { api_key, ...record } = created
  assert.deepEqual([answer.status, answer.headers['location']], [201, `${service.baseUrl}${ALL}/${created.api_key_id}`])
  assert.match(api_key, /^mma_[0-9A-Za-z]{49}$/)
  assert.deepEqual(record, {
    api_key_id: created.api_key_id,
    name: 'reader',
    permissions: ['tokens:introspect', 'tokens:read'],
    audiences: [ONE],
    created_at: inMs(0),
    expires_at: null,
    last_used_at: null,
    revoked_at: null,
    suspended_at: null,
  })
  assert.equal(await reads(created), 200)
  await get(service, '/readyz') // behind the note of that use in the queue of the writing thread
  const shown = await get(service, `${ALL}/${created.api_key_id}`, headers)
  assert.deepEqual([shown.status, shown.json], [200, { ...record, last_used_at: inMs(0) }])
  assert.ok(!service.log().includes(api_key))
})

const manyAudiences = (count: number) => Array.from({ length: count }, (_, n) => `${ONE}/${n}`)

test('a body that is not as it must be is refused, names the member, and makes nothing', async () => {
  const earlier = countRows(service.storeFile, 'api_key')
  const permissions =
    'tokens:introspect, tokens:read, tokens:revoke, agents:read, agents:write, issuers:write, keys:write, audit:read'
  const mistakes: readonly (readonly [object, string, string])[] = [
    [{}, 'invalid_request', 'name is missing, or is not of the type string.'],
    [{ name: 'x' }, 'invalid_request', 'permissions is missing, or is not of the type array.'],
    [{ ...READ, permissions: [] }, 'invalid_request', 'permissions names no permission.'],
    [{ ...READ, permissions: ['all'] }, 'invalid_request', `permissions.0 is not one of ${permissions}.`],
    [{ ...READ, audiences: [] }, 'invalid_target', 'audiences does not hold 1 to 64 audiences.'],
    [{ ...READ, audiences: manyAudiences(65) }, 'invalid_target', 'audiences does not hold 1 to 64 audiences.'],
    [{ ...READ, audiences: ['x'] }, 'invalid_target', 'audiences.0 is not an absolute URI without a fragment.'],
    ...HOSTLESS.map(uri => {
      const description = 'audiences.0 is not an absolute URI without a fragment.'
      return [{ ...READ, audiences: [uri] }, 'invalid_target', description] as const
    }),
    [{ ...READ, expires_at: inMs(0) }, 'invalid_request', 'The expiry is not in the future.'],
    [{ ...READ, key: 'mine' }, 'invalid_request', 'The body has a member that this operation does not know: key.'],
  ]
  for (const [body, error, description] of mistakes) assertProblem(await post(ALL, body), 400, error, description)
  assert.equal(countRows(service.storeFile, 'api_key'), earlier)
  await create({ ...READ, audiences: manyAudiences(64) })
})

test('one that expires is taken until the millisecond before, and then refused as one that never was', async () => {
  const created = await create({ ...READ, expires_at: inMs(2000) })
  service.clock.advance(1999)
  assert.equal(await reads(created), 200)
  service.clock.advance(1)
  const answer = await get(service, '/api/v1/tokens', keyOf(created))
  assertProblem(answer, 401, 'invalid_client', GONE)
  const unknown = await get(service, '/api/v1/tokens', { 'x-api-key': 'wrong' })
  assert.deepEqual([answer.text, answer.challenges], [unknown.text, unknown.challenges])
})

test('an API key makes one with permissions that it has, and none with one more', async () => {
  const maker = keyOf(await create({ name: 'maker', permissions: ['keys:write', 'tokens:read'] }))
  await create(READ, maker)
  const earlier = countRows(service.storeFile, 'api_key')
  const answer = await post(ALL, { name: 'more', permissions: ['tokens:read', 'tokens:revoke'] }, maker)
  const description = 'This API key lacks the permission tokens:revoke itself, and cannot give it.'
  assertProblem(answer, 403, 'insufficient_scope', description)
  assert.equal(countRows(service.storeFile, 'api_key'), earlier)
})

test('what is of the whole service is in no key that is limited to audiences, of any creator; the rest may be', async () => {
  const earlier = countRows(service.storeFile, 'api_key')
  for (const permission of ['agents:write', 'issuers:write', 'keys:write', 'audit:read']) {
    const body = { name: 'x', permissions: ['tokens:read', permission], audiences: [ONE] }
    const description = `${permission} is of the whole service: an API key limited to audiences cannot have it.`
    assertProblem(await post(ALL, body), 400, 'invalid_request', description)
  }
  assert.equal(countRows(service.storeFile, 'api_key'), earlier)
  const permissions = ['tokens:introspect', 'tokens:read', 'tokens:revoke', 'agents:read']
  await create({ name: 'x', permissions, audiences: [ONE] })
})

test('a limited key of before keeps what it may, also when it is rotated', async () => {
  const old = await createLimited(['agents:write', 'tokens:read'], [ONE])
  const rotated = (await post(`${ALL}/${old.api_key_id}/rotate`, { grace_seconds: 5 })).json as Created
  assert.deepEqual([rotated['permissions'], rotated['audiences']], [old['permissions'], [ONE]])
  for (const key of [old, rotated]) {
    const { agentId } = await service.createAgent()
    assert.equal((await post(`/api/v1/agents/${agentId}/disable`, {}, keyOf(key))).status, 200)
  }
})

test('an API key that is limited to audiences makes none for others, and none without a limit', async () => {
  const maker = keyOf(await createLimited(['keys:write', 'tokens:read'], [ONE, TWO]))
  const make = (audiences: readonly string[] | null) => post(ALL, { ...READ, audiences }, maker)
  assert.equal((await make([ONE])).status, 201)
  assert.equal((await make([TWO, ONE])).status, 201)
  for (const audiences of [null, ['https://three.example'], [ONE, 'https://three.example']]) {
    const description = 'This API key is limited to audiences, and cannot make one for others.'
    assertProblem(await make(audiences), 403, 'insufficient_scope', description)
  }
})

test('an API key that expires makes none that lives longer', async () => {
  const maker = keyOf(await create({ name: 'maker', permissions: ['keys:write'], expires_at: inMs(60_000) }))
  const make = (expires_at?: string) => post(ALL, { name: 'made', permissions: ['keys:write'], expires_at }, maker)
  const description = 'This API key expires, and cannot make one that lives longer.'
  assertProblem(await make(), 403, 'insufficient_scope', description)
  assertProblem(await make(inMs(60_001)), 403, 'insufficient_scope', description)
  assert.equal((await make(inMs(60_000))).status, 201)
})

test('rotating: the new key has the powers of the old one, which is taken for the grace', async () => {
  const old = await create({ ...READ, audiences: [ONE] })
  const answer = await post(`${ALL}/${old.api_key_id}/rotate`, { grace_seconds: 5 })
  const rotated = answer.json as Created
  assert.deepEqual([answer.status, answer.headers['location']], [201, `${service.baseUrl}${ALL}/${rotated.api_key_id}`])
  assert.deepEqual(rotated['replaces'], { api_key_id: old.api_key_id, expires_at: inMs(5000) })
  for (const member of ['name', 'permissions', 'audiences']) assert.deepEqual(rotated[member], old[member])
  service.clock.advance(4999)
  assert.deepEqual([await reads(old), await reads(rotated)], [200, 200])
  service.clock.advance(1)
  assert.deepEqual([await reads(old), await reads(rotated)], [401, 200])
  headers = await admin(service)
  const description = 'The API key is revoked or has expired: create another instead.'
  const again = await post(`${ALL}/${old.api_key_id}/rotate`, { grace_seconds: 5 })
  assertProblem(again, 400, 'invalid_request', description)
})

test('an API key does not get a stronger one by rotating it, and the stronger one lives on as it was', async () => {
  const maker = keyOf(await create({ name: 'maker', permissions: ['keys:write'] }))
  const limited = keyOf(await createLimited(['keys:write'], [ONE]))
  const [stronger, unlimited] = [await create(), await create({ name: 'x', permissions: ['keys:write'] })]
  const earlier = readRows(service.storeFile, 'select id, expires_at from api_key order by n')
  const rotate = ({ api_key_id }: Created, as: Headers) => post(`${ALL}/${api_key_id}/rotate`, { grace_seconds: 0 }, as)
  for (const answer of [await rotate(stronger, maker), await rotate(unlimited, limited)]) {
    assert.deepEqual([answer.status, (answer.json as { error: string }).error], [403, 'insufficient_scope'])
  }
  assert.deepEqual(readRows(service.storeFile, 'select id, expires_at from api_key order by n'), earlier)
})

test('revoking: refused from then on; doing it again answers the same', async () => {
  const created = await create()
  assert.equal(await reads(created), 200)
  const path = `${ALL}/${created.api_key_id}/revoke`
  const answer = await post(path, { note: 'left the team' })
  assert.equal(answer.status, 200)
  assert.equal((answer.json as Created)['revoked_at'], inMs(0))
  assert.equal(await reads(created), 401)
  service.clock.advance(1000)
  assert.equal(((await post(path, {})).json as Created)['revoked_at'], inMs(-1000))
  const rows = readRows(
    service.storeFile,
    'select kind, note from audit where subject = ? order by n',
    created.api_key_id,
  )
  assert.deepEqual(rows, [
    { kind: 'api_key.create', note: null },
    { kind: 'api_key.revoke', note: 'left the team' },
  ])
})

test('the list holds every key once, page by page, and no key itself', async () => {
  const made = await Promise.all([create(), create(), create()])
  const seen: string[] = []
  let cursor: string | null = null
  do {
    const answer: Answer = await get(service, `${ALL}?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`, headers)
    const page = answer.json as { data: Created[]; next_cursor: string | null }
    assert.ok(page.data.length <= 2 && page.data.every(record => !('api_key' in record)))
    seen.push(...page.data.map(({ api_key_id }) => api_key_id))
    cursor = page.next_cursor
  } while (cursor !== null)
  assert.equal(seen.length, countRows(service.storeFile, 'api_key'))
  assert.equal(new Set(seen).size, seen.length)
  for (const { api_key_id } of made) assert.ok(seen.includes(api_key_id))
})
