// What history costs where tokens ended in one minute that were issued on either side of the instant that is asked for.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type HistoryFilters, PAGE_EXAMINED_MAX } from '../../../src/domain/lists/page.ts'
import { ANY_NUMBERS } from '../../../src/store/lists/asked-numbers.ts'
import { endedStreams } from '../../../src/store/lists/ended-streams.ts'
import { type Met, mergePage, type Stream } from '../../../src/store/lists/merge.ts'
import { passes } from '../../../src/store/lists/token-streams.ts'
import { given, type Program } from '../../../src/store/statement-program.ts'
import { NO_HISTORY_FILTERS } from '../../../../testkit/stores/store.ts'
import { inTransaction, withWritingConnection } from '../../../../testkit/stores/store-file.ts'
import { fill } from './backfill-steps.ts'
import { makeRandom } from './list-random.ts'
import { assertSameRows, scanEnded } from './scan-list.ts'
import { endAllInWorld, issueInWorld, makeWorld, storeNow, type World, type WorldAgent } from './list-world.ts'

const FEW = 50
/** More than one statement looks at (ended-streams.ts). */
const MANY = 300
const MINUTE_MS = 60_000

let world: World
/** Before it the first few were issued, after it the crowd; and the others after `late`. */
let early: number
let late: number

const issueTo = (agent: WorldAgent, count: number): Promise<void> =>
  issueInWorld(
    world,
    agent,
    Array.from({ length: count }, () => ({ lifetimeSeconds: 3600, scope: 'db:read' })),
  )

const pass = async (ms: number): Promise<number> => {
  world.test.clock.advance(ms)
  return storeNow(world)
}

// Few, three crowds, few: issued in this order. All end in one minute, the crowds last and each by an act of its own.
before(async () => {
  world = await makeWorld(makeRandom(12), 5)
  const [first, last, ...crowds] = world.agents
  assert.ok(first !== undefined && last !== undefined)
  await issueTo(first, FEW)
  early = await pass(1000)
  for (const agent of crowds) await issueTo(agent, MANY)
  late = await pass(1000)
  await pass(1000)
  await issueTo(last, FEW)
  const now = await storeNow(world)
  await pass(MINUTE_MS - (now % MINUTE_MS))
  for (const agent of [first, last, ...crowds]) {
    await pass(1000)
    await endAllInWorld(world, { agent: agent.number }, 'bulk_revocation')
    while ((await fill(world.test.file, await storeNow(world), 100)) === 'more');
  }
})

after(() => world.test.dispose())

const SIDES: Readonly<Record<string, { filters: () => Partial<HistoryFilters>; count: number }>> = {
  before: { filters: () => ({ issuedBefore: early }), count: FEW },
  after: { filters: () => ({ issuedAfter: late }), count: FEW },
  between: { filters: () => ({ issuedAfter: early, issuedBefore: late }), count: 3 * MANY },
}

for (const [name, { filters, count }] of Object.entries(SIDES)) {
  test(`a scan of what was issued ${name} returns what brute force returns, whatever else ended in that minute`, async () => {
    for (const reach of [{}, { scope: 'db:read' }]) {
      const request = { filters: { ...NO_HISTORY_FILTERS, ...reach, ...filters() }, audiences: null }
      const scanned = await scanEnded(world.test.store.ledger, { ...request, limit: () => 20 })
      assertSameRows(scanned, world.model.ended(request, await storeNow(world)))
      assert.equal(scanned.length, count)
    }
  })
}

type Asked = { readonly statements: number; readonly rows: number; readonly examined: number }

/** What the store was asked for a page, and gave. */
function* counted(program: Program<{ readonly examined: number }>): Program<Asked> {
  let [statements, rows] = [0, 0]
  let step = program.next()
  while (step.done !== true) {
    const answer = yield step.value
    if (/from ended\b/.test(step.value.text)) {
      statements += 1
      rows += answer.rows.length
    }
    step = program.next(answer)
  }
  return { statements, rows, examined: step.value.examined }
}

const askPage = async (side: Partial<HistoryFilters>): Promise<Asked> => {
  // On PostgreSQL the thread stands still below, and could end no transaction of its own.
  await world.test.store.settle()
  const clock = await storeNow(world)
  // Not from further up than a day after the instant, where every row is one that is asked for.
  const filters = { ...NO_HISTORY_FILTERS, endedBefore: clock + 1, ...side }
  return withWritingConnection({ file: world.test.file, clock }, connection =>
    inTransaction(connection, tx => {
      const way = { access: { by: 'life' as const }, filters, rootsOnly: false, columns: null }
      const streams = endedStreams(tx, way, {
        after: null,
        reasons: ['bulk_revocation'],
        acts: { by: null, number: null },
      })
      return counted(
        mergePage(streams, { limit: FEW + 1, hidesRows: false }, row =>
          passes({ filters, numbers: ANY_NUMBERS, audiences: null }, row),
        ),
      )
    }),
  )
}

// Of each crowd one statement, which gives the row that it came to, and then those that are asked for.
for (const [name, { filters }] of Object.entries(SIDES).filter(([side]) => side !== 'between')) {
  test(`of what was issued ${name} the store gives no others, and steps over what ended in one millisecond`, async () => {
    const { examined, ...asked } = await askPage(filters())
    assert.deepEqual(asked, { statements: 4, rows: 2 + FEW })
    assert.ok(examined > FEW && examined < MANY, `${examined} rows examined of ${3 * MANY + 2 * FEW}`)
  })
}

test('rows that the store left out count among those that one request may look at', () => {
  const scanned = 250
  const stream: Stream<Met> = {
    ceiling: Number.POSITIVE_INFINITY,
    fetch: position => given({ rows: [{ at: (position?.at ?? 1_000_000) - 1, id: 'a', scanned }], isLast: false }),
  }
  const page = mergePage([stream], { limit: 100, hidesRows: false }, () => false).next().value
  const lookedUp = PAGE_EXAMINED_MAX / scanned
  assert.deepEqual(page, {
    records: [],
    next: { at: 1_000_000 - lookedUp, id: 'a' },
    examined: PAGE_EXAMINED_MAX + scanned,
  })
})
