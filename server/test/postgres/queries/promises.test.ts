// What only a database that others share can break.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Unavailable } from '../../../src/domain/refusal.ts'
import type { NewToken } from '../../../src/ports/ports.ts'
import { makeTokenId } from '../../../src/domain/ledger/claims.ts'
import { TIMING } from '../../../src/ports/timing.ts'
import type { Connection } from '../../../src/store/postgres/connection/connection.ts'
import { runner } from '../../../src/store/postgres/connection/run-program.ts'
import { lockService, lockTokens, TOKENS_LOCK } from '../../../src/store/postgres/writer/open-transaction.ts'
import { keepPartitions } from '../../../src/store/postgres/partitions/partition-maintenance.ts'
import { connectPatiently } from '../../../src/store/postgres/connection/primary.ts'
import { makeTransactions } from '../../../src/store/postgres/writer/transactions.ts'
import { databaseOf, runStatement } from '../../../../testkit/databases/postgres-cluster.ts'
import { addressOf, withConnection } from '../../../../testkit/databases/postgres-store.ts'
import {
  act,
  createAgent,
  issue,
  KEEP_LONG,
  makeTestStore,
  newTokens,
  START,
} from '../../../../testkit/stores/store.ts'
import { countRows, readNumber, readRows } from '../../../../testkit/stores/store-file.ts'

process.env['MINTMARK_TEST_STORE'] = 'postgres'

const DAY_MS = 86_400_000
const REVOKE = act('token.revoke')
/** Other tests have databases in the same cluster. */
const HERE = 'database = (select oid from pg_database where datname = current_database())'
const WAITING = `pg_locks where locktype = 'advisory' and not granted and ${HERE}`

/** The lock of the row that orders acts. */
const LOCK_WANTED = `pg_locks where locktype in ('transactionid', 'tuple') and not granted`

const makeWorld = async (t: TestContext) => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  return { ...world, agent: await createAgent(world.store), address: await addressOf(databaseOf(world.file)) }
}

const partitionsOf = (file: string): readonly unknown[] =>
  readRows(file, 'select inhrelid::regclass::text as name from pg_inherits order by 1').map(row => row['name'])

test('a partition that is missing is made, and the token is issued all the same', async t => {
  const { store, agent, clock, file } = await makeWorld(t)
  clock.advance(30 * DAY_MS)
  const [token] = await issue(store, agent, {})
  assert.ok(token && partitionsOf(file).includes('token_20261221'))
  assert.equal(await store.ledger.end(token, 'manual_revocation', REVOKE), 'ended')
  assert.deepEqual(await store.ledger.find([token]), [undefined])
  assert.equal(countRows(file, 'ended'), 1)
})

test('a partition that is missing is made for who issues under the lock too', async t => {
  const { store, agent, clock, file } = await makeWorld(t)
  clock.advance(30 * DAY_MS)
  const tokens = await newTokens(store, agent, [{}])
  assert.deepEqual(await store.ledger.exclusively(ledger => ledger.insert(tokens)), ['inserted'])
  assert.ok(partitionsOf(file).includes('token_20261221'))
})

test('work that holds the lock for more than a second loses it, and asks nothing on a connection of others then', async t => {
  const { store, agent, file } = await makeWorld(t)
  const tokens = await newTokens(store, agent, [{}])
  const lost = Promise.withResolvers<void>()
  const inserts: Promise<unknown>[] = []
  const holding = store.ledger.exclusively(async ledger => {
    const inserting = lost.promise.then(() => ledger.insert(tokens))
    inserts.push(inserting)
    return inserting
  })
  await assert.rejects(holding, Unavailable)
  lost.resolve()
  await assert.rejects(Promise.all(inserts), Unavailable)
  assert.equal(countRows(file, 'token'), 0)
})

test('who holds the lock can read, however many wait for it', async t => {
  const { store, agent, file } = await makeWorld(t)
  const tokens = await newTokens(
    store,
    agent,
    Array.from({ length: 12 }, () => ({})),
  )
  const issueOne = (token: NewToken) =>
    store.ledger.exclusively(async ledger => {
      await store.agents.viewForIssue([agent.clientId], 'fresh')
      return ledger.insert([token])
    })
  await Promise.all(tokens.map(issueOne))
  assert.equal(countRows(file, 'token'), tokens.length)
})

