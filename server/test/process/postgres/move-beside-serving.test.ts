// A store is copied into a database while it is served: whatever happens meanwhile is in the database at the end, and at no
// time can both be served.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { openDatabase as openStoreFile } from '../../../src/store/sqlite/connection/database.ts'
import { abandonMove, copyBesideServing, finishMove } from '../../../src/compose/move.ts'
import { NO_CONDITION } from '../../../src/domain/ledger/ledger.ts'
import { StartRefused } from '../../../src/config/start-refused.ts'
import { TIMING } from '../../../src/ports/timing.ts'
import { verifyTable } from '../../../src/store/offline/copy-tables.ts'
import { copyLastChanges, copyStore, makeStoreOfCopy } from '../../../src/store/offline/move-tables.ts'
import type { MoveSource, MoveTarget } from '../../../src/store/offline/moving.ts'
import { SERVICE, TABLES } from '../../../src/store/tables.ts'
import { withTarget } from '../../../src/store/offline/postgres/moving-target.ts'
import { openPostgresStore } from '../../../src/store/postgres/open.ts'
import { rowsIn } from '../../../src/store/offline/postgres/table-rows.ts'
import { exportOnline, exportOffline, type WithStoreLocked } from '../../../src/store/offline/sqlite/moving-store.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { restoreInPlace } from '../../../src/store/offline/sqlite/act-alone.ts'
import { rowsOf } from '../../../src/store/offline/sqlite/table-rows.ts'
import { StoreProblem } from '../../../src/store/store-problem.ts'
import { restorationAt } from '../../../../testkit/stores/backups.ts'
import { makeTestDatabase } from '../../../../testkit/databases/postgres-cluster.ts'
import { addressOf, withConnection } from '../../../../testkit/databases/postgres-store.ts'
import { act, createAgent, issue, KEEP_LONG, makeTestStore, type TestAgent } from '../../../../testkit/stores/store.ts'
import { readNumber, withFile } from '../../../../testkit/stores/store-file.ts'

const emptyAddress = async (t: TestContext) => {
  const database = await makeTestDatabase()
  t.after(database.drop)
  return addressOf(database.name)
}

const openFile = (file: string) => openSqliteStore({ file, timing: TIMING, retention: null })

const openDatabase = (address: World['address']) => openPostgresStore({ address, timing: TIMING, retention: null })

/** A store that is served, with agents and tokens, and an empty database. */
const makeWorld = async (t: TestContext) => {
  const world = await makeTestStore(KEEP_LONG, Date.now())
  t.after(world.dispose)
  const { store, file } = world
  const agents = [
    await createAgent(store),
    await createAgent(store),
    await createAgent(store),
    await createAgent(store),
  ]
  const [one] = agents
  assert.ok(one)
  const tokens = await issue(store, one, ...Array.from({ length: 40 }, () => ({ lifetimeSeconds: 3600 })))
  const [ended] = await issue(store, one, {})
  assert.ok(ended)
  await store.ledger.end(ended, 'manual_revocation', act('token.revoke'))
  return { file, store, agents, tokens, address: await emptyAddress(t) }
}

type World = Awaited<ReturnType<typeof makeWorld>>

const rename = async ({ store }: World, agent: TestAgent, name: string): Promise<void> => {
  const changed = await store.agents.change(
    { agentId: agent.id, change: { name }, serviceAudience: null },
    act('agent.change'),
  )
  assert.notEqual(typeof changed, 'string')
}

/** Something of everything that changes a store; `round` distinguishes one time from another. */
const live = async (world: World, round: number): Promise<void> => {
  const { store, agents, tokens } = world
  const [one, two, three] = agents
  assert.ok(one && two && three)
  const fresh = await issue(
    store,
    one,
    { scope: `db:r${round}` },
    { audience: [`urn:${round}`] },
    { lifetimeSeconds: 90 },
  )
  for (const token of [fresh[0], tokens[2 * round]]) {
    assert.ok(token)
    assert.equal(await store.ledger.end(token, 'manual_revocation', act('token.revoke')), 'ended')
  }
  // What one gives up the other takes, so that in no order of writing them no name is there twice.
  const [first, second] = round % 2 === 0 ? ['a', 'b'] : ['b', 'a']
  await rename(world, two, `between ${round}`)
  await rename(world, three, second)
  await rename(world, two, first)
  const another = await createAgent(store)
  await issue(store, another, {})
  await store.ledger.endAll({ ...NO_CONDITION, scope: `db:r${round}` }, 'bulk_revocation', act('revocation.create'))
  if (round % 2 === 1) await store.agents.disable(another.id, act('agent.disable'))
  const keyHash = randomBytes(32).toString('hex')
  const key = { id: randomUUID(), name: `k${round}`, permissions: [], audiences: null, keyHash, expiry: null }
  await store.apiKeys.create(key, { ...act('api_key.create'), idempotencyKey: `once ${round}` })
}

