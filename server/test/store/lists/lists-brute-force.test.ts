// Both lists against brute force: random worlds with open cut-offs, every combination of filters, pages of any size.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { subjectClaim } from '../../../src/domain/ledger/token-subject.ts'
import type { HistoryFilters, Position, TokenFilters } from '../../../src/domain/lists/page.ts'
import type { Reason } from '../../../../api/values/reason.ts'
import { isThorough } from '../../../../testkit/loads/thorough.ts'
import { isPostgresTested, KEEP_LONG, NO_HISTORY_FILTERS, NO_TOKEN_FILTERS } from '../../../../testkit/stores/store.ts'
import { fill, openCutOffCount } from './backfill-steps.ts'
import type { Asked } from './list-model.ts'
import { makeRandom, type Random } from './list-random.ts'
import { assertSameRows, scanEnded, scanLive } from './scan-list.ts'
import {
  AUDIENCES,
  endAllInWorld,
  enableInWorld,
  issueInWorld,
  LIFETIMES,
  makeWorld,
  SCOPE_ITEMS,
  stepWorld,
  storeNow,
  type World,
} from './list-world.ts'

// On PostgreSQL fewer tokens and combinations: what is shared is tried on the embedded store too. Thoroughly is each
// combination in one of the worlds.
const WORLDS = isThorough ? 2 : 1
const [STEPS, ISSUED, TURNS] = isPostgresTested() ? [20, 120, 40] : [45, 300, 8]
const EVERY = isThorough ? WORLDS : TURNS
const REASONS: readonly Reason[] = [
  'agent_disabled',
  'bulk_revocation',
  'expired',
  'manual_revocation',
  'scope_removed',
  'undelivered',
]

type Request = Asked<HistoryFilters>

/** One choice for each of the nine filters; a request takes those whose bit is set. */
const someRequest = (world: World, bits: number): Request => {
  const { filters, audiences } = someFilters(world)
  const asked = FILTER_NAMES.map((name, n) => [name, (bits >> n) & 1 ? filters[name] : null])
  const occasional = Object.entries(filters).filter(([name]) => isOccasional(name))
  const chosen = { ...NO_HISTORY_FILTERS, ...Object.fromEntries(occasional), ...Object.fromEntries(asked) }
  return { filters: chosen, audiences: (bits >> FILTERS) & 1 ? audiences : null }
}

/** Filters that go with every other, each now and then: more combinations would take too long. */
const OCCASIONAL = [
  'subjectId',
  'parentId',
  'rootId',
  'credentialId',
  'kid',
  'audience',
  'agents',
  'endedBy',
  'revocationId',
]
const isOccasional = (name: string): boolean => OCCASIONAL.includes(name)
const FILTER_NAMES = (Object.keys(NO_HISTORY_FILTERS) as readonly (keyof HistoryFilters)[]).filter(
  name => !isOccasional(name),
)
const FILTERS = FILTER_NAMES.length
const LIST_FILTERS = Object.keys(NO_TOKEN_FILTERS).filter(name => !isOccasional(name)).length

const someLineage = ({ model, random }: World): Partial<TokenFilters> => {
  const { record } = random.pick(model.tokens)
  const children = model.tokens.filter(({ parent }) => parent !== null)
  if (children.length === 0) return {}
  const { ancestors } = random.pick(children).record
  return {
    ...(random.chance(0.15) && { subjectId: subjectClaim(record.subject) }),
    ...(random.chance(0.1) && { parentId: random.pick(ancestors).id }),
    ...(random.chance(0.1) && { rootId: random.chance(0.3) ? record.id : random.pick(ancestors).id }),
  }
}

/** One that ended tokens, or one that nobody knows. */
const someRevocation = ({ model, random }: World): string => {
  const known = new Set(model.tokens.map(({ ending }) => ending?.revocationId ?? null))
  return random.pick([...known].filter(id => id !== null).concat('0198d4c2-5d7c-4b7a-9c3e-1f2a3b4c5d6e'))
}

/** A few are reached one by one; of many, most of which have no token here, the tokens of all agents are scanned. */
const someAgents = ({ agents, random }: World): readonly number[] => {
  const numbers = agents.map(({ number }) => number).filter(() => random.chance(0.5))
  return random.chance(0.5) ? numbers : [...numbers, ...Array.from({ length: 200 }, (_, n) => 1000 + n)]
}

type Marks = Pick<HistoryFilters, 'credentialId' | 'kid' | 'agents' | 'audience' | 'endedBy' | 'revocationId'>

