// Counts of what acts would end, many at once and with little time: they hold nobody up, and end in time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import {
  createAgent,
  issue,
  makeTestStore,
  newTokens,
  openTestedStore,
  PATIENT,
  testEmbedded,
} from '../../../../testkit/stores/store.ts'

const STEP_ROWS = 1000

/** The turns of the event loop that others had while the work was done. */
const turnsOf = async (work: Promise<unknown>): Promise<number> => {
  const counting = { turns: 0, isOver: false }
  const others = async (): Promise<number> => {
    await setImmediate()
    counting.turns += 1
    return counting.isOver ? counting.turns : others()
  }
  const turns = others()
  await work
  counting.isOver = true
  return turns
}

test('counts side by side take turns for each step of each: others wait for one step', async t => {
  const { store, dispose } = await makeTestStore(null)
  t.after(dispose)
  const [agent, rows, counts] = [await createAgent(store), 3 * STEP_ROWS, 10]
  await store.ledger.insert(
    await newTokens(
      store,
      agent,
      Array.from({ length: rows }, () => ({})),
    ),
  )
  const counted = Promise.all(Array.from({ length: counts }, () => store.dryRuns.disableAgent(agent.id)))
  const turns = await turnsOf(counted)
  const expected = { tokens: rows, descendants: 0, descendantAgents: [], isExact: true, reasons: ['agent_disabled'] }
  assert.deepEqual(
    await counted,
    Array.from({ length: counts }, () => expected),
  )
  assert.ok(turns >= (counts * rows) / STEP_ROWS, `${turns} turns`)
})

testEmbedded('a count whose time is over answers what it found, as a lower bound', async t => {
  const { store, file, clock, dispose } = await makeTestStore(null)
  t.after(dispose)
  const agent = await createAgent(store)
  await issue(store, agent, {})
  const hurried = await openTestedStore({ file, clock, retention: null, timing: { ...PATIENT, storeMs: 0 } })
  t.after(hurried.close)
  const found = { tokens: 0, descendants: 0, descendantAgents: [], isExact: false, reasons: ['agent_disabled'] }
  assert.deepEqual(await hurried.dryRuns.disableAgent(agent.id), found)
})
