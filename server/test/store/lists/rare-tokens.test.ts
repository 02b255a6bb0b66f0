// The few tokens that a filter leaves of many: the store leaves out the others, and shows the same as the model.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TokenFilters } from '../../../src/domain/lists/page.ts'
import { PAGE_EXAMINED_MAX } from '../../../src/domain/lists/page.ts'
import { act, NO_HISTORY_FILTERS, NO_TOKEN_FILTERS } from '../../../../testkit/stores/store.ts'
import { fill } from './backfill-steps.ts'
import { makeRandom } from './list-random.ts'
import { assertSameRows } from './scan-list.ts'
import {
  endAllInWorld,
  issueInWorld,
  makeWorld,
  revokeInWorld,
  storeNow,
  type World,
  type WorldAgent,
} from './list-world.ts'

const HOUR_MS = 3_600_000
const MANY = 12_000
const RARE = 'https://rare.example'
const RARE_SCOPE = 'mail:send'
const LIVES = [2, 300, 3600]

let world: World
let rare: WorldAgent
let busy: WorldAgent
/** Only they sign. */
let former: World
let current: World

const issueMany = async (count: number): Promise<void> => {
  for (let issued = 0; issued < count; issued += 1000) {
    const wishes = Array.from({ length: 1000 }, (_, n) => ({
      lifetimeSeconds: LIVES[n % LIVES.length] ?? 2,
      scope: 'db:read',
      audience: ['https://a.example'],
    }))
    await issueInWorld(current, busy, wishes)
  }
}

const issueRare = async (): Promise<void> => {
  const wishes = LIVES.flatMap(lifetimeSeconds => [{ lifetimeSeconds, scope: RARE_SCOPE, audience: [RARE, 'urn:c'] }])
  await issueInWorld(former, rare, wishes)
  // Of the agent that has the others, too.
  await issueInWorld(former, busy, wishes)
}

// Some of the rare tokens expire, some are ended, and some live; of the others likewise, and all of those are newer.
before(async () => {
  world = await makeWorld(makeRandom(7), 2)
  const [first, second] = world.agents
  const [one, other] = world.keys.toSorted((a, b) => a.number - b.number)
  assert.ok(first !== undefined && second !== undefined && one !== undefined && other !== undefined)
  rare = first
  busy = second
  former = { ...world, keys: [one] }
  current = { ...world, keys: [other] }
  await issueRare()
  for (const token of world.model.tokens.filter(({ lifetimeSeconds }) => lifetimeSeconds === 300)) {
    await revokeInWorld(world, token, 'manual_revocation')
  }
  const rotated = await world.test.store.signingKeys.rotate({ candidate: null, force: true }, act('signing_key.rotate'))
  assert.ok(typeof rotated === 'object')
  // A process may learn of it late.
  world.test.clock.advance(59_000)
  await issueRare()
  world.test.clock.advance(120_000)
  await issueMany(MANY)
  await endAllInWorld(world, { credential: busy.credential }, 'bulk_revocation')
  while ((await fill(world.test.file, await storeNow(world), 100)) === 'more');
  await issueMany(MANY)
  world.test.clock.advance(2500)
})

after(() => world.test.dispose())

type Found = { readonly examined: number; readonly records: readonly object[]; readonly next: unknown }

/** By what the rare tokens are asked for, and what of it the model is asked for. */
const ASKED: Readonly<
  Record<string, () => { readonly asked: Partial<TokenFilters>; readonly same?: Partial<TokenFilters> }>
> = {
  'an audience': () => ({ asked: { audience: RARE } }),
  'an audience in another spelling': () => ({
    asked: { audience: 'HTTPS://rare.example:443/' },
    same: { audience: RARE },
  }),
  'an audience of an agent': () => ({ asked: { agentId: busy.id, audience: RARE } }),
  'an audience of some agents': () => ({ asked: { agents: [busy.number, rare.number], audience: RARE } }),
  'an audience of many agents': () => ({
    asked: { agents: [busy.number, rare.number, ...Array.from({ length: 200 }, (_, n) => 1000 + n)], audience: RARE },
  }),
  'an audience that nobody has': () => ({ asked: { audience: 'https://none.example' } }),
  'a scope of an agent': () => ({ asked: { agentId: busy.id, scope: RARE_SCOPE } }),
  'a scope of some agents': () => ({ asked: { agents: [busy.number, rare.number], scope: RARE_SCOPE } }),
  'a key': () => ({ asked: { kid: former.keys[0]?.name ?? '' } }),
  'a key of an agent': () => ({ asked: { agentId: busy.id, kid: former.keys[0]?.name ?? '' } }),
  'a scope with a key that did not sign it': () => ({ asked: { scope: RARE_SCOPE, kid: current.keys[0]?.name ?? '' } }),
}

