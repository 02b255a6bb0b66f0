// What a page costs: the rows that the store examines for it, and the plans of the statements that it runs.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type HistoryFilters,
  PAGE_EXAMINED_MAX,
  type Position,
  type TokenFilters,
} from '../../../src/domain/lists/page.ts'
import { askedOfColumns } from '../../../src/store/lists/asked-columns.ts'
import { ANY_NUMBERS } from '../../../src/store/lists/asked-numbers.ts'
import {
  CUT_OFF_SCANS,
  DESCENDANTS,
  endedRanges,
  RARE_SCOPE,
  tokenRanges,
} from '../../../../testkit/stores/list-statements.ts'
import {
  isPostgresTested,
  NO_HISTORY_FILTERS,
  NO_TOKEN_FILTERS,
  testEmbedded,
} from '../../../../testkit/stores/store.ts'
import { fill } from './backfill-steps.ts'
import { planOf } from './list-plans.ts'
import { makeRandom } from './list-random.ts'
import { assertSameRows, scanEnded, scanLive } from './scan-list.ts'
import {
  endAllInWorld,
  issueInWorld,
  LIFETIMES,
  makeWorld,
  revokeInWorld,
  storeNow,
  type World,
  type WorldAgent,
} from './list-world.ts'

const LIMIT = 100
// To end a token takes longer on PostgreSQL than to issue one.
const ENDED = isPostgresTested() ? 2000 : 12_000
const DEPTH = { live: 10_000, ended: isPostgresTested() ? 1000 : 10_000 }
/** A stream is read in steps of at most so many rows. */
const STEP_MOST = 256
const EVERY_LIFETIME = { lifetimes: LIFETIMES, scope: 'db:read' }

let world: World
let many: WorldAgent
let few: WorldAgent

type Issue = { readonly lifetimes: readonly number[]; readonly scope: string }

const issueMany = async (agent: WorldAgent, count: number, { lifetimes, scope }: Issue): Promise<void> => {
  const wishes = Array.from({ length: 1000 }, (_, n) => ({
    lifetimeSeconds: lifetimes[n % lifetimes.length] ?? 2,
    scope,
    audience: ['https://a.example'],
  }))
  for (let issued = 0; issued < count; issued += wishes.length) await issueInWorld(world, agent, wishes)
}

// One agent has many tokens that were ended, 12,000 that expired and 12,000 that live; another has the three oldest.
before(async () => {
  world = await makeWorld(makeRandom(4), 2)
  const [first, second] = world.agents
  assert.ok(first !== undefined && second !== undefined)
  many = first
  few = second
  const rare = { scope: 'mail:send', audience: ['https://rare.example'] }
  await issueInWorld(world, few, [rare, { ...rare, lifetimeSeconds: 2 }, { ...rare, lifetimeSeconds: 3600 }])
  const [revoked] = world.model.tokens
  assert.ok(revoked !== undefined)
  await revokeInWorld(world, revoked, 'manual_revocation')
  world.test.clock.advance(1000)
  await issueMany(many, ENDED, EVERY_LIFETIME)
  await endAllInWorld(world, { agent: many.number }, 'bulk_revocation')
  while ((await fill(world.test.file, await storeNow(world), 100)) === 'more');
  await issueMany(many, 12_000, { ...EVERY_LIFETIME, lifetimes: [2] })
  world.test.clock.advance(2500)
  await issueMany(many, 12_000, { ...EVERY_LIFETIME, lifetimes: [300, 3600] })
})

after(() => world.test.dispose())

type Depths = { readonly first: number; readonly deep: number }

const positionAt = async (
  depth: number,
  read: (after: Position | null, limit: number) => Promise<{ next: Position | null }>,
): Promise<Position> => {
  let position: Position | null = null
  for (let passed = 0; passed < depth; passed += 1000) {
    position = (await read(position, 1000)).next
    assert.ok(position !== null, 'there are pages at this depth')
  }
  assert.ok(position !== null)
  return position
}

const live = async (asked: Partial<TokenFilters>): Promise<Depths> => {
  const request = { filters: { ...NO_TOKEN_FILTERS, ...asked }, audiences: null }
  const read = (position: Position | null, limit: number) =>
    world.test.store.ledger.listLive({ ...request, after: position, limit })
  const [first, deep] = [await read(null, LIMIT), await read(await positionAt(DEPTH.live, read), LIMIT)]
  assert.deepEqual([first.records.length, deep.records.length], [LIMIT, LIMIT])
  return { first: first.examined, deep: deep.examined }
}

