// The writing thread: what was handed over is written once, in groups in which one job's failure is its own.
import { randomBytes, randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { openDatabase } from '../../../src/store/sqlite/connection/database.ts'
import { BLANK_SETTINGS } from '../../../src/domain/clients/change-agent.ts'
import { NO_CONDITION } from '../../../src/domain/ledger/ledger.ts'
import { Unavailable } from '../../../src/domain/refusal.ts'
import { monotonicMs } from '../../../src/store/clocks.ts'
import { groupCommit } from '../../../src/store/sqlite/writer/writer-queue.ts'
import { type JobInput, type JobName, packTokens } from '../../../src/store/sqlite/writer/jobs.ts'
import type { JobMessage } from '../../../src/store/sqlite/writer/writer-messages.ts'
import type { StoreOptions } from '../../../src/store/store-options.ts'
import { GROUP_MAX } from '../../../src/domain/one-by-one.ts'
import {
  act,
  createAgent,
  issue,
  makeTestStore,
  newTokens,
  START,
  type TestAgent,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { countRows, openBeside, readNumber, withWritingConnection } from '../../../../testkit/stores/store-file.ts'
import assert from 'node:assert/strict'

type World = TestStore & { readonly agent: TestAgent }

const makeWorld = async (t: TestContext, writer: StoreOptions['writer'] = 'inline'): Promise<World> => {
  const world = await makeTestStore(null, START, writer)
  t.after(world.dispose)
  return { ...world, agent: await createAgent(world.store) }
}

const newAgent = (name: string) => {
  const agent = {
    ...BLANK_SETTINGS,
    id: randomUUID(),
    clientId: randomUUID(),
    name,
    scopes: ['db:*'],
    resources: ['*'],
  }
  return { ...agent, credential: { id: randomUUID(), secretHash: randomBytes(32).toString('hex') } }
}

const newApiKey = (id: string) => ({
  id,
  name: 'key',
  permissions: [],
  audiences: null,
  keyHash: randomBytes(32).toString('hex'),
  expiry: null,
})

let jobs = 0
const job = <Name extends JobName>(name: Name, input: JobInput<Name>): JobMessage => {
  jobs += 1
  return { n: jobs, sentAt: 0, deadline: monotonicMs() + 60_000, job: name, input }
}

/** Commits the jobs as one group; for each its value, or the kind of its failure. */
const commit = (world: TestStore, group: readonly JobMessage[]): readonly unknown[] =>
  withWritingConnection(world, connection => {
    const replies = groupCommit(connection, group)
    assert.deepEqual(
      replies.map(({ n }) => n),
      group.map(({ n }) => n),
    )
    return replies.map(reply => ('failure' in reply ? reply.failure.kind : reply.value))
  })

test('closing the store commits what was handed over before, and refuses what comes after', async t => {
  const world = await makeWorld(t)
  const { store, file } = world
  const writing = Array.from({ length: 300 }, () =>
    store.apiKeys.create(newApiKey(randomUUID()), act('api_key.create')),
  )
  await store.close()
  assert.equal((await Promise.all(writing)).length, 300)
  assert.equal(countRows(file, 'api_key'), 300)
  await assert.rejects(store.apiKeys.create(newApiKey(randomUUID()), act('api_key.create')), Unavailable)
  await assert.rejects(
    store.ledger.exclusively(() => Promise.resolve()),
    Unavailable,
  )
})

test('in a group the failure of one job is its own and leaves nothing of it', async t => {
  const world = await makeWorld(t)
  const { store, agent, file } = world
  const late = await newTokens(store, agent, [{ scope: 'db:new' }])
  const good = await newTokens(store, agent, [{ lifetimeSeconds: 101, scope: 'db:new' }])
  const twice = await newTokens(store, agent, [{ lifetimeSeconds: 102, scope: 'db:twice' }])
  const seq = readNumber(file, 'select seq from service')
  const group = [
    { ...job('insertTokens', packTokens(late)), deadline: 0 },
    job('createAgent', { agent: newAgent('kept'), act: act('agent.create') }),
    job('insertTokens', packTokens([...twice, ...twice])),
    job('insertTokens', packTokens(good)),
  ]
  const [overdue, created, fault, inserted] = commit(world, group)
  assert.deepEqual([overdue, fault], ['unavailable', 'fault'])
  assert.equal((created as { name: string }).name, 'kept')
  assert.deepEqual(inserted, ['inserted'])
  assert.deepEqual([countRows(file, 'token'), countRows(file, `agent where name = 'kept'`)], [1, 1])
  assert.equal(countRows(file, `scope_set where text = 'db:twice'`), 0)
  assert.equal(readNumber(file, 'select seq from service'), seq)
  const found = await store.ledger.find(good)
  assert.deepEqual(
    found.map(token => token?.scope),
    ['db:new'],
  )
})

test('what follows a failed act in a group sees the number and leaves the time as if it had not been tried', async t => {
  const world = await makeWorld(t)
  const { store, agent, file, clock } = world
  // More than an act looks at, so that each stays open and takes a place.
  await issue(store, agent, ...Array.from({ length: 1001 }, () => ({})))
  const conditions = { ...NO_CONDITION, scope: 'db:read' }
  const endAll = { conditions, reason: 'scope_removed', act: act('token.revoke') } as const
  for (let n = 0; n < 64; n += 1) await store.ledger.endAll(conditions, endAll.reason, endAll.act)
  const tokens = await newTokens(store, agent, [{}])
  clock.advance(5)
  const group = [
    job('endAll', endAll),
    job('insertTokens', packTokens(tokens)),
    job('createAgent', { agent: newAgent('later'), act: act('agent.create') }),
  ]
  const [refused, inserted] = commit(world, group)
  assert.deepEqual([refused, inserted], ['unavailable', ['inserted']])
  assert.equal(readNumber(file, 'select last_at from service'), clock.wall())
})

test('in a group an insert sees the number that a job before it took', async t => {
  const world = await makeWorld(t)
  const { store, agent, file } = world
  const tokens = await newTokens(store, agent, [{}])
  const disable = job('disableAgent', { agentId: agent.id, act: act('agent.disable') })
  const [, outcome] = commit(world, [disable, job('insertTokens', packTokens(tokens))])
  assert.deepEqual(outcome, ['decide_again'])
  assert.equal(countRows(file, 'token'), 0)
})

test('a job whose deadline has passed is not begun, whatever its group does', async t => {
  const world = await makeWorld(t)
  const late = { ...job('createApiKey', { apiKey: newApiKey('late'), act: act('api_key.create') }), deadline: 0 }
  const early = job('createApiKey', { apiKey: newApiKey('early'), act: act('api_key.create') })
  const [refused] = commit(world, [late, early])
  assert.equal(refused, 'unavailable')
  assert.deepEqual([countRows(world.file, `api_key where id = 'late'`), countRows(world.file, 'api_key')], [0, 1])
})

test('each check of health is a write that another process can see', async t => {
  const { store, file } = await makeWorld(t)
  const db = openDatabase(file, { readOnly: true })
  t.after(() => db.close())
  const versions: unknown[] = []
  for (let n = 0; n < 3; n += 1) {
    assert.equal(await store.health.check(), null)
    versions.push(db.pragma('data_version'))
  }
  assert.equal(new Set(versions).size, 3)
})

test('acts wait at most a second for work that pauses them, and what it inserts then is to be decided again', async t => {
  const { store, agent, file } = await makeWorld(t)
  const other = await createAgent(store)
  const tokens = await newTokens(store, agent, [{}])
  const outcomes = await store.ledger.exclusively(async ledger => {
    await store.agents.disable(other.id, act('agent.disable')) // waits until the pause is over
    return ledger.insert(tokens)
  })
  assert.deepEqual(outcomes, ['decide_again'])
  assert.deepEqual([countRows(file, 'token'), countRows(file, `audit where kind = 'agent.disable'`)], [0, 1])
})

test('a caller who comes too late to pause acts does not end the pause of another', async t => {
  const { store, agent, file } = await makeWorld(t)
  const other = await createAgent(store)
  const [first, second] = [await newTokens(store, agent, [{}]), await newTokens(store, agent, [{}])]
  let disabling: Promise<unknown> = Promise.resolve()
  const outcomes = await store.ledger.exclusively(async ledger => {
    disabling = store.agents.disable(other.id, act('agent.disable'))
    await assert.rejects(
      store.ledger.exclusively(() => Promise.resolve(), monotonicMs() - 1),
      Unavailable,
    )
    return [...(await ledger.insert(first)), ...(await ledger.insert(second))]
  })
  assert.deepEqual(outcomes, ['inserted', 'inserted'])
  await disabling
  assert.deepEqual([countRows(file, 'token'), countRows(file, `audit where kind = 'agent.disable'`)], [2, 1])
})

test('a caller whose pause is over does not end that of another when its work ends', async t => {
  const { store, agent, file } = await makeWorld(t)
  const [other, third] = [await createAgent(store), await createAgent(store)]
  const [isOver, isOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const late = store.ledger.exclusively(async () => {
    await store.agents.disable(other.id, act('agent.disable')) // waits until the pause is over
    isOver.resolve()
    await isOn.promise
  })
  await isOver.promise
  let disabling: Promise<unknown> = Promise.resolve()
  const outcomes = await store.ledger.exclusively(async ledger => {
    const [first, second] = [await newTokens(store, agent, [{}]), await newTokens(store, agent, [{}])]
    isOn.resolve()
    await late
    disabling = store.agents.disable(third.id, act('agent.disable'))
    return [...(await ledger.insert(first)), ...(await ledger.insert(second))]
  })
  assert.deepEqual(outcomes, ['inserted', 'inserted'])
  await disabling
  assert.deepEqual([countRows(file, 'token'), countRows(file, `audit where kind = 'agent.disable'`)], [2, 2])
})

test('while fifty callers stream acts, every issue that pauses them is written at its first attempt, and the acts go on', async t => {
  const { store, agent, file } = await makeWorld(t)
  const others = await Promise.all(Array.from({ length: 50 }, () => createAgent(store)))
  const started = Promise.withResolvers<void>()
  const going = new AbortController()
  let acts = 0
  const streams = others.map(async ({ id }) => {
    while (!going.signal.aborted) {
      await store.agents.disable(id, act('agent.disable'))
      await store.agents.enable(id, act('agent.enable'))
      acts += 1
      if (acts === others.length) started.resolve()
    }
  })
  await started.promise
  const issueOne = () => store.ledger.exclusively(async ledger => ledger.insert(await newTokens(store, agent, [{}])))
  const before = acts
  for (let n = 0; n < 20; n += 1) {
    assert.deepEqual(await Promise.all([issueOne(), issueOne()]), [['inserted'], ['inserted']])
  }
  assert.ok(acts - before >= 20, `only ${acts - before} acts were done meanwhile`)
  going.abort()
  await Promise.all(streams)
  assert.equal(countRows(file, 'token'), 40)
})

test('a revocation behind a flood of new tokens does not wait for them all', async t => {
  const { store, agent, file } = await makeWorld(t, 'thread')
  const [ended] = await issue(store, agent, {})
  assert.ok(ended)
  const flood = await newTokens(
    store,
    agent,
    Array.from({ length: 6 * GROUP_MAX }, () => ({})),
  )
  let written = 0
  const other = openBeside(file)
  t.after(() => other.close())
  other.exec('begin immediate')
  const writing = flood.map(token =>
    store.ledger.insert([token]).then(() => {
      written += 1
    }),
  )
  const ending = store.ledger.end(ended, 'manual_revocation', act('token.revoke')).then(() => written)
  other.exec('rollback')
  // The group that the thread had begun with, and that of the revocation.
  assert.ok((await ending) <= 2 * GROUP_MAX)
  await Promise.all(writing)
  assert.equal(countRows(file, 'token'), flood.length)
})
