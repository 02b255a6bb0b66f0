// A person leaves: what acts for a subject of a trusted issuer ends by one act, and a blocked one gets nothing more.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLIENT_CREDENTIALS, TOKEN_EXCHANGE } from '../../../../api/values/delegation.ts'
import { BLOCKED_SUBJECTS_MAX } from '../../../../api/values/issuers.ts'
import { admin, call, operator } from '../../../../testkit/callers/administration.ts'
import { exchange } from '../../../../testkit/callers/exchanges.ts'
import { type Answer, assertError, issue } from '../../../../testkit/callers/requests.ts'
import { presentIdJag, subjectJwt } from '../../../../testkit/callers/subject-jwts.ts'
import { makeInsertPause } from '../../../../testkit/services/insert-pause.ts'
import { useIssuerWorlds } from '../../../../testkit/services/issuer-worlds.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'
import { AUDIENCE } from '../../../../testkit/services/test-server.ts'
import { countRows, execBeside, readRow, readRows } from '../../../../testkit/stores/store-file.ts'

const BLOCKED = 'names a subject that is blocked here: an administrator can unblock it.'

const pause = makeInsertPause()
const service = useService({ break: pause.inFront })
const leaver = service.apiKey('tokens:revoke')
const narrow = service.apiKey('tokens:revoke', [AUDIENCE])
const relay = service.agent({ grantTypes: [CLIENT_CREDENTIALS, TOKEN_EXCHANGE], actsFor: ['*'], receives: [AUDIENCE] })
const { makeWorld, ask, tokenFor, isActive, areActive } = useIssuerWorlds(service)

const assertRefused = ({ status, json }: Answer, wanted: number, code: string, detail = /./): void => {
  const problem = json as { error: string; detail: string }
  assert.deepEqual([status, problem.error], [wanted, code])
  assert.match(problem.detail, detail)
}

const post = async (path: string, body: object, headers?: Readonly<Record<string, string>>): Promise<Answer> =>
  call(service, { method: 'POST', path, body }, headers ?? (await admin(service)))

const block = (alias: string, body: object, headers?: Readonly<Record<string, string>>) =>
  post(`/api/v1/issuers/${alias}/subjects/block`, body, headers)

const unblock = (alias: string, body: object) => post(`/api/v1/issuers/${alias}/subjects/unblock`, body)

const list = async (alias: string, query = ''): Promise<Answer> =>
  call(service, { method: 'GET', path: `/api/v1/issuers/${alias}/subjects${query}` }, await admin(service))

const subsIn = ({ json }: Answer): readonly string[] => (json as { data: { sub: string }[] }).data.map(({ sub }) => sub)

const revoke = (body: object): Promise<Answer> => post('/api/v1/revocations', body)

const reasonsOf = async (subject: string): Promise<readonly string[]> => {
  const path = `/api/v1/tokens/history?subject=${encodeURIComponent(subject)}`
  const { json } = await call(service, { method: 'GET', path }, await admin(service))
  return (json as { data: { termination_reason: string }[] }).data.map(one => one.termination_reason)
}

