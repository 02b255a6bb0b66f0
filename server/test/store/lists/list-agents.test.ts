// The list of agents: by name, in pages, with filters, and the search.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { AgentSettings } from '../../../src/domain/clients/change-agent.ts'
import { type AgentFilters, PAGE_EXAMINED_MAX } from '../../../src/domain/lists/page.ts'
import {
  act,
  createAgent,
  issue,
  makeTestStore,
  type TestedStore,
  testEmbedded,
  type TestStore,
  NO_AGENT_FILTERS,
} from '../../../../testkit/stores/store.ts'
import { importedAgent } from '../../../../testkit/callers/imports.ts'
import { withFile } from '../../../../testkit/stores/store-file.ts'
import { planOf } from './list-plans.ts'
import { NAME_STATEMENTS } from './name-statements.ts'

const makeWorld = async (t: TestContext): Promise<TestStore> => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  return world
}

const add = (store: TestedStore, name: string, settings: Partial<AgentSettings> = {}) =>
  createAgent(store, null, { name, ...settings })

/** The names on each page. */
const pagesOf = async (store: TestedStore, limit: number, filters: Partial<AgentFilters> = {}) => {
  const pages: (readonly string[])[] = []
  let after: string | null = null
  do {
    const page = await store.agents.list({ filters: { ...NO_AGENT_FILTERS, ...filters }, after, limit })
    pages.push(page.records.map(({ name }) => name))
    after = page.next
    assert.ok(pages.length < 100, 'The pages do not end.')
  } while (after !== null)
  return pages
}

test('agents are listed by name, page by page, none twice and none left out', async t => {
  const { store } = await makeWorld(t)
  for (const name of ['é', 'c', 'ba', 'b', 'a', '🙂']) await add(store, name)
  assert.deepEqual(await pagesOf(store, 2), [
    ['a', 'b'],
    ['ba', 'c'],
    ['é', '🙂'],
  ])
  assert.deepEqual(await pagesOf(store, 4), [
    ['a', 'b', 'ba', 'c'],
    ['é', '🙂'],
  ])
  assert.deepEqual(await pagesOf(store, 6), [['a', 'b', 'ba', 'c', 'é', '🙂']])
})

test('beyond the basic plane too names are in the order of their code points, with a beginning as without', async t => {
  const { store } = await makeWorld(t)
  const names = ['\u{FF5E}a', '\u{FF5E}b', '🙂a', '🙂b']
  for (const name of names) await add(store, name)
  assert.deepEqual((await pagesOf(store, 1)).flat(), names)
  assert.deepEqual((await pagesOf(store, 1, { namePrefix: '🙂' })).flat(), names.slice(2))
  assert.deepEqual((await pagesOf(store, 1, { namePrefix: '\u{FF5E}' })).flat(), names.slice(0, 2))
})

test('an empty store is one empty page', async t => {
  const { store } = await makeWorld(t)
  assert.deepEqual(await pagesOf(store, 2), [[]])
})

test('filters: disabled or not, owner, each of the labels, the beginning of the name', async t => {
  const { store } = await makeWorld(t)
  await add(store, 'api one', { owner: 'data', labels: { team: 'a', env: 'prod' } })
  await add(store, 'api two', { owner: 'web', labels: { team: 'a' } })
  const off = await add(store, 'api', { labels: { env: 'a', team: 'prod' } })
  await add(store, 'b')
  await store.agents.disable(off.id, act('agent.disable'))
  const found = async (filters: Partial<AgentFilters>) => (await pagesOf(store, 10, filters)).flat()
  assert.deepEqual(await found({ disabled: true }), ['api'])
  assert.deepEqual(await found({ disabled: false }), ['api one', 'api two', 'b'])
  assert.deepEqual(await found({ owner: 'web' }), ['api two'])
  assert.deepEqual(await found({ labels: [{ key: 'team', value: 'a' }] }), ['api one', 'api two'])
  const both = [
    { key: 'team', value: 'a' },
    { key: 'env', value: 'prod' },
  ]
  assert.deepEqual(await found({ labels: both }), ['api one'])
  assert.deepEqual(await found({ namePrefix: 'api' }), ['api', 'api one', 'api two'])
  assert.deepEqual(await found({ namePrefix: 'api ' }), ['api one', 'api two'])
  assert.deepEqual(await found({ namePrefix: 'API' }), [])
  assert.deepEqual(await found({ namePrefix: 'a%' }), [], 'the beginning is no pattern')
  assert.deepEqual(await found({ namePrefix: 'api', owner: 'data', disabled: false }), ['api one'])
  assert.deepEqual(await found({ namePrefix: 'api', search: 'api t' }), ['api two'])
  assert.deepEqual(await found({ namePrefix: 'api t', search: 'api' }), ['api two'])
  assert.deepEqual(await found({ namePrefix: 'api', search: 'b' }), ['api two'], 'by its owner')
  assert.deepEqual(await found({ namePrefix: 'api', search: 'x' }), [])
  assert.deepEqual((await pagesOf(store, 1, { namePrefix: 'api' })).flat(), ['api', 'api one', 'api two'])
})

