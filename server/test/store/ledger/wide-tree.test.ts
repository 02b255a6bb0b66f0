// A wide tree: many descendants that each have a child. A step of the background holds the lock of all acts, and asks for the
// children of each parent by lifetime: it must not grow with the number of parents.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NewToken } from '../../../src/ports/ports.ts'
import type { TokenAddress } from '../../../src/domain/ledger/claims.ts'
import {
  act,
  createAgent,
  makeTestStore,
  newTokens,
  type TestAgent,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { countRows } from '../../../../testkit/stores/store-file.ts'
import { fill } from '../lists/backfill-steps.ts'

const PARENTS = 120
/** Beside the one with all children of the root. */
const LINEAGES_A_STEP_MAX = 32

const insertBelow = async (
  store: TestStore['store'],
  agent: TestAgent,
  parents: readonly TokenAddress[],
): Promise<readonly NewToken[]> => {
  const tokens = await newTokens(
    store,
    agent,
    parents.map(() => ({ lifetimeSeconds: 240 })),
  )
  const children = tokens.map((token, n) => ({ ...token, parent: parents[n] ?? token }))
  assert.ok((await store.ledger.insert(children)).every(outcome => outcome === 'inserted'))
  return children
}

test('a step of the background follows a bounded number of parents, and each descendant follows once', async t => {
  const { store, file, clock, dispose } = await makeTestStore(null)
  t.after(dispose)
  const [a, b] = [await createAgent(store), await createAgent(store)]
  const [root] = await newTokens(store, a, [{ lifetimeSeconds: 240 }])
  assert.ok(root)
  assert.deepEqual(await store.ledger.insert([root]), ['inserted'])
  const children = await insertBelow(
    store,
    b,
    Array.from({ length: PARENTS }, () => root),
  )
  await insertBelow(store, b, children)
  assert.equal(await store.ledger.end(root, 'manual_revocation', act('token.revoke')), 'ended')
  assert.equal(countRows(file, 'token'), 2 * PARENTS)
  assert.equal(await fill(file, clock.wall(), 1), 'more')
  const left = countRows(file, 'token')
  assert.ok(left >= PARENTS - LINEAGES_A_STEP_MAX, `${left} are left`)
  while ((await fill(file, clock.wall(), 1)) === 'more');
  assert.deepEqual(
    [countRows(file, 'token'), countRows(file, 'ended'), countRows(file, 'cascade')],
    [0, 2 * PARENTS + 1, 0],
  )
})
