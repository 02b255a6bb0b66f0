// Trusted issuers over HTTP: created with ceilings, changed for the next token, disabled, enabled, and deleted for good.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { admin, call, type Headers } from '../../../../testkit/callers/administration.ts'
import { type Answer, assertProblem, get } from '../../../../testkit/callers/requests.ts'
import { countRows, readRows } from '../../../../testkit/stores/store-file.ts'
import { startIdentityProvider } from '../../../../testkit/identity-providers/identity-provider.ts'
import { ISSUER_MISTAKES } from './issuer-mistakes.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const ALL = '/api/v1/issuers'

const service = useService()
let headers: Headers
let names = 0

beforeEach(async () => {
  headers = await admin(service)
})

const post = (path: string, body?: unknown, more: Headers = {}): Promise<Answer> =>
  call(service, { method: 'POST', path, body }, { ...headers, ...more })

const patch = (alias: string, body: object): Promise<Answer> =>
  call(service, { method: 'PATCH', path: `${ALL}/${alias}`, body }, headers)

/** The least that is asked for; its keys stand at an address. */
const newIssuer = (changes: object = {}) => {
  names += 1
  const alias = `issuer-${names}`
  const issuer = `https://${alias}.example`
  return { alias, issuer, jwks_uri: `${issuer}/jwks`, token_types: ['id_token'], scope: 'db:read', ...changes }
}

const create = async (changes: object = {}) => {
  const body = newIssuer(changes)
  const answer = await post(ALL, body)
  assert.equal(answer.status, 201, answer.text)
  return answer.json as typeof body & Readonly<Record<string, unknown>>
}

const detailsOf = (alias: string) =>
  readRows(service.storeFile, `select kind, detail from audit where subject = '${alias}' order by n`).map(
    ({ kind, detail }) => [kind, { ...(JSON.parse(String(detail)) as object), seq: undefined }],
  )

test('creating one: 201 with Location and the record with its defaults, as it is shown and listed', async () => {
  const body = newIssuer()
  const answer = await post(ALL, body)
  const record = {
    ...body,
    subject_claim: 'sub',
    require: {},
    algorithms: ['RS256', 'PS256', 'ES256', 'ES384', 'Ed25519'],
    parties: [],
    resources: ['*'],
    lifetime_seconds: 300,
    created_at: new Date(service.clock.wall()).toISOString(),
    disabled_at: null,
    suspended_at: null,
    managed_by: null,
  }
  assert.deepEqual(
    [answer.status, answer.headers['location'], answer.json],
    [201, `${service.baseUrl}${ALL}/${body.alias}`, record],
  )
  assert.deepEqual((await get(service, `${ALL}/${body.alias}`, headers)).json, record)
  const { data } = (await get(service, ALL, headers)).json as { readonly data: readonly { alias: string }[] }
  assert.deepEqual(
    data.find(({ alias }) => alias === body.alias),
    record,
  )
  const { managed_by: _by, created_at: _created, disabled_at: _disabled, suspended_at: _suspended, ...after } = record
  assert.deepEqual(detailsOf(body.alias), [['issuer.create', { after, seq: undefined }]])
})

test('all that can be said of one is kept: each list in its own order, each entry once', async () => {
  const said = {
    subject_claim: 'oid',
    require: { tid: 'b2d8', hd: 'example.com' },
    algorithms: ['ES256', 'RS256', 'ES256'],
    token_types: ['jwt', 'id_token'],
    parties: ['web', 'cli', 'web'],
    scope: 'db:write db:*',
    resources: ['https://api.example', 'https://api.example'],
    lifetime_seconds: 60,
  }
  const { alias } = await create(said)
  const shown = (await get(service, `${ALL}/${alias}`, headers)).json as object
  assert.partialDeepStrictEqual(shown, {
    ...said,
    algorithms: ['RS256', 'ES256'],
    token_types: ['id_token', 'jwt'],
    parties: ['web', 'cli'],
    scope: 'db:* db:write',
    resources: ['https://api.example'],
  })
})

test('a body that is not as it must be is refused with what to do, and makes nothing', async () => {
  const earlier = countRows(service.storeFile, 'trusted_issuer')
  for (const [change, description, error = 'invalid_request'] of ISSUER_MISTAKES)
    assertProblem(await post(ALL, newIssuer(change)), 400, error, description)
  assert.equal(countRows(service.storeFile, 'trusted_issuer'), earlier)
})

