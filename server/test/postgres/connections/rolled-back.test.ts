// On deadlock PostgreSQL rolls one transaction back, and nothing of it is done: the store repeats it, and its caller does
// not notice.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { Unavailable } from '../../../src/domain/refusal.ts'
import { testCluster } from '../../../../testkit/databases/postgres-cluster.ts'
import { openStoresThrough } from '../../../../testkit/databases/postgres-store.ts'
import {
  act,
  createAgent,
  issue,
  makeTestStore,
  NO_HISTORY_FILTERS,
  NO_TOKEN_FILTERS,
  newTokens,
} from '../../../../testkit/stores/store.ts'
import { countRows, readNumber, readRows, withFile } from '../../../../testkit/stores/store-file.ts'

process.env['MINTMARK_TEST_STORE'] = 'postgres'

// What a connection has locked for itself outlives a rollback, also where it may only read.
const IS_FIRST = `create function is_first(round integer) returns boolean language plpgsql as $$
  begin
    if exists (select from pg_locks where locktype = 'advisory' and classid = 815 and objid = round and pid = pg_backend_pid())
      then return false;
    end if;
    perform pg_advisory_lock_shared(815, round);
    return true;
  end $$`

const DEADLOCK = `raise exception 'deadlock detected' using errcode = 'deadlock_detected'`

const ROLL_BACK = `create function roll_back() returns trigger language plpgsql as $$
  begin
    if is_first(tg_argv[0]::integer) then ${DEADLOCK}; end if;
    return null;
  end $$`

const TAKEN = `select count(*) as n from pg_locks where locktype = 'advisory' and classid = 815 and objid = ?`

const makeWorld = async (t: TestContext, pooling: 'session' | 'transaction' = 'session') => {
  openStoresThrough({ pooling })
  t.after(() => openStoresThrough({}))
  const world = await makeTestStore(null)
  t.after(world.dispose)
  const { file, store } = world
  const exec = (sql: string): void => withFile(file, db => db.exec(sql))
  exec(IS_FIRST)
  exec(ROLL_BACK)
  const { clockFolder } = await testCluster()
  let round = 0

  /** From now on each statement that asks for the time is rolled back where this is true. */
  const rollBackWhere = (condition: string): void =>
    exec(`create or replace function mintmark_now() returns bigint language plpgsql volatile as $$
      begin
        if ${condition} then ${DEADLOCK}; end if;
        return pg_read_file('${clockFolder}/' || current_database())::bigint;
      end $$`)

  /** Runs `work` while the first statement of each connection is rolled back. */
  const rolledBackOnce = async <T>(work: () => Promise<T>): Promise<T> => {
    round += 1
    rollBackWhere(`is_first(${round})`)
    const done = await work()
    assert.ok(Number(readRows(file, TAKEN, round)[0]?.['n']) > 0, 'something was rolled back')
    rollBackWhere('false')
    return done
  }

  const agent = await createAgent(store)
  return { ...world, agent, exec, rollBackWhere, rolledBackOnce }
}

const PAGE = { audiences: null, after: null, limit: 10 }

for (const pooling of ['session', 'transaction'] as const) {
  test(`issues, look-ups, lists, ends and acts that are rolled back are repeated, with the pooling of a ${pooling}`, async t => {
    const { store, agent, rolledBackOnce } = await makeWorld(t, pooling)
    const rows = await newTokens(store, agent, [{}, {}])
    await issue(store, agent, {})
    assert.deepEqual(await rolledBackOnce(() => store.ledger.insert(rows)), ['inserted', 'inserted'])
    const [token, other] = rows
    assert.ok(token && other)
    const found = await rolledBackOnce(() => store.ledger.find([token]))
    assert.equal(found[0]?.dead, false)
    const live = await rolledBackOnce(() => store.ledger.listLive({ ...PAGE, filters: NO_TOKEN_FILTERS }))
    assert.equal(live.records.length, 3)
    const end = () => store.ledger.end(token, 'manual_revocation', act('token.revoke'))
    assert.equal(await rolledBackOnce(end), 'ended')
    assert.equal(await rolledBackOnce(end), 'already_ended')
    await rolledBackOnce(() => store.agents.disable(agent.id, act('agent.disable')))
    assert.equal((await store.ledger.find([other]))[0], undefined)
    const ended = await rolledBackOnce(() => store.ledger.listEnded({ ...PAGE, filters: NO_HISTORY_FILTERS }))
    assert.deepEqual(ended.records.map(({ reason }) => reason).toSorted(), [
      'agent_disabled',
      'agent_disabled',
      'manual_revocation',
    ])
  })
}

test('a scope that was rolled back with its token is stored with the token that repeats it', async t => {
  const { store, file, exec } = await makeWorld(t)
  // A limit makes it one that is written by a job.
  const agent = await createAgent(store, null, { liveTokensMax: 5 })
  const rows = await newTokens(store, agent, [{ scope: 'new:scope' }])
  exec('create trigger taken after insert on token for each statement execute function roll_back(0)')
  assert.deepEqual(await store.ledger.insert(rows), ['inserted'])
  assert.equal(Number(readRows(file, TAKEN, 0)[0]?.['n']), 1)
  assert.equal(countRows(file, 'token join scope_set on scope_set.n = token.scope'), 1)
})

test('tokens whose ends are rolled back midway are each ended once, alone or with others', async t => {
  const { store, agent, file, exec } = await makeWorld(t)
  const [alone, ...others] = await issue(store, agent, ...Array.from({ length: 5 }, () => ({})))
  assert.ok(alone)
  const acts = countRows(file, 'act')
  const end = (token: typeof alone) => store.ledger.end(token, 'manual_revocation', act('token.revoke'))
  for (const [round, tokens] of [[alone], others].entries()) {
    exec(
      `create or replace trigger taken after insert on audit for each statement execute function roll_back(${round})`,
    )
    assert.deepEqual(
      await Promise.all(tokens.map(end)),
      tokens.map(() => 'ended'),
    )
    assert.equal(Number(readRows(file, TAKEN, round)[0]?.['n']), 1)
  }
  assert.equal(countRows(file, 'act') - acts, 5)
  assert.equal(countRows(file, `audit where kind = 'token.revoke'`), 5)
  assert.equal(readNumber(file, 'select count(distinct id) as n from ended'), 5)
})

test('what is rolled back every time is unavailable, and nothing of it was done', async t => {
  const { store, agent, file, rollBackWhere } = await makeWorld(t)
  const [token] = await issue(store, agent, {})
  const rows = await newTokens(store, agent, [{}])
  assert.ok(token)
  rollBackWhere('true')
  const asked = [
    () => store.ledger.insert(rows),
    () => store.ledger.find([token]),
    () => store.ledger.end(token, 'manual_revocation', act('token.revoke')),
    () => store.ledger.listLive({ ...PAGE, filters: NO_TOKEN_FILTERS }),
  ]
  for (const ask of asked) await assert.rejects(ask, Unavailable)
  rollBackWhere('false')
  assert.deepEqual([countRows(file, 'token'), countRows(file, 'ended')], [1, 0])
  assert.equal((await store.ledger.find([token]))[0]?.dead, false)
})
