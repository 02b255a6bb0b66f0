// A store with signing keys at any point of their life, and a second process on it.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { PUBLISHED_SECONDS_MIN } from '../../server/src/domain/keys/key-life.ts'
import type { KeyChange } from '../../server/src/ports/signing-keys.ts'
import { act, makeTestStore, openTestedStore, someSigningKey, type TestedStore, type TestStore } from './store.ts'
import { readRows, withFile } from './store-file.ts'

/** How long a next key must have been published before it may sign. */
export const READY_MS = 1000 * PUBLISHED_SECONDS_MIN

export const makeKeyWorld = async (t: TestContext): Promise<TestStore & { readonly elsewhere: TestedStore }> => {
  const world = await makeTestStore(null)
  const elsewhere = await openTestedStore({ file: world.file, retention: null, clock: world.clock })
  t.after(async () => {
    await elsewhere.close()
    await world.dispose()
  })
  return { ...world, elsewhere }
}

const done = <T extends object>(outcome: T | string): T =>
  typeof outcome === 'string' ? assert.fail(outcome) : outcome

/** What a change made; a test fails where there was an obstacle. */
export const change = (outcome: object | string): KeyChange => done(outcome) as KeyChange

/** A key to follow the current one; as if it had been published for so long. */
export const addNext = async ({ store, file }: TestStore, steadyMs = READY_MS): Promise<string> => {
  const key = someSigningKey()
  assert.equal(await store.signingKeys.createNext(key, act('signing_key.create')), 'created')
  withFile(file, db =>
    db.prepare('update signing_key set steady_ms = ? where kid = ?').run(steadyMs, key.publicJwk.kid),
  )
  return key.publicJwk.kid
}

export const currentKid = async ({ agents }: TestedStore): Promise<string> =>
  (await agents.viewForIssue([], 'cached')).signingKey.publicJwk.kid

export const publishedKids = async ({ signingKeys }: TestedStore): Promise<readonly string[]> =>
  (await signingKeys.published()).map(({ kid }) => kid)

export const statesOf = (file: string): readonly unknown[] =>
  readRows(file, 'select state from signing_key order by n').map(({ state }) => state)