test('this service is no issuer to trust, with a slash at its end neither', async () => {
  const description = 'issuer is this service, whose own tokens agents exchange anyway: name another issuer.'
  for (const issuer of [service.baseUrl, `${service.baseUrl}/`])
    assertProblem(await post(ALL, newIssuer({ issuer })), 400, 'invalid_request', description)
})

test('the issuer of an identity provider of operators may be trusted too, and gives no role by that', async () => {
  const { issuer } = service.provider
  const { alias } = await create({ issuer, jwks_uri: null })
  const stranger = await service.provider.operatorJwt({ role: 'mintmark-nobody' })
  const answer = await get(service, `${ALL}/${alias}`, { authorization: `Bearer ${stranger}` })
  assert.equal(answer.status, 403)
  await call(service, { method: 'DELETE', path: `${ALL}/${alias}` }, headers)
})

test('metadata that names another issuer refuses the record, and the answer says which; also where a change turns to it', async t => {
  const other = await startIdentityProvider({ algorithms: ['ES256'], path: '/tenant' })
  t.after(() => other.close())
  other.fail('other_issuer')
  const { issuer } = other
  const refused = `issuer is ${issuer}, but its metadata names ${issuer}/other: write that one, if iss of its tokens is so.`
  assertProblem(await post(ALL, newIssuer({ issuer, jwks_uri: null })), 400, 'invalid_request', refused)
  const { alias } = await create({ issuer })
  // A repetition hears of the first, whatever the metadata says by now.
  assert.equal((await post(ALL, newIssuer({ alias, issuer, jwks_uri: null }))).status, 409)
  assertProblem(await patch(alias, { jwks_uri: null }), 400, 'invalid_request', refused)
  assert.equal(detailsOf(alias).length, 1)
  other.recover()
  service.clock.advance(2000)
  assert.equal((await patch(alias, { jwks_uri: null })).status, 200)
})

test('an issuer that cannot be reached is created all the same, for it may be reached when it is needed', async () => {
  await create({ issuer: 'https://idp.invalid', jwks_uri: null })
})

test('an alias is given once, and not again once its issuer is deleted', async () => {
  const { alias } = await create()
  const taken = `The alias ${alias} is or was that of a trusted issuer, and none is given twice; choose another.`
  assertProblem(await post(ALL, newIssuer({ alias })), 409, 'already_exists', taken)
  const deleted = await call(service, { method: 'DELETE', path: `${ALL}/${alias}?note=gone` }, headers)
  assert.deepEqual([deleted.status, deleted.text], [204, ''])
  assertProblem(await post(ALL, newIssuer({ alias })), 409, 'already_exists', taken)
  const unknown = `No trusted issuer has the alias ${alias}; GET /api/v1/issuers lists them.`
  for (const answer of [
    await get(service, `${ALL}/${alias}`, headers),
    await patch(alias, { parties: ['web'] }),
    await post(`${ALL}/${alias}/disable`),
    await post(`${ALL}/${alias}/enable`),
    await call(service, { method: 'DELETE', path: `${ALL}/${alias}` }, headers),
    await call(service, { method: 'DELETE', path: `${ALL}/${alias}?dry_run=true` }, headers),
    await post(`${ALL}/${alias}/disable`, { dry_run: true }),
  ])
    assertProblem(answer, 404, 'not_found', unknown)
  assert.ok(!(await get(service, ALL, headers)).text.includes(`"${alias}"`))
})

test('two records of one issuer are taken where one claim differs, also one of a disabled record', async () => {
  const issuer = 'https://shared.example'
  const first = await create({ issuer, require: { tenant: 'a', hd: 'x' } })
  const refused = `A token could fit this record and ${first.alias}, of the same issuer: both must require one claim, with different values. What ${first.alias} requires never changes.`
  await post(`${ALL}/${first.alias}/disable`)
  for (const require of [{}, { tenant: 'a' }, { tenant: 'a', other: 'b' }, { other: 'b' }])
    assertProblem(await post(ALL, newIssuer({ issuer, require })), 400, 'invalid_request', refused)
  const second = await create({ issuer, require: { tenant: 'b' } })
  await create({ issuer: `${issuer}/`, require: {} })
  await call(service, { method: 'DELETE', path: `${ALL}/${second.alias}` }, headers)
  await create({ issuer, require: { hd: 'y' } })
})