const assertFew = ({ examined, next }: Found): void => {
  assert.equal(next, null)
  assert.ok(examined < PAGE_EXAMINED_MAX, `${examined} rows examined`)
}

for (const [name, make] of Object.entries(ASKED)) {
  test(`the first page has all live tokens with ${name}, however many others are above them`, async () => {
    const { asked, same } = make()
    const filters = { ...NO_TOKEN_FILTERS, ...asked }
    const page = await world.test.store.ledger.listLive({ filters, audiences: null, after: null, limit: 1000 })
    const expected = { filters: { ...filters, ...same }, audiences: null }
    assertSameRows(page.records, world.model.live(expected, await storeNow(world)))
    assertFew(page)
  })
  test(`the first page has all ended tokens with ${name}, however many others are above them`, async () => {
    const { asked, same } = make()
    const filters = { ...NO_HISTORY_FILTERS, ...asked }
    const page = await world.test.store.ledger.listEnded({ filters, audiences: null, after: null, limit: 1000 })
    const expected = { filters: { ...filters, ...same }, audiences: null }
    assertSameRows(page.records, world.model.ended(expected, await storeNow(world)))
    assertFew(page)
  })
}

test('an audience is looked for where tokens for it were issued, each time', async t => {
  const apart = await makeWorld(makeRandom(8), 1)
  t.after(apart.test.dispose)
  const [agent] = apart.agents
  assert.ok(agent !== undefined)
  const issueFor = (audience: string, count: number) =>
    issueInWorld(
      apart,
      agent,
      Array.from({ length: count }, () => ({ lifetimeSeconds: 300, scope: 'db:read', audience: [audience] })),
    )
  for (const _ of [1, 2]) {
    await issueFor(RARE, 3)
    for (const token of apart.model.tokens.slice(-1)) await revokeInWorld(apart, token, 'manual_revocation')
    apart.test.clock.advance(6 * HOUR_MS)
    await issueFor('https://a.example', 200)
    apart.test.clock.advance(6 * HOUR_MS)
  }
  const request = { filters: { ...NO_HISTORY_FILTERS, audience: RARE }, audiences: null }
  const page = await apart.test.store.ledger.listEnded({ ...request, after: null, limit: 100 })
  assertSameRows(page.records, apart.model.ended(request, await storeNow(apart)))
  assert.deepEqual([page.records.length, page.examined], [6, 6])
})

test('a key is looked for where it signed, and up to a minute later', async () => {
  const filters = { ...NO_TOKEN_FILTERS, kid: former.keys[0]?.name ?? '' }
  const page = await world.test.store.ledger.listLive({ filters, audiences: null, after: null, limit: 1000 })
  assert.notEqual(page.records.length, 0)
  assert.equal(page.examined, page.records.length)
})

test('a rare scope of an agent with many tokens is reached by the scope', async () => {
  const filters = { ...NO_TOKEN_FILTERS, agentId: busy.id, scope: RARE_SCOPE }
  const page = await world.test.store.ledger.listLive({ filters, audiences: null, after: null, limit: 1000 })
  assert.notEqual(page.records.length, 0)
  assert.ok(page.examined <= 4 * LIVES.length, `${page.examined} rows examined`)
})

test('a caller that is limited to a rare audience has all of its tokens on the first page', async () => {
  const request = { filters: NO_TOKEN_FILTERS, audiences: [RARE] }
  const page = await world.test.store.ledger.listLive({ ...request, after: null, limit: 1000 })
  assertSameRows(page.records, world.model.live(request, await storeNow(world)))
  assertFew(page)
})

test('who never acted is answered without a search, and who did is found, whatever characters name them', async () => {
  const id = 'a"b\\c%_!é😀'
  const endedBy = (by: string) => ({ filters: { ...NO_HISTORY_FILTERS, endedBy: by }, audiences: null })
  const list = (by: string) => world.test.store.ledger.listEnded({ ...endedBy(by), after: null, limit: 10 })
  const { record, lifetimeSeconds } =
    world.model.tokens.findLast(token => token.lifetimeSeconds === 3600) ?? assert.fail()
  const address = { id: record.id, lifetimeSeconds }
  await world.test.store.ledger.end(address, 'manual_revocation', {
    ...act('token.revoke'),
    actor: { type: 'cli', id },
  })
  assert.deepEqual([(await list('nobody')).examined, (await list(id.replace('%', 'x'))).examined], [0, 0])
  assert.deepEqual(
    (await list(id)).records.map(ended => ended.id),
    [record.id],
  )
})