test('filters: unused since, and with an end before', async t => {
  const { store, clock } = await makeWorld(t)
  const start = clock.wall()
  const [early, late] = [await add(store, 'early'), await add(store, 'late')]
  await add(store, 'idle', { expiresAt: start + 5000 })
  await issue(store, early, {})
  clock.advance(300_000)
  await issue(store, late, {})
  await add(store, 'new', { expiresAt: start + 5001 })
  const found = async (filters: Partial<AgentFilters>) => (await pagesOf(store, 10, filters)).flat()
  assert.deepEqual(await found({ unusedSince: start + 200_000 }), ['early', 'idle'])
  assert.deepEqual(await found({ unusedSince: start + 60_001 }), ['early', 'idle'])
  // Its next tokens within a minute leave no trace.
  assert.deepEqual(await found({ unusedSince: start + 59_000 }), ['idle'])
  assert.deepEqual(await found({ unusedSince: start }), [])
  assert.deepEqual(await found({ unusedSince: clock.wall() + 1 }), ['early', 'idle', 'new'])
  assert.deepEqual(await found({ expiresBefore: start + 5001 }), ['idle'])
  assert.deepEqual(await found({ unusedSince: clock.wall() + 1, expiresBefore: start + 5002 }), ['idle', 'new'])
})

test('the search: the agent with the id first, then those whose names have it, none twice, on pages of any size', async t => {
  const { store } = await makeWorld(t)
  const named = await add(store, 'zebra')
  for (const name of [`${named.id} a`, `${named.id} b`, 'other']) await add(store, name)
  const sought = ['zebra', `${named.id} a`, `${named.id} b`]
  for (const limit of [1, 2, 3, 10]) {
    const pages = await pagesOf(store, limit, { search: named.id })
    assert.deepEqual(pages.flat(), sought, `limit ${limit}`)
    assert.ok(pages.every(page => page.length <= limit))
  }
  assert.deepEqual((await pagesOf(store, 10, { search: named.id.toUpperCase() })).flat(), sought)
  assert.deepEqual((await pagesOf(store, 10, { search: 'oth' })).flat(), ['other'])
  for (const limit of [1, 2, 10]) {
    const pages = await pagesOf(store, limit, { search: named.id.slice(0, 8) })
    assert.deepEqual(pages.flat(), [...sought.slice(1), 'zebra'], `limit ${limit}`)
  }
  assert.deepEqual((await pagesOf(store, 10, { search: named.id.slice(0, 3) })).flat(), sought.slice(1))
})

test('the search finds clients by the beginning of an id that they brought, and a short id only whole', async t => {
  const { store } = await makeWorld(t)
  const { clientId } = await add(store, 'imported')
  await add(store, 'client too')
  const found = async (search: string) => (await pagesOf(store, 10, { search })).flat()
  assert.deepEqual(await found(clientId.slice(0, 20)), ['imported'])
  assert.deepEqual(await found('clie'), ['client too', 'imported'])
  assert.deepEqual(await found('cli'), ['client too'])
})

test('clients whose ids open with the id of an agent come after it, each at the place of its name, on pages of any size', async t => {
  const { store } = await makeWorld(t)
  const { id } = await add(store, 'zebra')
  for (const name of [`${id} a`, `${id} b`]) await add(store, name)
  const brought = ['', '-1', '-2', '-3'].map(end => importedAgent({ clientId: id + end, names: [`brought${end}`] }))
  await store.imports.create(brought, act('agent.import'), false)
  const sought = [`${id} a`, `${id} b`, 'brought', 'brought-1', 'brought-2', 'brought-3']
  const all = ['zebra', ...sought.toSorted()]
  for (const limit of [1, 2, 3, 4, 10]) {
    const pages = await pagesOf(store, limit, { search: id })
    assert.deepEqual(pages.flat(), all, `limit ${limit}`)
    assert.ok(
      pages.every(page => page.length <= limit),
      `limit ${limit}`,
    )
  }
})

