// Pages while tokens come and go: no row twice, and none skipped that was there throughout.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { HistoryFilters, TokenFilters } from '../../../src/domain/lists/page.ts'
import { isPostgresTested, NO_HISTORY_FILTERS, NO_TOKEN_FILTERS } from '../../../../testkit/stores/store.ts'
import { fill } from './backfill-steps.ts'
import { makeRandom } from './list-random.ts'
import { assertSameRows, scanEnded, scanLive } from './scan-list.ts'
import { enableInWorld, issueInWorld, makeWorld, SCOPE_ITEMS, stepWorld, storeNow, type World } from './list-world.ts'

const SCOPE_ITEMS_MOST = 3

const makeBusyWorld = async (seed: number): Promise<World> => {
  const world = await makeWorld(makeRandom(seed), 3)
  for (let step = 0; step < 25; step += 1) await stepWorld(world, SCOPE_ITEMS_MOST)
  for (const agent of world.agents) {
    await enableInWorld(world, agent)
    const wishes = Array.from({ length: 150 }, () => ({ scope: world.random.some(SCOPE_ITEMS, 2).join(' ') }))
    await issueInWorld(world, agent, wishes)
  }
  return world
}

/** Something happens, and now and then a step of the fill. */
const disturb = async (world: World): Promise<void> => {
  await stepWorld(world, SCOPE_ITEMS_MOST)
  if (world.random.chance(0.3)) await fill(world.test.file, await storeNow(world), 1)
}

type Row = { readonly id: string; readonly endedAt?: number }

const assertDescending = (rows: readonly Row[]): void => {
  rows.slice(1).forEach((row, n) => {
    const [above, below] = [rows[n]?.endedAt ?? 0, row.endedAt ?? 0]
    assert.ok(above > below || (above === below && (rows[n]?.id ?? '') > row.id), 'each row is below the one before')
  })
}

const someFilters = ({ random, model }: World): TokenFilters => ({
  ...NO_TOKEN_FILTERS,
  agentId: random.chance(0.3) ? random.pick(model.tokens).record.agentId : null,
  scope: random.chance(0.3) ? random.pick(SCOPE_ITEMS) : null,
})

const limits = (world: World) => () => world.random.pick([3, 10, 30, 60])

const forBusyWorlds = (work: (world: World) => Promise<void>) => {
  const property = fc.asyncProperty(fc.noShrink(fc.integer()), async seed => {
    const world = await makeBusyWorld(seed)
    for (let scan = 0; scan < 3; scan += 1) await work(world)
    await world.test.dispose()
  })
  return fc.assert(property, { numRuns: isPostgresTested() ? 1 : 4 })
}

test('the list of live tokens shows once each token that lives throughout, whatever happens between two pages', () =>
  forBusyWorlds(async world => {
    const asked = { filters: someFilters(world), audiences: null }
    const before = world.model.live(asked, await storeNow(world))
    const seen = await scanLive(world.test.store.ledger, {
      ...asked,
      limit: limits(world),
      between: () => disturb(world),
    })
    assertDescending(seen)
    const ids = new Set(seen.map(({ id }) => id))
    const still = new Set(world.model.live(asked, await storeNow(world)).map(({ id }) => id))
    const skipped = before.filter(({ id }) => still.has(id) && !ids.has(id))
    assertSameRows(skipped, [])
  }))

test('history shows once each token that had ended before the scan, whatever happens between two pages', () =>
  forBusyWorlds(async world => {
    const filters: HistoryFilters = { ...NO_HISTORY_FILTERS, ...someFilters(world) }
    const asked = { filters, audiences: null }
    const before = world.model.ended(asked, await storeNow(world))
    const seen = await scanEnded(world.test.store.ledger, {
      ...asked,
      limit: limits(world),
      between: () => disturb(world),
    })
    assertDescending(seen)
    const had = new Set(before.map(({ id }) => id))
    assertSameRows(
      seen.filter(({ id }) => had.has(id)),
      before,
    )
  }))