test('partitions are made ahead, and dropped whole once nothing in them must be kept', async t => {
  const { store, agent, clock, file, address } = await makeWorld(t)
  const [ended, expired] = await issue(store, agent, {}, {})
  assert.ok(ended && expired)
  await store.ledger.end(ended, 'manual_revocation', REVOKE)
  const keep = () => keepPartitions(() => connectPatiently({ address, timing: TIMING }), KEEP_LONG, clock.wall())
  // The day, the longest life of a token, and what expired is kept for; until a moment before, it is all there.
  clock.advance(Date.UTC(2026, 10, 22) + DAY_MS + KEEP_LONG.expiredMs - 1 - START)
  await keep()
  assert.ok(partitionsOf(file).includes('token_20261121'))
  clock.advance(1)
  await keep()
  const left = partitionsOf(file)
  assert.ok(!left.includes('token_20261121') && left.includes('token_20261122') && left.includes('token_20261202'))
  assert.deepEqual([countRows(file, 'token'), countRows(file, 'ended')], [0, 1])
  assert.equal(countRows(file, `pg_class where relname = 'token_20261121'`), 0)
  clock.advance(400 * DAY_MS)
  await Promise.all([keep(), keep()])
  assert.equal(countRows(file, 'ended'), 0)
  // Of those that are closed the indexes are packed, once.
  assert.ok(countRows(file, `pg_description where description = 'packed'`) > 0)
})

test('a revoke that finds its work done writes all the same, and so waits for what did it', async t => {
  const { store, agent, file } = await makeWorld(t)
  const [token] = await issue(store, agent, {})
  assert.ok(token)
  await store.ledger.end(token, 'manual_revocation', REVOKE)
  const written = () => readNumber(file, `select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes`)
  const before = written()
  assert.equal(await store.ledger.end(token, 'manual_revocation', REVOKE), 'already_ended')
  assert.ok(written() > before)
})

test('a read of many statements waits for the standby as a look-up does: it leaves a mark to be confirmed', async t => {
  const { address } = await makeWorld(t)
  // A commit waits for the standby where its transaction has a number.
  const marked = 'select pg_current_xact_id_if_assigned() is not null as marked'
  const isMarked = (fencedReads: typeof address.fencedReads): Promise<boolean> =>
    withConnection(address, async connection => {
      const atCommit: unknown[] = []
      const ask: Connection['ask'] = async asked => {
        if (asked.text === 'commit') atCommit.push(...(await connection.ask({ text: marked })).rows)
        return connection.ask(asked)
      }
      const { read } = makeTransactions({ address: { ...address, fencedReads }, timing: TIMING })
      await read({ ...connection, ask }, () => connection.ask({ text: 'select 1' }))
      assert.equal(atCommit.length, 1)
      return (atCommit[0] as { marked: boolean }).marked
    })
  assert.equal(await isMarked('on'), true)
  // There is no standby to wait for.
  assert.deepEqual([await isMarked('auto'), await isMarked('off')], [false, false])
})

test('a commit that comes with a notice, as one that was not replicated does, is a failure', async t => {
  const { address, file } = await makeWorld(t)
  // Whatever notices the database sends to its clients.
  await runStatement(file, `alter database ${address.database} set client_min_messages = error`)
  await withConnection(address, async connection => {
    const { write } = makeTransactions({ address, timing: TIMING })
    await connection.ask({ text: 'create table noticed (n integer)' })
    await connection.ask({
      text: `create function notice() returns trigger language plpgsql as
        $$ begin raise warning 'canceling wait for synchronous replication'; return null; end $$`,
    })
    await connection.ask({
      text: `create constraint trigger noticing after insert on noticed deferrable initially deferred
        for each row execute function notice()`,
    })
    const work = () => connection.ask({ text: 'insert into noticed values (1)' })
    await assert.rejects(write(connection, work), Unavailable)
  })
  assert.equal(countRows(file, 'noticed'), 1)
})

test('a transaction that failed and is committed all the same is a failure', async t => {
  const { address } = await makeWorld(t)
  await withConnection(address, async connection => {
    const { write } = makeTransactions({ address, timing: TIMING })
    const work = () => connection.ask({ text: 'select 1 / 0' }).catch(() => undefined)
    await assert.rejects(write(connection, work), /took the transaction back/)
  })
})

