// The lock of the one process that serves a store.
import assert from 'node:assert/strict'
import { symlinkSync } from 'node:fs'
import { test } from 'node:test'
import { TIMING } from '../../../src/ports/timing.ts'
import { StoreProblem } from '../../../src/store/store-problem.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { resetClock } from '../../../src/store/offline/sqlite/act-alone.ts'
import { act, KEEP_LONG, makeTestStore, START } from '../../../../testkit/stores/store.ts'

const IN_USE = (fault: unknown) =>
  fault instanceof StoreProblem && /is in use by a mintmark that runs/.test(fault.message)

test('a store that is served is not served a second time, by its name or by a link to it, nor is its clock reset, until it is closed', async t => {
  const world = await makeTestStore(KEEP_LONG)
  const { file, clock } = world
  const serve = () => openSqliteStore({ file, timing: TIMING, retention: KEEP_LONG, clock })
  await assert.rejects(serve(), IN_USE)
  symlinkSync(file, `${file}-link`)
  const byLink = openSqliteStore({ file: `${file}-link`, timing: TIMING, retention: KEEP_LONG, clock })
  await assert.rejects(byLink, IN_USE)
  assert.throws(() => resetClock({ file, timing: TIMING, act: act('clock.reset'), wall: START }), IN_USE)
  // A command acts beside the service.
  const beside = await openSqliteStore({ file, timing: TIMING, retention: null, clock })
  await beside.close()
  const reopened = await world.reopen(KEEP_LONG)
  t.after(reopened.dispose)
  await reopened.store.close()
  resetClock({ file, timing: TIMING, act: act('clock.reset'), wall: START })
  await (await serve()).close()
})