const someMarks = (world: World): Marks => {
  const { model, random } = world
  const { record } = random.pick(model.tokens)
  return {
    credentialId: record.credentialId,
    kid: random.pick([record.kid, record.kid, 'none']),
    agents: someAgents(world),
    audience: random.pick(AUDIENCES),
    endedBy: random.pick(['user 0', 'user 1', 'system']),
    revocationId: someRevocation(world),
  }
}

const nowAndThen = ({ chance }: Random, { endedBy, revocationId, ...marks }: Marks): Marks => ({
  credentialId: chance(0.15) ? marks.credentialId : null,
  kid: chance(0.15) ? marks.kid : null,
  agents: chance(0.15) ? marks.agents : null,
  audience: chance(0.15) ? marks.audience : null,
  endedBy: chance(0.2) ? endedBy : null,
  revocationId: chance(0.2) ? revocationId : null,
})

const someFilters = (world: World): Request => {
  const { model, agents, random } = world
  const [one, other] = [random.pick(model.tokens), random.pick(model.tokens)]
  const [early, late] = [one, other].toSorted((a, b) => a.issuedMs - b.issuedMs)
  const ends = model.tokens.map(({ ending, expiresMs }) => ending?.endedAt ?? expiresMs)
  const [first = 0, last = 0] = [random.pick(ends), random.pick(ends)].toSorted((a, b) => a - b)
  // An agent and the client id of another agree on nothing; that is tried now and then.
  const client = random.chance(0.9) ? one.record.clientId : random.pick(agents).clientId
  const filters: HistoryFilters = {
    agentId: one.record.agentId,
    clientId: client,
    scope: random.chance(0.95) ? random.pick(SCOPE_ITEMS) : 'none:such',
    issuedAfter: (early?.issuedMs ?? 0) + random.pick([-1, 0, 1]),
    issuedBefore: (late?.issuedMs ?? 0) + random.pick([-1, 0, 1]),
    reasons: random.some(REASONS, 3),
    endedAfter: first + random.pick([-1, 0, 1]),
    endedBefore: last + random.pick([-1, 0, 1]),
    subjectId: null,
    parentId: null,
    rootId: null,
    ...someLineage(world),
    ...nowAndThen(random, someMarks(world)),
  }
  return { filters, audiences: random.some(AUDIENCES, 1) }
}

const tokenFilters = ({ filters }: Request): TokenFilters => {
  const { reasons: _, endedAfter: _after, endedBefore: _before, endedBy: _by, revocationId: _id, ...listed } = filters
  return listed
}

const someLimit = (random: Random) => () => random.pick([2, 30, 100, 300, 1000])

const compareList = async (world: World, request: Request): Promise<void> => {
  const asked = { filters: tokenFilters(request), audiences: request.audiences }
  const scanned = await scanLive(world.test.store.ledger, { ...asked, limit: someLimit(world.random) })
  assertSameRows(scanned, world.model.live(asked, await storeNow(world)), asked)
}

const compareHistory = async (world: World, asked: Request): Promise<void> => {
  const scanned = await scanEnded(world.test.store.ledger, { ...asked, limit: someLimit(world.random) })
  assertSameRows(scanned, world.model.ended(asked, await storeNow(world)), asked)
}

/** Ends new tokens of every agent by three cut-offs, two of them of one millisecond. */
const endMany = async (world: World, scopeItemsMost: number): Promise<void> => {
  const { random } = world
  for (const agent of world.agents) {
    await enableInWorld(world, agent)
    const wishes = Array.from({ length: ISSUED }, () => ({
      lifetimeSeconds: random.pick(LIFETIMES),
      scope: random.some(SCOPE_ITEMS, scopeItemsMost).join(' '),
      audience: random.some(AUDIENCES, 2),
    }))
    await issueInWorld(world, agent, wishes)
    world.test.clock.advance(random.int(700))
  }
  await endAllInWorld(world, { scope: 'files:*' }, 'scope_removed')
  await endAllInWorld(world, { audience: AUDIENCES[0] ?? null }, 'bulk_revocation')
  world.test.clock.advance(1 + random.int(2500))
  await endAllInWorld(world, { agent: world.agents[0]?.number ?? 0, keepScopes: ['db:*'] }, 'scope_removed')
  world.test.clock.advance(random.int(2500))
}

/** A world at the end of which several cut-offs are open over the same tokens: one that found few of them is closed. */
const liveThrough = async (random: Random, scopeItemsMost: number): Promise<World> => {
  const world = await makeWorld(random, 4)
  for (let step = 0; step < STEPS; step += 1) await stepWorld(world, scopeItemsMost)
  do await endMany(world, scopeItemsMost)
  while (openCutOffCount(world.test.file) < 3)
  return world
}