const quietly = { onMoved: () => undefined }

const withMove = <T>(
  { file, address }: Pick<World, 'file' | 'address'>,
  work: (source: MoveSource, target: MoveTarget) => Promise<T>,
): Promise<T> =>
  exportOnline({ file, timing: TIMING }, source =>
    withTarget({ address, timing: TIMING }, { id: source.id, now: Date.now() }, target => work(source, target)),
  )

/** Lives on before each of these tables is written the first time, and before each is compared. */
const copyWhileLiving = (world: World): Promise<unknown> =>
  withMove(world, (source, target) => {
    const lived = new Set<string>()
    const before = async (step: string, table: string): Promise<void> => {
      if (!['act', 'token', 'ended', 'audit'].includes(table) || lived.has(step + table)) return
      lived.add(step + table)
      await live(world, lived.size)
    }
    const living: MoveTarget = {
      ...target,
      write: async (table, columns, rows) => {
        await before('write', table.name)
        return target.write(table, columns, rows)
      },
      page: async page => {
        await before('compare', page.table.name)
        return target.page(page)
      },
    }
    return copyStore({ source, target: living, ...quietly }).finally(() => assert.equal(lived.size, 8))
  })

/** Every row of every table. */
const assertSame = ({ file, address }: World): Promise<void> =>
  withConnection(address, async connection => {
    const problems: string[] = []
    const db = openStoreFile(file, { readOnly: true })
    for (const table of [...TABLES, SERVICE]) {
      await verifyTable(rowsOf(db), rowsIn(connection), table).catch(fault => problems.push(String(fault)))
    }
    db.close()
    assert.deepEqual(problems, [])
  })

const problem = (pattern: RegExp) => (fault: unknown) =>
  (fault instanceof StoreProblem || fault instanceof StartRefused) && pattern.test(fault.message)

test('whatever happens while a store is copied, and until its service is stopped, is in the database', async t => {
  const world = await makeWorld(t)
  const { file, store, address, tokens } = world
  await copyWhileLiving(world)
  await live(world, 9)
  await copyBesideServing({ file, address, ...quietly })
  await live(world, 10)
  await assert.rejects(finishMove({ file, address, ...quietly }), problem(/is in use by a mintmark that runs/))
  await assert.rejects(openDatabase(address), problem(/is being copied into it/))
  await store.close()
  const { changed } = await finishMove({ file, address, ...quietly })
  assert.ok(changed > 10, String(changed))
  await assertSame(world)
  const moved = await openDatabase(address)
  t.after(moved.close)
  const dead = (await moved.ledger.find(tokens)).map(token => token?.dead ?? true)
  assert.deepEqual(
    dead,
    tokens.map((_, n) => n > 0 && n <= 20 && n % 2 === 0),
  )
})

test('while nobody may write, no table is read from its beginning: only what has changed', async t => {
  const world = await makeWorld(t)
  const { file, store, address } = world
  await copyBesideServing({ file, address, ...quietly })
  await live(world, 1)
  await store.close()
  const refuse = (): never => {
    throw new Error('The whole table was read.')
  }
  await exportOffline({ file, timing: TIMING }, (source, lock) =>
    withTarget({ address, timing: TIMING }, { id: source.id, now: Date.now() }, async target => {
      assert.ok(lock)
      const held = { source: { ...source, page: refuse, count: refuse }, target: { ...target, page: refuse } }
      assert.ok((await lock(() => copyLastChanges({ ...held, ...quietly }))) > 5)
      await makeStoreOfCopy({ source, target, ...quietly })
    }),
  )
  await assertSame(world)
})

const CRASH = new Error('The machine went.')

type Finish = (last: () => Promise<number>, lock: WithStoreLocked | null) => Promise<unknown> | undefined

