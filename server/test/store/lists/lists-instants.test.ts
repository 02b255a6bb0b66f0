// The moment at which a token goes from one list to the other: it is in exactly one of them at every instant.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PAGE_EXAMINED_MAX, type Position } from '../../../src/domain/lists/page.ts'
import { NO_HISTORY_FILTERS, NO_TOKEN_FILTERS } from '../../../../testkit/stores/store.ts'
import { fill, openCutOffCount } from './backfill-steps.ts'
import { makeRandom } from './list-random.ts'
import { assertSameRows, scanEnded, scanLive } from './scan-list.ts'
import {
  disableInWorld,
  endAllInWorld,
  issueInWorld,
  LIFETIMES,
  makeWorld,
  revokeInWorld,
  storeNow,
  type World,
} from './list-world.ts'

const HISTORY = { filters: NO_HISTORY_FILTERS, audiences: null }
const LIVE = { filters: NO_TOKEN_FILTERS, audiences: null }

const compareInstant = async (world: World): Promise<void> => {
  const { ledger } = world.test.store
  const live = await scanLive(ledger, { ...LIVE, limit: () => 1000 })
  const ended = await scanEnded(ledger, { ...HISTORY, limit: () => 1000 })
  const now = await storeNow(world)
  // Each token is in one list, at one place.
  const both = [...live, ...ended].map(({ id }) => id).toSorted()
  assertSameRows(both, [...world.model.byId.keys()].toSorted())
  assertSameRows(live, world.model.live(LIVE, now))
  assertSameRows(ended, world.model.ended(HISTORY, now))
}

const wishes = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ lifetimeSeconds: LIFETIMES[n % LIFETIMES.length] ?? 2 }))

/** Every ms for so long, `acts` at its number. */
const eachMillisecond = async (world: World, count: number, acts: Readonly<Record<number, () => Promise<void>>>) => {
  for (let ms = 0; ms < count; ms += 1) {
    await compareInstant(world)
    await acts[ms]?.()
    await compareInstant(world)
    world.test.clock.advance(1)
  }
}

// Few tokens are moved by the act itself, many stay under an open cut-off.
for (const [count, open] of [
  [9, 0],
  [210, 2],
] as const) {
  const acts = open === 0 ? 'acts that move them' : 'open cut-offs'
  test(`no token is in both lists or in neither around exp and ${acts}`, async () => {
    const world = await makeWorld(makeRandom(1), 3)
    const [a, b, c] = world.agents
    assert.ok(a !== undefined && b !== undefined && c !== undefined)
    world.test.clock.advance(495)
    await eachMillisecond(world, 10, {
      2: () => issueInWorld(world, a, wishes(count)),
      4: () => issueInWorld(world, b, wishes(count)),
      5: () => issueInWorld(world, c, wishes(count)),
    })
    // All were issued in one second: those of 2 s expire on the whole second after the next.
    world.test.clock.advance(2000 - 505 - 5)
    await eachMillisecond(world, 12, {
      3: () => disableInWorld(world, a),
      4: () => endAllInWorld(world, { agent: b.number, before: world.test.clock.wall() }, 'bulk_revocation'),
      5: async () => {
        const [first] = world.model.tokens
        if (first !== undefined) await revokeInWorld(world, first, 'manual_revocation')
      },
      8: () => issueInWorld(world, c, wishes(2)),
    })
    assert.equal(openCutOffCount(world.test.file), open)
    world.test.clock.advance(300_000 - 2000 - 10)
    await eachMillisecond(world, 8, {})
    await world.test.dispose()
  })
}

test('a token that ends at the very millisecond of its expiry expired', async () => {
  const world = await makeWorld(makeRandom(2), 1)
  const [agent] = world.agents
  assert.ok(agent !== undefined)
  await issueInWorld(world, agent, wishes(300))
  world.test.clock.advance(1999)
  await endAllInWorld(world, { scope: 'none:*', agent: agent.number }, 'bulk_revocation')
  await compareInstant(world)
  world.test.clock.advance(1)
  await endAllInWorld(world, { scope: 'db:*' }, 'scope_removed')
  await compareInstant(world)
  const expired = await world.test.store.ledger.listEnded({
    ...HISTORY,
    filters: { ...NO_HISTORY_FILTERS, reasons: ['expired'] },
    after: null,
    limit: 1000,
  })
  assert.equal(expired.records.length, 100)
  await world.test.dispose()
})

test('a page that has examined all it may skips no token under several cut-offs of one millisecond', async () => {
  const world = await makeWorld(makeRandom(3), 2)
  const [other, agent] = world.agents
  assert.ok(other !== undefined && agent !== undefined)
  const many = Array.from({ length: 3500 }, () => ({ scope: 'mail:read' }))
  await issueInWorld(world, other, wishes(300))
  await issueInWorld(world, agent, many)
  // The first two do not cover the tokens of `agent`, but stand in its way: each row is looked at three times.
  await endAllInWorld(world, { scope: 'db:read', keepScopes: ['db:write'] }, 'scope_removed')
  await endAllInWorld(world, { credential: other.credential, key: world.key }, 'credential_revoked')
  await endAllInWorld(world, { scope: 'mail:*' }, 'bulk_revocation')
  assert.ok(openCutOffCount(world.test.file) >= 2)
  let after: Position | null = null
  const ids: string[] = []
  do {
    const page = await world.test.store.ledger.listEnded({ ...HISTORY, after, limit: PAGE_EXAMINED_MAX })
    ids.push(...page.records.map(({ id }) => id))
    after = page.next
  } while (after !== null)
  assertSameRows(
    ids,
    world.model.ended(HISTORY, await storeNow(world)).map(({ id }) => id),
  )
  while ((await fill(world.test.file, await storeNow(world), 100)) === 'more') await compareInstant(world)
  await world.test.dispose()
})