test('blocking a subject ends what acts for it, at any depth and by any agent, as the dry run counted; nothing else', async () => {
  const world = await makeWorld()
  const other = await makeWorld()
  const alice = await tokenFor(world, 'alice')
  const passedOn = await exchange(service, relay, alice)
  const twice = await exchange(service, relay, passedOn)
  const spared = [await tokenFor(world, 'bob'), await tokenFor(other, 'alice'), await issue(service, relay)]
  const counted = await block(world.alias, { sub: 'alice', dry_run: true })
  const { ends } = counted.json as { ends: { tokens: number; descendants: number; exact: boolean } }
  assert.deepEqual([ends.tokens + ends.descendants, ends.exact], [3, true])
  assert.deepEqual(await areActive(alice, passedOn, twice), [true, true, true])
  const { status, json } = await block(world.alias, { sub: 'alice', note: 'left' }, { 'x-api-key': leaver.key })
  const record = {
    issuer: world.alias,
    sub: 'alice',
    blocked_at: new Date(service.clock.wall()).toISOString(),
    blocked_by: { type: 'api_key', id: leaver.id },
    note: 'left',
  }
  assert.deepEqual([status, json], [200, { ...record, changed: true }])
  assert.deepEqual(await areActive(alice, passedOn, twice), [false, false, false])
  assert.deepEqual(await areActive(...spared), [true, true, true])
  assert.deepEqual(new Set(await reasonsOf(`${world.alias}:alice`)), new Set(['subject_blocked']))
  // Once more: it was so before, and the first note stays.
  assert.deepEqual((await block(world.alias, { sub: 'alice', note: 'again' })).json, { ...record, changed: false })
  assert.deepEqual((await list(world.alias)).json, { data: [record], next_cursor: null })
  const again = await block(world.alias, { sub: 'alice', dry_run: true })
  assert.deepEqual((again.json as { ends: { reasons: unknown } }).ends.reasons, [])
})

test('for a blocked subject nothing is issued, by no grant, until an administrator unblocks it; what ended stays ended', async () => {
  const world = await makeWorld()
  const before = await tokenFor(world, 'alice')
  await block(world.alias, { sub: 'alice' })
  const kept = countRows(service.storeFile, 'used_proof')
  assertError(await ask(world, 'alice'), 400, 'invalid_request', `The subject_token ${BLOCKED}`)
  const idJag = await subjectJwt(service, world.provider, 'id-jag', {
    claims: { aud: service.baseUrl, scope: 'db:read' },
  })
  assertError(await presentIdJag(service, world.agent, idJag), 400, 'invalid_grant', `The assertion ${BLOCKED}`)
  assert.equal(countRows(service.storeFile, 'used_proof'), kept)
  await tokenFor(world, 'bob')
  const { json } = await unblock(world.alias, { sub: 'alice', note: 'came back' })
  const record = { issuer: world.alias, sub: 'alice', blocked_at: null, blocked_by: null, note: null }
  assert.deepEqual(json, { ...record, changed: true })
  assert.deepEqual((await unblock(world.alias, { sub: 'alice' })).json, { ...record, changed: false })
  assert.deepEqual(await areActive(before, await tokenFor(world, 'alice')), [false, true])
  assert.equal((await presentIdJag(service, world.agent, idJag)).status, 200)
  const kinds = readRows(
    service.storeFile,
    `select kind, note from audit where subject = '${world.alias}:alice' order by n`,
  )
  assert.deepEqual(
    kinds.map(({ kind, note }) => [kind, note]),
    [
      ['subject.block', null],
      ['subject.unblock', 'came back'],
    ],
  )
})

test('a subject for whom nothing was ever issued can be blocked before it comes', async () => {
  const world = await makeWorld()
  assert.equal((await block(world.alias, { sub: 'mallory' })).status, 200)
  assertError(await ask(world, 'mallory'), 400, 'invalid_request', `The subject_token ${BLOCKED}`)
})

for (const [what, act] of Object.entries({
  blocked: (alias: string) => block(alias, { sub: 'alice' }),
  'blocked, for whom nothing was issued,': (alias: string) => block(alias, { sub: 'carol' }),
})) {
  test(`a subject ${what} between the decision and the write gets no token`, async () => {
    const world = await makeWorld()
    await tokenFor(world, 'alice')
    const kept = countRows(service.storeFile, 'token')
    pause.next(() => act(world.alias))
    const sub = what === 'blocked' ? 'alice' : 'carol'
    assertError(await ask(world, sub), 400, 'invalid_request', `The subject_token ${BLOCKED}`)
    assert.equal(pause.isPending(), false)
    assert.ok(countRows(service.storeFile, 'token') <= kept)
  })
}