const ended = async (asked: Partial<HistoryFilters>): Promise<Depths> => {
  const request = { filters: { ...NO_HISTORY_FILTERS, ...asked }, audiences: null }
  const read = (position: Position | null, limit: number) =>
    world.test.store.ledger.listEnded({ ...request, after: position, limit })
  const [first, deep] = [await read(null, LIMIT), await read(await positionAt(DEPTH.ended, read), LIMIT)]
  assert.deepEqual([first.records.length, deep.records.length], [LIMIT, LIMIT])
  return { first: first.examined, deep: deep.examined }
}

const assertSameCost = ({ first, deep }: Depths): void => {
  assert.ok(Math.abs(deep - first) <= STEP_MOST, `${first} rows examined for page 1, ${deep} deep down`)
  // A page of 100 must not read a thousand rows, however many streams there are.
  assert.ok(Math.max(first, deep) <= 4 * LIMIT, `${first} and ${deep} rows examined for ${LIMIT}`)
}

test('a page of the list examines as many rows deep down as at depth 1', async t => {
  const agent = { agentId: many.id }
  const filters = { none: {}, agent, scope: { scope: 'db:read' }, both: { ...agent, scope: 'db:read' } }
  for (const [name, asked] of Object.entries(filters)) {
    await t.test(name, async () => assertSameCost(await live(asked)))
  }
})

test('a page of history examines as many rows deep down as at depth 1', async t => {
  const agent = { agentId: many.id }
  const reason = { reasons: ['bulk_revocation'] } as const
  const filters = {
    none: {},
    agent,
    reason,
    'agent and reason': { ...agent, ...reason },
    scope: { scope: 'db:read' },
    expired: { reasons: ['expired'] as const },
    'agent and expired': { ...agent, reasons: ['expired'] as const },
    'scope and reason': { scope: 'db:read', ...reason },
  }
  for (const [name, asked] of Object.entries(filters)) {
    await t.test(name, async () => assertSameCost(await ended(asked)))
  }
})

const RANGE = { token: 'AND id>? AND id<?', ended: 'AND at>? AND (at,id)<(?,?)' }

const TOKEN_PLANS = [
  `SEARCH token USING PRIMARY KEY (life=? ${RANGE.token})`,
  `SEARCH token USING INDEX token_delegated (life=? ${RANGE.token})`,
  `SEARCH token USING INDEX token_agent (agent=? AND life=? ${RANGE.token})`,
  `SEARCH token USING INDEX token_scope (scope=? AND life=? ${RANGE.token})`,
  `SEARCH token USING INDEX token_lineage (lineage=? AND life=? ${RANGE.token})`,
  `SEARCH token USING INDEX token_subject (subject=? AND life=? ${RANGE.token})`,
  `SEARCH token USING INDEX token_principal (principal=? AND life=? ${RANGE.token})`,
]
const SCAN_PLANS = [
  ...Array.from({ length: 2 }, () => 'SEARCH token USING PRIMARY KEY (life=? AND id>?)'),
  ...Array.from({ length: 2 }, () => 'SEARCH token USING INDEX token_delegated (life=? AND id>?)'),
  ...Array.from(
    { length: 2 },
    () => 'SEARCH token USING INDEX token_agent ((agent,life,id)>(?,?,?) AND (agent,life)<(?,?))',
  ),
]
// What is asked of columns changes no plan: the range alone does.
const COLUMNS = askedOfColumns(
  'life',
  { scope: 'db:read' },
  {
    ...ANY_NUMBERS,
    holders: new Set([1, 2]),
    credential: 1,
    key: { number: 1, issuedAfter: null, issuedBefore: null },
  },
  [1, 2],
)
const ENDED_STEP = 'AND (at,id)>(?,?) AND (at,id)<(?,?)'
const IN_SCOPE_SET = ['CORRELATED SCALAR SUBQUERY 1', 'SEARCH scope_set_item USING PRIMARY KEY (item=? AND n=?)']
/** The end of a step is found in the index alone, where that is of all rows. */
const covering = (plan: string): string =>
  /delegated|token_subject|ended_subject/.test(plan) ? plan : plan.replace('USING INDEX', 'USING COVERING INDEX')

const ENDED_PLANS = [
  `SEARCH ended USING INDEX ended_reason (reason=? ${RANGE.ended})`,
  `SEARCH ended USING INDEX ended_agent (agent=? AND reason=? ${RANGE.ended})`,
  `SEARCH ended USING INDEX ended_scope (scope=? ${RANGE.ended})`,
  `SEARCH ended USING INDEX ended_lineage (lineage=? ${RANGE.ended})`,
  `SEARCH ended USING INDEX ended_subject (subject=? ${RANGE.ended})`,
  `SEARCH ended USING INDEX ended_principal (principal=? ${RANGE.ended})`,
]