test('a token that comes while an act is under way waits for it, and is decided on again', async t => {
  const { store, agent, file, address } = await makeWorld(t)
  await issue(store, agent, {})
  const [token] = await newTokens(store, agent, [{}])
  assert.ok(token)
  const waits = () => countRows(file, WAITING) > 0
  const outcomes = await withConnection(address, async connection => {
    await connection.ask({ text: 'begin' })
    await lockService(runner, connection)
    await lockTokens(runner, connection)
    await connection.ask({ text: 'update service set seq = seq + 1' })
    const done = { yet: false }
    const inserting = store.ledger.insert([token]).finally(() => {
      done.yet = true
    })
    while (!done.yet && !waits()) await turn()
    await connection.ask({ text: 'commit' })
    return inserting
  })
  assert.deepEqual(outcomes, ['decide_again'])
})

test('an act that comes while a token is being written waits for it, and ends it', async t => {
  const { store, agent, file, address } = await makeWorld(t)
  const [token] = await issue(store, agent, {})
  assert.ok(token)
  const waits = () => countRows(file, WAITING) > 0
  await withConnection(address, async connection => {
    await connection.ask({ text: 'begin' })
    await connection.ask({ text: 'select pg_advisory_xact_lock_shared($1)', values: [TOKENS_LOCK] })
    const done = { yet: false }
    const disabling = store.agents.disable(agent.id, act('agent.disable')).finally(() => {
      done.yet = true
    })
    while (!done.yet && !waits()) await turn()
    const id = makeTokenId(START, randomBytes(10))
    await connection.ask({
      text: 'insert into token select $1, digest, seq, life, agent, cred, key, scope, aud, lineage, subject, principal from token',
      values: [id],
    })
    await connection.ask({ text: 'commit' })
    await disabling
    assert.deepEqual(await store.ledger.find([token, { id, lifetimeSeconds: 300 }]), [undefined, undefined])
  })
  assert.equal(countRows(file, 'ended where reason = 4'), 2)
})

test('a token that was decided on before an act and comes after it finds another number, however they meet', async t => {
  const { store, agent, file } = await makeWorld(t)
  const other = await createAgent(store)
  await issue(store, other, {})
  const rounds = Array.from({ length: 20 }, async () => {
    const view = await store.agents.viewForIssue([other.clientId], 'fresh')
    const [client] = view.clients
    assert.ok(client)
    const token = {
      id: makeTokenId(view.now, randomBytes(10)),
      lifetimeSeconds: 300,
      digest: randomBytes(16).toString('hex'),
      agent: client.number,
      credential: client.credentials[0]?.number ?? 0,
      signingKey: view.signingKey.number,
      scope: 'db:read',
      audience: ['https://api.example'],
      seq: view.seq,
      limits: null,
    }
    const [outcomes] = await Promise.all([
      store.ledger.insert([token]),
      store.agents.disable(agent.id, act('agent.disable')),
      store.agents.enable(agent.id, act('agent.enable')),
    ])
    return { token, outcome: outcomes[0] }
  })
  for (const { token, outcome } of await Promise.all(rounds)) {
    const [found] = await store.ledger.find([token])
    if (outcome === 'inserted') assert.equal(found?.dead, false)
    else assert.deepEqual([outcome, found], ['decide_again', undefined])
  }
  // Nothing is left under a cut-off that is closed.
  const lost = `token t join agent a on a.n = t.agent where t.seq < a.ended_seq`
  assert.equal(countRows(file, `${lost} and not exists (select 1 from cutoff where state = 'open')`), 0)
})

test('an act has the time at which it got the lock that numbers it, however long it waited for it', async t => {
  const { store, file, address, clock } = await makeWorld(t)
  const before = readNumber(file, 'select max(n) as n from audit')
  await withConnection(address, async connection => {
    await connection.ask({ text: 'begin' })
    await lockService(runner, connection)
    const done = { yet: false }
    const creating = createAgent(store).finally(() => {
      done.yet = true
    })
    while (!done.yet && countRows(file, LOCK_WANTED) === 0) await turn()
    clock.advance(1000)
    await connection.ask({ text: 'commit' })
    await creating
  })
  assert.deepEqual(readRows(file, `select at from audit where n > ${before}`), [{ at: clock.wall() }])
})
