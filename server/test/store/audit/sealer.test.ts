// The sealer of a service: what was acted is sealed without anybody asking, whichever process acted.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Seal } from '../../../src/domain/audit/seal.ts'
import {
  act,
  createAgent,
  KEEP_LONG,
  makeTestStore,
  openTestedStore,
  type TestedStore,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { verifyTested } from '../../../../testkit/stores/store-alone.ts'
import { countRows, readNumber } from '../../../../testkit/stores/store-file.ts'

const KEY = new Uint8Array(32).fill(3)
const UNKNOWN = { number: null, head: null }

type Sealing = { readonly store: TestedStore; readonly sealed: () => Promise<readonly Seal[]> }

/** A service on the store that seals; `sealed` waits for entries that no seal covers, and gives all seals so far. */
const openSealing = async ({ file, clock }: TestStore): Promise<Sealing> => {
  const seals: Seal[] = []
  let reported = (): void => undefined
  const onSeal = (seal: Seal): void => {
    seals.push(seal)
    reported()
  }
  const store = await openTestedStore({
    file,
    retention: KEEP_LONG,
    clock,
    sealing: { key: { bytes: KEY, keyEncryptionKeyId: 'test' }, onSeal },
  })
  const unsealed = 'audit where n > coalesce((select max(last_n) from seal), 0)'
  const sealed = async (): Promise<readonly Seal[]> => {
    const unreported = () => readNumber(file, 'select coalesce(max(n), 0) from seal') > (seals.at(-1)?.number ?? 0)
    while (countRows(file, unsealed) > 0 || unreported()) {
      await new Promise<void>(resolve => {
        reported = resolve
      })
    }
    return seals
  }
  return { store, sealed }
}

const makeWorld = async (t: TestContext): Promise<TestStore> => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  return world
}

test('a service seals what it and other processes acted, reports each head, and goes on after a restart', async t => {
  const world = await makeWorld(t)
  const first = await openSealing(world)
  await createAgent(first.store)
  const before = await first.sealed()
  const beside = await createAgent(world.store)
  await world.store.agents.disable(beside.id, act('agent.disable'))
  const all = [...(await first.sealed())]
  assert.ok(before.length > 0 && all.length >= before.length)
  await first.store.close()

  const second = await openSealing(world)
  await createAgent(second.store)
  const later = await second.sealed()
  const seals = [...all, ...later]
  assert.deepEqual(
    seals.map(({ number }) => number),
    seals.map((_, n) => n + 1),
  )
  const entries = seals.reduce((sum, { count }) => sum + count, 0)
  assert.equal(entries, countRows(world.file, 'audit'))
  const verdict = await verifyTested(world.file, { key: KEY, known: UNKNOWN })
  assert.deepEqual(verdict, { good: true, entries, seals: seals.length, last: seals.at(-1), unsealed: 0 })
  await second.store.close()
})

test('a process that acts once seals nothing', async t => {
  const { store, file } = await makeWorld(t)
  await createAgent(store)
  assert.equal(countRows(file, 'seal'), 0)
  const verdict = await verifyTested(file, { key: KEY, known: UNKNOWN })
  assert.deepEqual(verdict, { good: true, entries: 0, seals: 0, last: null, unsealed: countRows(file, 'audit') })
})
