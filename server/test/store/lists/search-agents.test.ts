// The search of agents: by any part of a name, an owner or a label, and never by what only stands between them.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { AgentSettings } from '../../../src/domain/clients/change-agent.ts'
import type { AgentFilters } from '../../../src/domain/lists/page.ts'
import { IDS_OPENED_MAX } from '../../../../api/values/lists.ts'
import { importedAgent } from '../../../../testkit/callers/imports.ts'
import {
  act,
  createAgent,
  makeTestStore,
  type TestedStore,
  NO_AGENT_FILTERS,
} from '../../../../testkit/stores/store.ts'

const makeStore = async (t: TestContext): Promise<TestedStore> => {
  const { store, dispose } = await makeTestStore(null)
  t.after(dispose)
  return store
}

const add = (store: TestedStore, name: string, settings: Partial<AgentSettings> = {}) =>
  createAgent(store, null, { name, ...settings })

const finder =
  (store: TestedStore) =>
  async (filters: Partial<AgentFilters>, limit = 20): Promise<readonly string[]> => {
    const names: string[] = []
    let after: string | null = null
    do {
      const page = await store.agents.list({ filters: { ...NO_AGENT_FILTERS, ...filters }, after, limit })
      assert.ok(page.records.length <= limit)
      names.push(...page.records.map(({ name }) => name))
      after = page.next
    } while (after !== null)
    return names
  }

test('any part of a name, of an owner, or of the key or value of a label is found, whatever the case of ASCII', async t => {
  const store = await makeStore(t)
  await add(store, 'eu-Crawler-024', { owner: 'Ada Lovelace' })
  await add(store, 'us-crawler-024')
  await add(store, 'reports', { owner: 'Bob', labels: { env: 'prod', 'cost.centre': 'Web Crawling' } })
  await add(store, 'Ärger', { owner: 'ÉCOLE' })
  const found = finder(store)
  for (const limit of [1, 2, 20]) {
    assert.deepEqual(await found({ search: 'crawler-024' }, limit), ['eu-Crawler-024', 'us-crawler-024'])
    assert.deepEqual(await found({ search: 'CRAWL' }, limit), ['eu-Crawler-024', 'reports', 'us-crawler-024'])
  }
  assert.deepEqual(await found({ search: 'lovelace' }), ['eu-Crawler-024'])
  assert.deepEqual(await found({ search: 'COST' }), ['reports'])
  assert.deepEqual(await found({ search: 'b craw' }), ['reports'])
  assert.deepEqual(await found({ search: 'Cole' }), ['Ärger'])
  assert.deepEqual(await found({ search: 'É' }), ['Ärger'])
  assert.deepEqual(await found({ search: 'é' }), [], 'letters beyond ASCII are compared as they are')
  assert.deepEqual(await found({ search: 'ärger' }), [])
  assert.deepEqual(await found({ search: 'crawl', owner: 'Bob' }), ['reports'])
  assert.deepEqual(await found({ search: 'crawl', namePrefix: 'us' }), ['us-crawler-024'])
  assert.deepEqual(await found({ search: 'crawl', labels: [{ key: 'env', value: 'prod' }] }), ['reports'])
})

test('nothing is found across two texts, nor by what stands between them', async t => {
  const store = await makeStore(t)
  await add(store, 'one', { owner: 'two', labels: { a: 'b', c: 'd' } })
  await add(store, 'ends in a backslash', { labels: { k: 'x\\', l: 'y' } })
  await add(store, 'unmarked')
  const found = finder(store)
  const between = ['"', '":"', '","', ':', ',', '{', '}', '{}', 'a:b', 'a":"b', 'ab', 'b,c', 'bc', 'onetwo', 'twoa']
  for (const search of [...between, '\\"', '\\",', 'y"', '!', '%', '_', '1']) {
    assert.deepEqual(await found({ search }), [], search)
  }
})

test('what is asked for is no pattern, and is found where it is a part of a text', async t => {
  const store = await makeStore(t)
  const texts = [
    '50%',
    'a_b',
    'c!d',
    'x\\y',
    '\\',
    'say "hi"',
    '"',
    ':',
    ',',
    '{',
    '}',
    '{}',
    '","',
    '":"',
    '\\"',
    '\\\\',
  ]
  for (const [n, text] of texts.entries()) await add(store, `at ${n}`, { labels: { before: 'x', text, z: 'x' } })
  const found = finder(store)
  for (const search of texts) {
    const having = texts.flatMap((text, n) => (text.includes(search) ? [`at ${n}`] : []))
    assert.deepEqual(await found({ search }), having.toSorted(), search)
  }
  for (const search of ['5_%', 'a%b', 'a.b', 'c!!d', 'x\\\\y', '!!'])
    assert.deepEqual(await found({ search }), [], search)
})

test('the agent with the whole name comes first, and the one with the whole id before it, on pages of any size', async t => {
  const store = await makeStore(t)
  const { id } = await add(store, 'zebra')
  for (const name of ['a zebra', 'zebra two']) await add(store, name)
  for (const name of [`a ${id}`, id]) await add(store, name)
  const found = finder(store)
  for (const limit of [1, 2, 3, 20]) {
    assert.deepEqual(await found({ search: 'zebra' }, limit), ['zebra', 'a zebra', 'zebra two'], `limit ${limit}`)
    assert.deepEqual(await found({ search: id }, limit), ['zebra', ...[`a ${id}`, id].toSorted()], `limit ${limit}`)
  }
  assert.deepEqual(await found({ search: 'zebra', namePrefix: 'a' }), ['a zebra'])
})

test('the beginning of an id leads to the agent with it, with that client, or with that credential', async t => {
  const store = await makeStore(t)
  const { id, credentialId } = await add(store, 'a', { owner: 'Ada' })
  await add(store, 'b')
  await store.imports.create([importedAgent({ clientId: 'brought-1', names: ['c'] })], act('agent.import'), false)
  const found = finder(store)
  for (const limit of [1, 20]) {
    for (const whole of [id, credentialId, credentialId.toUpperCase()]) {
      assert.deepEqual(await found({ idPrefix: whole }, limit), ['a'])
      assert.deepEqual(await found({ idPrefix: whole.slice(0, -1) }, limit), ['a'])
    }
    assert.ok((await found({ idPrefix: id.slice(0, 4) }, limit)).includes('a'))
  }
  assert.deepEqual(await found({ idPrefix: credentialId, owner: 'Bob' }), [])
  assert.deepEqual(await found({ idPrefix: credentialId, owner: 'Ada', search: 'ad' }), ['a'])
  assert.deepEqual(await found({ idPrefix: id.slice(0, 3) }), [], 'three characters are no beginning of an id')
  assert.deepEqual(await found({ idPrefix: 'brou' }), ['c'])
  assert.deepEqual(await found({ idPrefix: 'zebra' }), [])
  await store.agents.delete(id, act('agent.delete'))
  assert.deepEqual(await found({ idPrefix: credentialId }), [])
})

test('the beginning of many ids leads to IDS_OPENED_MAX of them, the same on pages of any size', async t => {
  const store = await makeStore(t)
  const brought = Array.from({ length: 2 * IDS_OPENED_MAX }, (_, n) =>
    importedAgent({ clientId: `brought-${10 + n}`, names: [`n${90 - n}`] }),
  )
  await store.imports.create(brought, act('agent.import'), false)
  const found = finder(store)
  const first = Array.from({ length: IDS_OPENED_MAX }, (_, n) => `n${90 - n}`).toSorted()
  for (const limit of [1, 3, 20]) assert.deepEqual(await found({ idPrefix: 'brought' }, limit), first)
})