const inWorld = async (seed: number, scopeItemsMost: number, work: (world: World) => Promise<void>) => {
  const world = await liveThrough(makeRandom(seed), scopeItemsMost)
  try {
    await work(world)
  } finally {
    await world.test.dispose()
  }
}

// A failure names the seed; `examples: [[seed, most]]` runs it again.
const forWorlds = (numRuns: number, work: (world: World) => Promise<void>) => {
  const inputs = [fc.noShrink(fc.integer()), fc.noShrink(fc.constantFrom(2, 5))] as const
  const property = fc.asyncProperty(...inputs, (seed, scopeItemsMost) => inWorld(seed, scopeItemsMost, work))
  return fc.assert(property, { numRuns })
}

/** Of each world every so many of the combinations of so many filters, those that the worlds before it left out. */
const forCombinations = (filters: number, compare: (world: World, bits: number) => Promise<void>) => {
  let first: number | undefined
  return forWorlds(WORLDS, async world => {
    first = first === undefined ? world.random.int(EVERY) : (first + 1) % EVERY
    for (let bits = first; bits < 1 << filters; bits += EVERY) await compare(world, bits)
  })
}

test('the list of live tokens is what brute force gives, for every combination of filters', () =>
  forCombinations(LIST_FILTERS, async (world, bits) => {
    await compareList(world, someRequest(world, bits))
    await compareList(world, someRequest(world, bits | (1 << FILTERS)))
  }))

test('history is what brute force gives, for every combination of filters', () =>
  forCombinations(FILTERS + 1, (world, bits) => compareHistory(world, someRequest(world, bits))))

test('both lists are what brute force gives, for each of the filters that are rare above, alone', () =>
  forWorlds(1, async world => {
    const names = Object.keys(someMarks(world)) as readonly (keyof Marks)[]
    for (const name of [...names, ...names, ...names]) {
      const asked = { filters: { ...NO_HISTORY_FILTERS, [name]: someMarks(world)[name] }, audiences: null }
      await compareHistory(world, asked)
      await compareList(world, asked)
    }
  }))

type Begun = Request & { readonly expected: readonly unknown[]; readonly after: Position | null }

/** Reads one page and keeps its cursor: what is to follow is known. */
const beginScan = async (world: World, asked: Request): Promise<Begun> => {
  const limit = 1 + world.random.int(300)
  const page = await world.test.store.ledger.listEnded({ ...asked, after: null, limit })
  const expected = world.model.ended(asked, await storeNow(world)).slice(page.records.length)
  return { ...asked, expected, after: page.next }
}

const finishScan = async (world: World, { expected, ...asked }: Begun): Promise<void> => {
  if (asked.after === null) return
  const scanned = await scanEnded(world.test.store.ledger, { ...asked, limit: someLimit(world.random) })
  assertSameRows(scanned, expected, asked)
}

/** At each step every so many of those that were begun go on. */
const BEGUN_TURNS = isThorough ? 3 : 9
const REQUESTS_WITHIN_FILL = [0, 1, 4, 8, 32, 33, 64, 129, 256]

const compareBoth = async (world: World, bits: number): Promise<void> => {
  await compareHistory(world, someRequest(world, bits))
  await compareList(world, someRequest(world, bits))
}

test('every step of the fill leaves both lists as they were, and cursors from before it stay valid', () =>
  forWorlds(WORLDS, async world => {
    const begun: Begun[] = []
    for (const bits of REQUESTS_WITHIN_FILL) begun.push(await beginScan(world, someRequest(world, bits)))
    const now = await storeNow(world)
    for (let step = 0; (await fill(world.test.file, now, 1)) === 'more'; step += 1) {
      for (const one of begun.filter((_, n) => (n + step) % BEGUN_TURNS === 0)) await finishScan(world, one)
      await compareBoth(world, REQUESTS_WITHIN_FILL[step % REQUESTS_WITHIN_FILL.length] ?? 0)
    }
    assert.equal(openCutOffCount(world.test.file), 0)
    for (const one of begun) await finishScan(world, one)
  }))

test('a store that is opened again with maintenance backfills what was open, and both lists stay as they were', () =>
  forWorlds(1, async closed => {
    const world = { ...closed, test: await closed.test.reopen(KEEP_LONG) }
    // Each write is followed by a turn of the maintenance.
    for (let turn = 0; openCutOffCount(world.test.file) > 0; turn += 1) {
      assert.ok(turn < 1000, 'the fill ends')
      assert.equal(await world.test.store.health.check(), null)
    }
    for (const bits of REQUESTS_WITHIN_FILL) await compareBoth(world, bits)
    await world.test.store.close()
  }))
