// The register of signing keys: one first key, its private half only as it was sealed.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { Unavailable } from '../../../src/domain/refusal.ts'
import {
  act,
  makeTestStore,
  openTestedStore,
  someSigningKey,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { countRows, withFile } from '../../../../testkit/stores/store-file.ts'

const CREATE = act('signing_key.create')

/** A store that holds no signing key yet. */
const makeWorld = async (t: TestContext): Promise<TestStore> => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  withFile(world.file, db => db.exec('delete from signing_key; delete from audit'))
  return world
}

test('the first signing key is kept as given, published without its private half', async t => {
  const { store } = await makeWorld(t)
  const key = someSigningKey()
  assert.equal(await store.signingKeys.createFirst(key, CREATE), 'created')
  const [sealed] = await store.signingKeys.sealed()
  const bytes = new Uint8Array(sealed?.sealedPrivateKey ?? [])
  const kept = { ...key, number: 2, sealedPrivateKey: new Uint8Array(key.sealedPrivateKey) }
  assert.deepEqual({ ...sealed, sealedPrivateKey: bytes }, kept)
  assert.deepEqual(await store.signingKeys.published(), [key.publicJwk])
})

test('of 50 callers in two processes who keep a first signing key exactly one does', async t => {
  const { store, file, clock } = await makeWorld(t)
  const elsewhere = await openTestedStore({ file, retention: null, clock })
  t.after(elsewhere.close)
  const outcomes = await Promise.all(
    Array.from({ length: 50 }, (_, n) => (n % 2 ? store : elsewhere).signingKeys.createFirst(someSigningKey(), CREATE)),
  )
  assert.equal(outcomes.filter(outcome => outcome === 'created').length, 1)
  assert.equal(outcomes.filter(outcome => outcome === 'already_exists').length, 49)
  assert.deepEqual([countRows(file, 'signing_key'), countRows(file, 'audit')], [1, 1])
})

test('without a signing key nothing is published and no token can be decided on', async t => {
  const { store } = await makeWorld(t)
  assert.deepEqual(await store.signingKeys.published(), [])
  assert.deepEqual(await store.signingKeys.sealed(), [])
  await assert.rejects(store.agents.viewForIssue([], 'cached'), Unavailable)
})

test('a signing key made in another process is used from then on, whatever was remembered', async t => {
  const { store, file, clock } = await makeWorld(t)
  const elsewhere = await openTestedStore({ file, retention: null, clock })
  t.after(elsewhere.close)
  const [first, second] = [someSigningKey(), someSigningKey()]
  await elsewhere.signingKeys.createFirst(first, CREATE)
  const current = async () => (await store.agents.viewForIssue([], 'cached')).signingKey.publicJwk.kid
  assert.equal(await current(), first.publicJwk.kid)
  withFile(file, db => db.exec('delete from signing_key'))
  await elsewhere.signingKeys.createFirst(second, CREATE)
  assert.equal(await current(), second.publicJwk.kid)
})