const plans = (statements: readonly string[]) => statements.flatMap(statement => planOf(world.test.file, statement))

testEmbedded(
  'each range of the lists is one search of its own index, without a scan and without a temporary sort',
  () => {
    assert.deepEqual(plans(tokenRanges()), TOKEN_PLANS)
    assert.deepEqual(plans(endedRanges()), ENDED_PLANS)
    assert.deepEqual(
      plans(tokenRanges(COLUMNS)),
      TOKEN_PLANS.flatMap(plan => [covering(plan), plan, ...IN_SCOPE_SET]),
    )
    assert.deepEqual(
      plans(endedRanges(COLUMNS)),
      ENDED_PLANS.map(plan => plan.replace(RANGE.ended, ENDED_STEP)).flatMap(plan => [
        covering(plan),
        plan,
        ...IN_SCOPE_SET,
      ]),
    )
    assert.deepEqual(plans(RARE_SCOPE), ['SEARCH ended USING COVERING INDEX ended_scope (scope=?)'])
  },
)

testEmbedded('the descendants of an ended token are reached by their parents', () =>
  assert.deepEqual(plans(DESCENDANTS), ['SEARCH token USING INDEX token_lineage (lineage=? AND life=? AND id>?)']),
)

testEmbedded('a cut-off reaches the tokens of one agent by its index', () =>
  assert.deepEqual(plans(CUT_OFF_SCANS), SCAN_PLANS),
)

const RARE = ['https://rare.example']

const assertBounded = ({ examined }: { examined: number }, streams: number): void =>
  assert.ok(examined <= PAGE_EXAMINED_MAX + streams * STEP_MOST, `${examined} rows examined`)

// So many audience sets are not compared before the rows are: each row is.
const issueOfManySets = (): Promise<void> => {
  const wishes = Array.from({ length: 1001 }, (_, n) => ({
    lifetimeSeconds: 3600,
    audience: [`https://a.example/${n}`],
  }))
  return issueInWorld(world, many, wishes)
}

test('a rare row of the list is reached over a page that is empty and has a successor', async () => {
  await issueOfManySets()
  const { ledger } = world.test.store
  const request = { filters: NO_TOKEN_FILTERS, audiences: RARE }
  const page = await ledger.listLive({ ...request, after: null, limit: LIMIT })
  assert.deepEqual(page.records, [])
  assert.ok(page.next !== null && page.examined >= PAGE_EXAMINED_MAX)
  assertBounded(page, LIFETIMES.length)
  const rest = await scanLive(ledger, { ...request, after: page.next, limit: () => LIMIT })
  assertSameRows(rest, world.model.live(request, await storeNow(world)))
  assert.equal(rest.length, 1)
})

test('a rare row of history is reached over pages that are empty and have a successor', async () => {
  const { ledger } = world.test.store
  const request = { filters: NO_HISTORY_FILTERS, audiences: RARE }
  const page = await ledger.listEnded({ ...request, after: null, limit: LIMIT })
  assert.deepEqual(page.records, [])
  assert.ok(page.next !== null && page.examined >= PAGE_EXAMINED_MAX)
  assertBounded(page, LIFETIMES.length + 2)
  const rest = await scanEnded(ledger, { ...request, after: page.next, limit: () => LIMIT })
  assertSameRows(rest, world.model.ended(request, await storeNow(world)))
  assert.equal(rest.length, 2)
})

test('a scope item in more than 32 scope sets is found below many others, and shows the same tokens', async () => {
  const busy = { lifetimes: [300], scope: 'db:read' }
  const wishes = Array.from({ length: 40 }, (_, n) => ({ scope: `db:many x:n${n + 10}` }))
  await issueInWorld(world, few, wishes)
  const { ledger } = world.test.store
  const request = { filters: { ...NO_TOKEN_FILTERS, scope: 'db:many' }, audiences: null }
  const scanned = await scanLive(ledger, { ...request, limit: () => 7 })
  assertSameRows(scanned, world.model.live(request, await storeNow(world)))
  assert.equal(scanned.length, 40)
  world.test.clock.advance(1)
  await issueMany(many, 11_000, busy)
  const page = await ledger.listLive({ ...request, after: null, limit: LIMIT })
  assertSameRows(page.records, scanned)
  assertBounded(page, LIFETIMES.length)
})