test('what is revoked by subject between the decision and the write is decided on anew: the token is younger than the act, and lives', async () => {
  const world = await makeWorld()
  const before = await tokenFor(world, 'alice')
  pause.next(() => revoke({ subject: `${world.alias}:alice` }))
  const token = await tokenFor(world, 'alice')
  assert.deepEqual(await areActive(before, token), [false, true])
})

test('the blocked subjects of an issuer are listed by sub, in pages, and one alone', async () => {
  const [{ alias }, other] = [await makeWorld(), await makeWorld()]
  const subs = ['A', 'b/c?d#e%f', 'repo:org/app:ref:main', '~'.repeat(255)]
  for (const sub of subs.toReversed()) await block(alias, { sub })
  await block(other.alias, { sub: 'zoe' })
  assert.deepEqual(subsIn(await list(alias)), subs)
  const first = await list(alias, '?limit=3')
  assert.deepEqual(subsIn(first), subs.slice(0, 3))
  const { next_cursor: cursor } = first.json as { next_cursor: string }
  assert.deepEqual(subsIn(await list(alias, `?limit=3&cursor=${cursor}`)), subs.slice(3))
  assert.equal((await list(other.alias, `?limit=3&cursor=${cursor}`)).status, 400)
  assert.deepEqual(subsIn(await list(alias, `?sub=${encodeURIComponent(subs[1] ?? '')}`)), [subs[1]])
  assert.deepEqual(subsIn(await list(alias, '?sub=nobody')), [])
})

test('an alias that no issuer has is 404; a sub of another form is 400; a limited key may not, and a key that revokes may not unblock', async () => {
  const { alias } = await makeWorld()
  const bodies = [{ sub: 'alice' }, { sub: 'alice', dry_run: true }]
  for (const body of bodies) assertRefused(await block('nobody', body), 404, 'not_found')
  assertRefused(await unblock('nobody', { sub: 'alice' }), 404, 'not_found')
  assertRefused(await list('NOBODY'), 404, 'not_found')
  for (const sub of ['', 'a b', 'a\u0000', 'ä', 'a'.repeat(256), null, 7]) {
    assertRefused(await block(alias, { sub }), 400, 'invalid_request')
  }
  assertRefused(await block(alias, { sub: 'alice' }, { 'x-api-key': narrow.key }), 403, 'insufficient_scope')
  const path = `/api/v1/issuers/${alias}/subjects/unblock`
  for (const headers of [{ 'x-api-key': leaver.key }, await operator(service, 'operator')]) {
    assertRefused(await post(path, { sub: 'alice' }, headers), 403, 'insufficient_scope')
  }
  assert.deepEqual(subsIn(await list(alias)), [])
})

test('a revocation by subject ends what acts for it, named as tokens do or as its issuer does (RFC 9493), and refuses nothing later', async () => {
  const world = await makeWorld()
  const named = [`${world.alias}:alice`, { format: 'iss_sub', iss: world.provider.issuer, sub: 'alice' }]
  for (const subject of named) {
    const [alice, bob] = [await tokenFor(world, 'alice'), await tokenFor(world, 'bob')]
    const passedOn = await exchange(service, relay, alice)
    const counted = await revoke({ subject, dry_run: true })
    assert.equal((counted.json as { tokens: number }).tokens, 2)
    const { status, json } = await revoke({ subject })
    const { subject: shown, issuer, all } = json as Record<string, unknown>
    assert.deepEqual([status, shown, issuer, all], [201, `${world.alias}:alice`, null, false])
    assert.deepEqual(await areActive(alice, passedOn, bob), [false, false, true])
  }
  assert.equal(await isActive(await tokenFor(world, 'alice')), true)
})