/** A move whose end is `finish`, which throws: the last changes are copied by `last`, while `lock` excludes other processes. */
const breakOff = async ({ file, address }: World, finish: Finish): Promise<void> => {
  const broken = exportOffline({ file, timing: TIMING }, (source, lock) =>
    withTarget({ address, timing: TIMING }, { id: source.id, now: Date.now() }, async target => {
      await copyStore({ source, target, ...quietly })
      await finish(() => copyLastChanges({ source, target, ...quietly }), lock)
    }),
  )
  await assert.rejects(broken, CRASH)
}

test('a move that ends between the mark on the file and the end leaves nothing that serves, and is finished later', async t => {
  const world = await makeWorld(t)
  const { file, store, address } = world
  await store.close()
  await breakOff(world, async (last, lock) => {
    await lock?.(last)
    throw CRASH
  })
  await assert.rejects(openFile(file), problem(/was copied into a database/))
  await assert.rejects(openDatabase(address), problem(/is being copied into it/))
  const empty = await emptyAddress(t)
  await assert.rejects(finishMove({ file, address: empty, ...quietly }), problem(/is not the one into which/))
  await assert.rejects(abandonMove(file), problem(/was copied into a database/))
  await finishMove({ file, address, ...quietly })
  await assertSame(world)
})

test('a move that ends before the mark leaves a store that goes on, and what it does then is copied too', async t => {
  const world = await makeWorld(t)
  const { file, store, address } = world
  await store.close()
  await breakOff(world, (last, lock) =>
    lock?.(async () => {
      await last()
      throw CRASH
    }),
  )
  const again = await openFile(file)
  await live({ ...world, store: again }, 1)
  await again.close()
  await finishMove({ file, address, ...quietly })
  await assertSame(world)
})

test('what changed is looked at again in the database, and another row there is found', async t => {
  const world = await makeWorld(t)
  await copyBesideServing({ ...world, ...quietly })
  await live(world, 1)
  for (const lost of ['replace', 'remove'] as const) {
    const copied = withMove(world, (source, target) =>
      copyStore({ source, target: { ...target, [lost]: async () => undefined }, ...quietly }),
    )
    await assert.rejects(copied, problem(/What changed in \w+ is not what was copied of it/), lost)
  }
})

const LOGS = `select count(*) from sqlite_schema where name like 'moving%'`

test('a log that may have missed something is begun anew, and what was copied before is refused', async t => {
  const world = await makeWorld(t)
  const { file, address } = world
  await copyBesideServing({ file, address, ...quietly })
  withFile(file, db => db.exec('drop trigger moving_agent_update'))
  const refused = problem(/holds a part of another store, or of this one before it went on/)
  await assert.rejects(copyBesideServing({ file, address, ...quietly }), refused)
  const other = await emptyAddress(t)
  await copyBesideServing({ file, address: other, ...quietly })
  // As a migration does.
  withFile(file, db => db.exec('update moving set version = version - 1'))
  await assert.rejects(copyBesideServing({ file, address: other, ...quietly }), refused)
})

test('a file that was put back as it had been earlier is not taken for what was copied', async t => {
  const world = await makeWorld(t)
  const { file, store, address } = world
  await copyBesideServing({ file, address, ...quietly })
  await live(world, 1)
  await copyBesideServing({ file, address, ...quietly })
  await store.close()
  withFile(file, db => db.exec('delete from moving_change where n > 3'))
  await assert.rejects(finishMove({ file, address, ...quietly }), problem(/was put back as it had been earlier/))
  await openFile(file).then(again => again.close())
})

test('a store keeps no log once its move is abandoned, or it is restored', async t => {
  const world = await makeWorld(t)
  const { file, store, address } = world
  assert.equal(await abandonMove(file), false)
  await copyBesideServing({ file, address, ...quietly })
  assert.ok(readNumber(file, LOGS) > 0)
  assert.equal(await abandonMove(file), true)
  assert.equal(readNumber(file, LOGS), 0)
  await live(world, 1)
  const other = await emptyAddress(t)
  await copyBesideServing({ file, address: other, ...quietly })
  await store.close()
  restoreInPlace({ file, timing: TIMING, restoration: restorationAt(Date.now()) })
  assert.equal(readNumber(file, LOGS), 0)
  await assert.rejects(finishMove({ file, address: other, ...quietly }), problem(/or of this one before it went on/))
})

test('two moves of one store are not made at once', async t => {
  const world = await makeWorld(t)
  await exportOnline({ file: world.file, timing: TIMING }, async () => {
    await assert.rejects(copyBesideServing({ ...world, ...quietly }), problem(/Another migrate-store copies/))
  })
})
