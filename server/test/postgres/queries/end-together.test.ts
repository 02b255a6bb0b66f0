// Single tokens that are ended at the same time go in one statement each, and what is said of each is as if it came alone.
import { randomBytes } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { type TokenAddress, makeTokenId } from '../../../src/domain/ledger/claims.ts'
import { NO_CONDITION } from '../../../src/domain/ledger/ledger.ts'
import { act, createAgent, issue, makeTestStore, START } from '../../../../testkit/stores/store.ts'
import { countRows, readNumber, readRows } from '../../../../testkit/stores/store-file.ts'
import assert from 'node:assert/strict'

process.env['MINTMARK_TEST_STORE'] = 'postgres'

const makeWorld = async (t: TestContext) => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  const { store } = world
  const agent = await createAgent(store)
  const end = (token: TokenAddress, note: string) =>
    store.ledger.end(token, 'manual_revocation', {
      ...act('token.revoke'),
      actor: { type: 'client', id: `by ${note}` },
      requestId: `request ${note}`,
      source: '192.0.2.1',
      note,
    })
  return { ...world, agent, end }
}

const several = (count: number): object[] => Array.from({ length: count }, () => ({}))

const HISTORY = `select t.id::text as id, t.reason, a.actor, a.note, a.request_id, u.subject, u.note as "auditNote", u.n
  from ended t join act a on a.n = t.act join audit u on u.subject = t.id::text and u.kind = 'token.revoke' order by u.n`

test('tokens that are ended at once are each ended by who asked for it, in one transaction and with an audit row each', async t => {
  const { store, agent, end, file } = await makeWorld(t)
  const tokens = await issue(store, agent, ...several(20))
  const acts = countRows(file, 'act')
  const outcomes = await Promise.all(tokens.map((token, n) => end(token, `${n}`)))
  assert.deepEqual(new Set(outcomes), new Set(['ended']))
  const rows = readRows(file, HISTORY)
  assert.deepEqual(
    rows.map(row => [row['id'], row['subject'], row['actor'], row['note'], row['request_id'], row['auditNote']]),
    tokens.map(({ id }, n) => [id, id, `{"type":"client","id":"by ${n}"}`, `${n}`, `request ${n}`, `${n}`]),
  )
  assert.equal(countRows(file, 'act') - acts, 20)
  // A part of a transaction that could be rolled back alone would have a number of its own.
  assert.equal(readNumber(file, 'select count(distinct xmin::text) as n from ended'), 1)
  assert.deepEqual(
    await store.ledger.find(tokens),
    tokens.map(() => undefined),
  )
})

test('of tokens that are ended at once each gets what it would get alone', async t => {
  const { store, agent, end, clock } = await makeWorld(t)
  const [expired] = await issue(store, agent, {})
  clock.advance(299_000)
  const [one, other, before] = await issue(store, agent, ...several(3))
  assert.ok(expired && one && other && before)
  await end(before, 'before')
  clock.advance(1000)
  const asked: readonly TokenAddress[] = [
    one,
    { id: makeTokenId(START, randomBytes(10)), lifetimeSeconds: 300 },
    one,
    { ...other, lifetimeSeconds: 301 },
    before,
    other,
    expired,
    one,
  ]
  assert.deepEqual(await Promise.all(asked.map((token, n) => end(token, `${n}`))), [
    'ended',
    'unknown',
    'already_ended',
    'unknown',
    'already_ended',
    'ended',
    'already_ended',
    'already_ended',
  ])
})

test('a token that an open cut-off covers keeps its reason, also among others that are ended at once', async t => {
  const { store, agent, end, file } = await makeWorld(t)
  const read = { scope: 'db:read' }
  const tokens = await issue(store, agent, ...Array.from({ length: 66 }, () => read))
  const [spared] = await issue(store, agent, { scope: 'db:write' })
  assert.ok(spared)
  await store.ledger.endAll({ ...NO_CONDITION, scope: 'db:read' }, 'bulk_revocation', act('revocation.create'))
  assert.equal(countRows(file, 'ended'), 0)
  const asked = [...tokens.slice(0, 2), spared]
  assert.deepEqual(await Promise.all(asked.map((token, n) => end(token, `${n}`))), [
    'already_ended',
    'already_ended',
    'ended',
  ])
  assert.deepEqual(
    readRows(file, 'select distinct a.kind from ended join act a on a.n = ended.act order by 1').map(
      row => row['kind'],
    ),
    ['revocation.create', 'token.revoke'],
  )
  assert.equal(readNumber(file, 'select moved as n from cutoff'), 2)
})

test('one that spoils the statement of all fails alone', async t => {
  const { store, agent, end, file } = await makeWorld(t)
  const tokens = await issue(store, agent, ...several(3))
  // A text of PostgreSQL holds no such character.
  const ending = tokens.map((token, n) => end(token, n === 1 ? 'a\0b' : `${n}`))
  const settled = await Promise.allSettled(ending)
  assert.deepEqual(
    settled.map(one => (one.status === 'fulfilled' ? one.value : 'failed')),
    ['ended', 'failed', 'ended'],
  )
  assert.deepEqual([countRows(file, 'ended'), countRows(file, 'token')], [2, 1])
})