test('a revocation by issuer ends what acts for its subjects; with other conditions only what has them too', async () => {
  const [world, other] = [await makeWorld(), await makeWorld()]
  const alice = await tokenFor(world, 'alice')
  const [bob, zoe] = [await tokenFor(world, 'bob'), await tokenFor(other, 'zoe')]
  await revoke({ issuer: world.alias, audience: 'https://else.example' })
  assert.deepEqual(await areActive(alice, bob, zoe), [true, true, true])
  await revoke({ subject: `${world.alias}:alice`, agent_id: world.agent.agentId })
  assert.deepEqual(await areActive(alice, bob, zoe), [false, true, true])
  const { status, json } = await revoke({ issuer: world.alias })
  assert.deepEqual([status, (json as { issuer: unknown }).issuer], [201, world.alias])
  assert.deepEqual(await areActive(bob, zoe), [false, true])
})

test('a revocation of a subject for whom nothing was issued is made, and is the same when it is repeated', async () => {
  const { alias } = await makeWorld()
  const body = { id: '0198d4c2-5d7c-7b7a-9c3e-1f2a3b4c5d6e', subject: `${alias}:nobody` }
  const counted = await revoke({ ...body, dry_run: true })
  assert.deepEqual([counted.status, (counted.json as { tokens: number }).tokens], [200, 0])
  assert.deepEqual([(await revoke(body)).status, (await revoke(body)).status], [201, 200])
  assertRefused(await revoke({ ...body, subject: `${alias}:other` }), 409, 'already_exists')
})

test('a revocation that names no subject of one issuer is refused, in words', async () => {
  const tenants = await makeWorld({ require: { tenant: 'a' } })
  const { provider } = tenants
  await makeWorld({ provider, require: { tenant: 'b' } })
  const byOid = await makeWorld({ subject_claim: 'oid' })
  const iss = (issuer: string) => ({ subject: { format: 'iss_sub', iss: issuer, sub: 'alice' } })
  const refused: readonly (readonly [object, RegExp])[] = [
    [iss(provider.issuer), /several trusted issuers/],
    [iss(byOid.provider.issuer), /names its subjects by oid/],
    [iss('https://nobody.example'), /no trusted issuer calls itself iss/],
    [{ subject: 'nobody:alice' }, /No trusted issuer has this alias/],
    [{ issuer: 'nobody' }, /No trusted issuer has this alias/],
    [{ issuer: tenants.alias, subject: `${tenants.alias}:alice` }, /goes without subject/],
    [{ subject: { format: 'iss_sub', iss: '\u0000', sub: 'alice' } }, /^subject/],
    [{ subject: 'Acme:alice' }, /^subject is not ALIAS:SUB/],
    [{ subject: '0198d4c2-5d7c-7b7a-9c3e-1f2a3b4c5d6e' }, /^subject is not ALIAS:SUB/],
    [{ subject: { format: 'email', email: 'alice@example.com' } }, /^subject/],
  ]
  for (const [body, description] of refused) {
    for (const dryRun of [{}, { dry_run: true }]) {
      assertRefused(await revoke({ ...body, ...dryRun }), 400, 'invalid_request', description)
    }
  }
})

test('as many subjects as there may be are blocked, and no more', async () => {
  const { alias } = await makeWorld()
  await block(alias, { sub: 'zoe' })
  const add = (count: number) =>
    execBeside(
      service.storeFile,
      `update trusted_issuer set blocked_count = blocked_count + ${count} where alias = '${alias}'`,
    )
  const { blocked: others } = readRow(service.storeFile, 'select sum(blocked_count) as blocked from trusted_issuer')
  await add(BLOCKED_SUBJECTS_MAX - Number(others))
  for (const dryRun of [{}, { dry_run: true }]) {
    const answer = await block(alias, { sub: 'alice', ...dryRun })
    assertRefused(answer, 400, 'invalid_request', /^100000 subjects are blocked/)
  }
  // One that is blocked stays so; once another is not, there is room.
  assert.equal((await block(alias, { sub: 'zoe' })).status, 200)
  await unblock(alias, { sub: 'zoe' })
  assert.equal((await block(alias, { sub: 'alice' })).status, 200)
  await add(Number(others) - BLOCKED_SUBJECTS_MAX)
})
