// A store that was put back by other means and taken with restore epoch: nothing of it goes on by itself.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { TIMING } from '../../../src/ports/timing.ts'
import { restoreDatabase } from '../../../src/store/offline/postgres/act-alone.ts'
import { restoreInPlace } from '../../../src/store/offline/sqlite/act-alone.ts'
import { restorationAt } from '../../../../testkit/stores/backups.ts'
import { databaseOf, isDatabaseUrl } from '../../../../testkit/databases/postgres-cluster.ts'
import { addressOf } from '../../../../testkit/databases/postgres-store.ts'
import { newIssuer } from '../../../../testkit/stores/new-things.ts'
import {
  act,
  createAgent,
  isPostgresTested,
  issue,
  makeTestStore,
  openTestedStore,
  START,
  type TestedStore,
  type TestStore,
} from '../../../../testkit/stores/store.ts'

const restoreTested = async ({ file }: TestStore) =>
  isDatabaseUrl(file)
    ? restoreDatabase({ address: await addressOf(databaseOf(file)), timing: TIMING }, restorationAt(START))
    : restoreInPlace({ file, timing: TIMING, restoration: restorationAt(START) })

/** Works on a store, puts nothing back, and takes it with `restore epoch` all the same. */
const restoreAfter = async <T>(t: TestContext, work: (store: TestedStore) => Promise<T>) => {
  // What restores a file goes by the machine's own clock.
  const world = await makeTestStore(null, isPostgresTested() ? START : Date.now())
  t.after(world.dispose)
  const made = await work(world.store)
  const before = await world.store.agents.viewForIssue([], 'fresh')
  await world.store.close()
  const restored = await restoreTested(world)
  const { file, clock } = world
  const store = await openTestedStore({ file, retention: null, clock })
  t.after(store.close)
  return { made, restored, store, before, file, clock }
}

test('every token is dead, also those whose records follow later, and numbers go on above all that were given', async t => {
  const { made, restored, store, before } = await restoreAfter(t, async first =>
    issue(first, await createAgent(first), ...Array.from({ length: 70 }, () => ({}))),
  )
  const found = await store.ledger.find(made)
  assert.ok(found.every(token => token === undefined || token.dead))
  assert.ok(restored.seq > before.seq + 2 ** 32 - 1)
  const { seq, signingKey } = await store.agents.viewForIssue([], 'fresh')
  assert.ok(seq >= restored.seq)
  assert.equal(signingKey.publicJwk.kid, restored.kid)
  assert.deepEqual(
    (await store.signingKeys.published()).map(({ kid }) => kid),
    [restored.kid],
  )
})

test('agents, credentials and API keys wait until they are accepted, each once', async t => {
  const keyHash = randomBytes(32).toString('hex')
  const apiKey = { id: randomUUID(), name: 'k', permissions: [], audiences: null, keyHash, expiry: null }
  const { made, restored, store } = await restoreAfter(t, async first => {
    await first.apiKeys.create(apiKey, act('api_key.create'))
    return createAgent(first)
  })
  const look = async () => {
    const { clients } = await store.agents.viewForIssue([made.clientId], 'cached')
    const isFound = (await store.apiKeys.find([keyHash]))[0] !== undefined
    return [clients[0]?.agent.disabledAt === null, clients[0]?.credentials.length, isFound]
  }
  const all = { agents: 1, credentials: 1, apiKeys: 1, issuers: 0 }
  assert.deepEqual(restored.suspended, all)
  assert.deepEqual(await look(), [false, 0, false])
  assert.deepEqual((await store.restores.state())?.suspended, all)
  const accepted = [0, 1].map(() => store.restores.accept({ kind: 'all' }, act('store.accept')))
  const none = { agents: 0, credentials: 0, apiKeys: 0, issuers: 0 }
  assert.deepEqual(await Promise.all(accepted), [all, none])
  // A refusal is never given from memory: a request that would be refused is read anew.
  const { clients } = await store.agents.viewForIssue([made.clientId], 'fresh')
  assert.deepEqual([clients[0]?.agent.disabledAt, clients[0]?.credentials.length], [null, 1])
  assert.deepEqual(await look(), [true, 1, true])
  assert.deepEqual((await store.restores.state())?.suspended, none)
})

const aliasesOf = async ({ issuers }: TestedStore): Promise<readonly string[]> =>
  (await issuers.trusted()).issuers.map(({ alias }) => alias)

test('issuers wait too, disabled ones with them, and no process that read them before goes on refusing one that is accepted', async t => {
  const [one, off, gone] = [newIssuer(), newIssuer(), newIssuer()]
  const { restored, store, file, clock } = await restoreAfter(t, async ({ issuers }) => {
    for (const issuer of [one, off, gone]) await issuers.create(issuer, act('issuer.create'))
    await issuers.disable(off.alias, act('issuer.disable'))
    await issuers.delete(gone.alias, act('issuer.delete'))
  })
  const other = await openTestedStore({ file, clock, retention: null })
  t.after(() => other.close())
  const accept = (id: string) => store.restores.accept({ kind: 'issuer', id }, act('store.accept'))
  const none = { agents: 0, credentials: 0, apiKeys: 0, issuers: 0 }
  assert.deepEqual(restored.suspended, { ...none, issuers: 2 })
  assert.deepEqual([await aliasesOf(store), await aliasesOf(other)], [[], []])
  assert.equal(typeof (await store.issuers.show(one.alias))?.suspendedAt, 'number')
  assert.deepEqual([await accept(one.alias), await accept(gone.alias)], [{ ...none, issuers: 1 }, 'unknown'])
  assert.deepEqual([await aliasesOf(store), await aliasesOf(other)], [[one.alias], [one.alias]])
  assert.equal((await store.issuers.show(one.alias))?.suspendedAt, null)
  const { seq } = await store.issuers.trusted()
  assert.deepEqual([await accept(one.alias), (await store.issuers.trusted()).seq], [none, seq])
  await store.issuers.enable(off.alias, act('issuer.enable'))
  assert.deepEqual([await aliasesOf(store), await aliasesOf(other)], [[one.alias], [one.alias]])
  assert.deepEqual(await store.restores.accept({ kind: 'all' }, act('store.accept')), { ...none, issuers: 1 })
  const both = [one.alias, off.alias].toSorted()
  assert.deepEqual([await aliasesOf(store), await aliasesOf(other)], [both, both])
})