test('a change takes what it names, keeps the rest, and is audited with what was before', async () => {
  const { alias } = await create({ token_types: ['jwt'], parties: ['web'] })
  const before = (await get(service, `${ALL}/${alias}`, headers)).json as object
  const answer = await patch(alias, { lifetime_seconds: 60, scope: 'db:write' })
  const changed = { lifetime_seconds: 60, scope: 'db:write' }
  assert.deepEqual([answer.status, answer.json], [200, { ...before, ...changed }])
  const recorded = [
    'issuer.change',
    { before: { lifetime_seconds: 300, scope: 'db:read' }, after: changed, seq: undefined },
  ]
  assert.deepEqual(detailsOf(alias).slice(1), [recorded])
  assert.deepEqual((await patch(alias, changed)).json, answer.json)
  assert.deepEqual((await patch(alias, {})).json, answer.json)
  assert.equal(detailsOf(alias).length, 2)
  const noParty =
    'token_types has jwt, which any client of the issuer could get: name those that are trusted in parties.'
  assertProblem(await patch(alias, { parties: [] }), 400, 'invalid_request', noParty)
  for (const member of ['alias', 'issuer', 'subject_claim', 'require', 'disabled_at', 'suspended_at']) {
    const unknown = `The body has a member that this operation does not know: ${member}.`
    assertProblem(await patch(alias, { [member]: 'x' }), 400, 'invalid_request', unknown)
  }
  assert.deepEqual((await get(service, `${ALL}/${alias}`, headers)).json, answer.json)
})

test('disabling and enabling say whether they did something; a dry run does nothing', async () => {
  const { alias } = await create()
  const wouldEnd = (reason: string): object => ({
    dry_run: true,
    ends: { tokens: 0, descendants: 0, descendant_agents: [], exact: true, reasons: [reason] },
  })
  assert.deepEqual((await post(`${ALL}/${alias}/disable`, { dry_run: true })).json, wouldEnd('issuer_disabled'))
  const dryDelete = await call(service, { method: 'DELETE', path: `${ALL}/${alias}?dry_run=true` }, headers)
  assert.deepEqual([dryDelete.status, dryDelete.json], [200, wouldEnd('issuer_deleted')])
  const at = new Date(service.clock.wall()).toISOString()
  for (const [act, disabled_at, changed] of [
    ['enable', null, false],
    ['disable', at, true],
    ['disable', at, false],
    ['enable', null, true],
  ] as const) {
    const answer = await post(`${ALL}/${alias}/${act}`, { note: 'as agreed' })
    assert.partialDeepStrictEqual([answer.status, answer.json], [200, { alias, disabled_at, changed }])
  }
  assert.deepEqual(detailsOf(alias).slice(1), [
    ['issuer.disable', { before: { disabled_at: null }, after: { disabled_at: at }, seq: undefined }],
    ['issuer.enable', { before: { disabled_at: at }, after: { disabled_at: null }, seq: undefined }],
  ])
})

test('a repeat with the same Idempotency-Key creates nothing, and names the alias', async () => {
  const key = { 'idempotency-key': 'once-per-issuer' }
  const body = newIssuer()
  assert.equal((await post(ALL, body, key)).status, 201)
  const repeat = await post(ALL, newIssuer(), key)
  assert.equal(repeat.status, 409)
  assert.partialDeepStrictEqual(repeat.json, { error: 'already_exists', id: body.alias })
})

test('pages are in the order of aliases', async () => {
  const seen: string[] = []
  let cursor: string | null = null
  do {
    const query: string = cursor === null ? '' : `&cursor=${cursor}`
    const answer = await get(service, `${ALL}?limit=2${query}`, headers)
    const page = answer.json as { readonly data: readonly { alias: string }[]; readonly next_cursor: string | null }
    seen.push(...page.data.map(({ alias }) => alias))
    cursor = page.next_cursor
  } while (cursor !== null)
  assert.deepEqual(seen, seen.toSorted())
  assert.equal(seen.length, new Set(seen).size)
  assert.ok(seen.length > 4)
})