test('a name is found whole, and several agents by their ids or those of their clients, with every other filter', async t => {
  const { store } = await makeWorld(t)
  const [a, b, c] = [await add(store, 'api'), await add(store, 'api two', { owner: 'web' }), await add(store, 'é')]
  const found = async (filters: Partial<AgentFilters>, limit = 10) => (await pagesOf(store, limit, filters)).flat()
  assert.deepEqual(await found({ name: 'api' }), ['api'])
  assert.deepEqual(await found({ name: 'API' }), [])
  assert.deepEqual(await found({ name: 'api two', owner: 'data' }), [])
  for (const limit of [1, 2, 10]) {
    assert.deepEqual(await found({ ids: [c.id, b.id, a.id, c.id] }, limit), ['api', 'api two', 'é'])
    assert.deepEqual(await found({ clientIds: [c.clientId, b.clientId, 'nobody'] }, limit), ['api two', 'é'])
  }
  assert.deepEqual(await found({ ids: [a.id, b.id], owner: 'web' }), ['api two'])
  assert.deepEqual(await found({ ids: [a.id, b.id], namePrefix: 'api ' }), ['api two'])
  assert.deepEqual(await found({ ids: [a.id], clientIds: [b.clientId] }), [])
})

test('an agent that is found by its id must pass the filters, and one whose name is its id comes once', async t => {
  const { store } = await makeWorld(t)
  const agent = await add(store, 'zebra', { owner: 'data' })
  const search = agent.id
  assert.deepEqual((await pagesOf(store, 10, { search, owner: 'web' })).flat(), [])
  assert.deepEqual((await pagesOf(store, 10, { search, namePrefix: 'y' })).flat(), [])
  await store.agents.change({ agentId: search, change: { name: search }, serviceAudience: null }, act('agent.change'))
  assert.deepEqual((await pagesOf(store, 1, { search })).flat(), [search])
})

test('a deleted agent is in no page, whatever is asked', async t => {
  const { store } = await makeWorld(t)
  const gone = await add(store, 'gone', { owner: 'data' })
  await store.agents.delete(gone.id, act('agent.delete'))
  for (const filters of [{}, { disabled: true }, { owner: 'data' }, { search: gone.id }, { namePrefix: 'gone' }]) {
    assert.deepEqual(await pagesOf(store, 10, filters), [[]])
  }
})

testEmbedded('what is asked for by name or id is sought in an index, however many there are', async t => {
  const { file } = await makeWorld(t)
  for (const [index, statements] of NAME_STATEMENTS) {
    for (const statement of statements) {
      const plan = planOf(file, statement)
      assert.ok(
        plan.every(step => !step.startsWith('SCAN')),
        `${statement}: ${plan.join('; ')}`,
      )
      assert.match(plan.join('; '), index, statement)
    }
  }
})

test('a page of what is rare looks at 10,000 agents at most, and is then short, with a way on', async t => {
  const { store, file } = await makeWorld(t)
  await add(store, '0', { owner: 'data' })
  withFile(file, db =>
    db
      .prepare(
        `insert into agent (id, client_id, name, created_at, scopes, resources)
         with recursive n(n) as (select 1 union all select n + 1 from n where n < ?)
         select 'id' || n, 'client' || n, 'n' || substr(cast(1000000 + n as text), 2), 0, '[]', '[]' from n`,
      )
      .run(PAGE_EXAMINED_MAX),
  )
  await add(store, 'z', { owner: 'data' })
  assert.deepEqual(await pagesOf(store, 10, { owner: 'data' }), [['0'], ['z']])
  assert.deepEqual(await pagesOf(store, 10, { search: 'dat' }), [['0'], ['z']])
  assert.deepEqual(await pagesOf(store, 10, { namePrefix: 'z', owner: 'data' }), [['z']])
  const last = importedAgent({ clientId: 'clientz', names: ['zz'], owner: 'data' })
  await store.imports.create([last], act('agent.import'), false)
  assert.deepEqual(await pagesOf(store, 10, { search: 'clientz', owner: 'data' }), [[], ['zz']])
  assert.deepEqual(await pagesOf(store, 10, { search: 'client', owner: 'data' }), [['0'], ['z']])
})
