// A store in which a token may still be written that was decided on before a cut-off: the cut-off waits for it.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { NO_CONDITION } from '../../../src/domain/ledger/ledger.ts'
import { endAll } from '../../../src/store/ledger/end-tokens.ts'
import { backfillStep } from '../../../src/store/ledger/backfill.ts'
import { given, type Program } from '../../../src/store/statement-program.ts'
import type { Transaction } from '../../../src/store/transaction.ts'
import { act, createAgent, issue, makeTestStore, type TestStore } from '../../../../testkit/stores/store.ts'
import { countRows, inTransaction, readRow, withWritingConnection } from '../../../../testkit/stores/store-file.ts'

const REVOKE = act('token.revoke')

const perform = <T>(world: TestStore, isSettled: boolean, program: (tx: Transaction) => Program<T>): T =>
  withWritingConnection(world, connection =>
    inTransaction(connection, tx => program({ ...tx, isSettled: () => given(isSettled) })),
  )

const makeWorld = async (t: TestContext, tokens: number): Promise<TestStore> => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  const agent = await createAgent(world.store)
  await issue(world.store, agent, ...Array.from({ length: tokens }, () => ({ scope: 'db:read' })))
  return world
}

const endByScope = (tx: Transaction) =>
  endAll(tx, { conditions: { ...NO_CONDITION, scope: 'db:read' }, reason: 'bulk_revocation', act: REVOKE })

const stateIn = ({ file }: TestStore): unknown => readRow(file, 'select state from cutoff')['state']

test('an act that moves all its rows at once is closed where no older one can come, and stays open where one can', async t => {
  for (const [isSettled, state] of [
    [true, 'closed'],
    [false, 'open'],
  ] as const) {
    const world = await makeWorld(t, 3)
    perform(world, isSettled, endByScope)
    assert.equal(countRows(world.file, 'ended'), 3)
    assert.equal(stateIn(world), state)
  }
})

test('a fill does not begin while an older token can still be written, and closes the cut-off once none can', async t => {
  const world = await makeWorld(t, 100)
  perform(world, false, endByScope)
  assert.equal(perform(world, false, backfillStep), 'nothing_left')
  assert.deepEqual([countRows(world.file, 'ended'), stateIn(world)], [0, 'open'])
  while (perform(world, true, backfillStep) === 'more');
  assert.deepEqual([countRows(world.file, 'ended'), stateIn(world)], [100, 'closed'])
})
