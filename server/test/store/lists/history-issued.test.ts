// What history costs when it is asked for a time of issue, and most tokens that ended then were issued at another.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { HistoryFilters } from '../../../src/domain/lists/page.ts'
import { OPEN_MINUTES } from '../../../../testkit/stores/list-statements.ts'
import { isPostgresTested, NO_HISTORY_FILTERS, testEmbedded } from '../../../../testkit/stores/store.ts'
import { fill } from './backfill-steps.ts'
import { planOf } from './list-plans.ts'
import { makeRandom } from './list-random.ts'
import { assertSameRows, scanEnded } from './scan-list.ts'
import { endAllInWorld, issueInWorld, makeWorld, storeNow, type World, type WorldAgent } from './list-world.ts'

const LIMIT = 100
const MINUTE_MS = 60_000
// More than a page may examine; on PostgreSQL, where each takes longer to end, more than a page of this size may.
const MANY = isPostgresTested() ? 1500 : 11_000

let world: World
let agent: WorldAgent
/** After the first crowd was issued and before it ended; and before the second was issued. */
let early: number
let late: number

const issueMany = async (count: number): Promise<void> => {
  const wish = { lifetimeSeconds: 3600, scope: 'db:read' }
  for (let left = count; left > 0; left -= 1000) {
    await issueInWorld(
      world,
      agent,
      Array.from({ length: Math.min(left, 1000) }, () => wish),
    )
  }
}

const endMany = async (): Promise<void> => {
  await endAllInWorld(world, { agent: agent.number }, 'bulk_revocation')
  while ((await fill(world.test.file, await storeNow(world), 100)) === 'more');
}

const pass = async (minutes: number): Promise<number> => {
  world.test.clock.advance(minutes * MINUTE_MS)
  return storeNow(world)
}

// A crowd, fifty tokens, and a crowd: each issued, and ended within the hour of its life before the next is issued.
before(async () => {
  world = await makeWorld(makeRandom(11), 1)
  const [one] = world.agents
  assert.ok(one !== undefined)
  agent = one
  await issueMany(MANY)
  early = await pass(1)
  await pass(1)
  await endMany()
  await pass(2)
  await issueMany(50)
  await pass(2)
  await endMany()
  late = await pass(1)
  await issueMany(MANY)
  await pass(20)
  await endMany()
})

after(() => world.test.dispose())

const REACHED_BY: Readonly<Record<string, () => Partial<HistoryFilters>>> = {
  'every reason': () => ({}),
  'one reason': () => ({ reasons: ['bulk_revocation'] }),
  agent: () => ({ agentId: agent.id }),
  scope: () => ({ scope: 'db:read' }),
}

for (const [name, reach] of Object.entries(REACHED_BY)) {
  test(`a page of tokens issued before a time steps over those ended since and issued later, by ${name}`, async () => {
    const filters = { ...NO_HISTORY_FILTERS, ...reach(), issuedBefore: late }
    const request = { filters, audiences: null }
    const page = await world.test.store.ledger.listEnded({ ...request, after: null, limit: LIMIT })
    assert.equal(page.records.length, LIMIT)
    assert.ok(page.examined <= 4 * LIMIT, `${page.examined} rows examined for ${LIMIT}`)
    assert.deepEqual(page.records, world.model.ended(request, await storeNow(world)).slice(0, LIMIT))
  })

  test(`the last page of tokens issued after a time is not followed by those issued earlier, by ${name}`, async () => {
    const filters = { ...NO_HISTORY_FILTERS, ...reach(), issuedAfter: early, endedBefore: late }
    const page = await world.test.store.ledger.listEnded({ filters, audiences: null, after: null, limit: LIMIT })
    // And no statement looks for them further down than the last minute that holds one.
    assert.deepEqual([page.records.length, page.next, page.examined], [50, null, 50])
  })
}

test('a scan between two times of issue returns what brute force returns', async () => {
  const filters = { ...NO_HISTORY_FILTERS, issuedAfter: early, issuedBefore: late }
  const request = { filters, audiences: null }
  const scanned = await scanEnded(world.test.store.ledger, { ...request, limit: () => 20 })
  assertSameRows(scanned, world.model.ended(request, await storeNow(world)))
  assert.equal(scanned.length, 50)
})

testEmbedded('the minutes to scan are one search by their key', () => {
  const plans = OPEN_MINUTES.flatMap(statement => planOf(world.test.file, statement))
  const search = 'SEARCH ended_minute USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)'
  assert.deepEqual(plans, [search, search])
})
