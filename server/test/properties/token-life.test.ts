// The life of tokens at the store's port under random commands, against a small model.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { codeOf } from '../../src/domain/ledger/explanation.ts'
import type { CutOffConditions } from '../../src/domain/ledger/ledger.ts'
import type { EndedTokenRecord } from '../../src/domain/lists/page.ts'
import type { EndingReason } from '../../../api/values/reason.ts'
import { makeTokenId } from '../../src/domain/ledger/claims.ts'
import { isThorough } from '../../../testkit/loads/thorough.ts'
import { KEEP_LONG, NO_HISTORY_FILTERS, NO_TOKEN_FILTERS, newTokens } from '../../../testkit/stores/store.ts'
import { makeRandom } from '../store/lists/list-random.ts'
import { assertSameRows, scanEnded, scanLive } from '../store/lists/scan-list.ts'
import {
  AUDIENCES,
  disableInWorld,
  enableInWorld,
  endAllInWorld,
  issueInWorld,
  LIFETIMES,
  makeWorld,
  nextAct,
  revokeInWorld,
  SCOPE_ITEMS,
  storeNow,
  type World,
  type WorldAgent,
} from '../store/lists/list-world.ts'

const RUNS = isThorough ? 30 : 10
const AGENTS = 2
/** The wall clock is stepped by less than the store bears, each way. */
const WALL_STEPS_MS_MAX = 20_000
const REOPENS_MAX = 8

/** What the commands need to know beforehand; what is true of the tokens is in the world's model. */
type Bounds = { wallAhead: number; wallBehind: number; reopens: number }

type Life = {
  world: World
  /** What history has said of a token: it must say so ever after. */
  readonly reported: Map<string, EndedTokenRecord>
}

type Command = fc.AsyncCommand<Bounds, Life>

const LIVE = { filters: NO_TOKEN_FILTERS, audiences: null }
const ENDED = { filters: NO_HISTORY_FILTERS, audiences: null }

/** Every look-up and both lists say what the model says, and nothing contradicts what it said before. */
const observe = async ({ world, reported }: Life): Promise<void> => {
  const { model, random, test: opened } = world
  const { ledger } = opened.store
  const now = await storeNow(world)
  const limit = () => random.pick([20, 1000])
  const found = await ledger.find(
    model.tokens.map(({ record, lifetimeSeconds }) => ({ id: record.id, lifetimeSeconds })),
  )
  const live = await scanLive(ledger, { ...LIVE, limit })
  const ended = await scanEnded(ledger, { ...ENDED, limit })
  const alive = found.filter(token => token?.dead === false).map(token => token?.id ?? '')
  for (const id of alive) assert.ok(!reported.has(id), 'a token that was once dead is never active again')
  for (const record of ended) {
    assert.deepEqual(record, reported.get(record.id) ?? record, 'the first reason and time stay')
    reported.set(record.id, record)
  }
  assert.equal(new Set(ended.map(({ id }) => id)).size, ended.length, 'one history record a token')
  assertSameRows(alive.toSorted(), live.map(({ id }) => id).toSorted())
  for (const [n, { record }] of model.tokens.entries()) {
    const explained = await ledger.explain(record.id)
    // The code is active exactly where introspection says so, and else the reason that history has.
    const code = found[n]?.dead === false ? 'active' : reported.get(record.id)?.reason
    assert.equal(explained && codeOf(explained), code)
  }
  assertSameRows(live, model.live(LIVE, now))
  assertSameRows(ended, model.ended(ENDED, now))
}

const command = (
  name: string,
  run: (life: Life, bounds: Bounds) => Promise<void>,
  check: (bounds: Readonly<Bounds>) => boolean = () => true,
): Command => ({
  check,
  run: async (bounds, life) => {
    await run(life, bounds)
    await observe(life)
  },
  toString: () => name,
})

const agentAt = ({ agents }: World, n: number): WorldAgent => {
  const agent = agents[n % agents.length]
  assert.ok(agent !== undefined)
  return agent
}

const anAgent = fc.nat(AGENTS - 1)
const aWish = fc.record({
  lifetimeSeconds: fc.constantFrom(...LIFETIMES),
  scope: fc.constantFrom(...SCOPE_ITEMS, 'db:read files:read'),
  audience: fc.constantFrom([AUDIENCES[0] ?? ''], [AUDIENCES[1] ?? ''], AUDIENCES),
})

// More than 64 stay under an open cut-off until the fill; fewer are moved by the act that ends them.
const issuing = fc
  .tuple(anAgent, fc.array(aWish, { minLength: 1, maxLength: 5 }), fc.constantFrom(1, 1, 20))
  .map(([n, wishes, times]) =>
    command(`issue(agent ${n}, ${wishes.length} × ${times})`, async ({ world }) => {
      const agent = agentAt(world, n)
      if (agent.disabled) return
      await issueInWorld(world, agent, Array.from({ length: times }, () => wishes).flat())
    }),
  )

const reasons = fc.constantFrom<EndingReason>('manual_revocation', 'self_revocation', 'secret_leaked')

const revoking = fc.tuple(fc.nat(), reasons).map(([n, reason]) =>
  command(`end(token ${n}, ${reason})`, async ({ world }) => {
    const { tokens } = world.model
    const token = tokens[n % Math.max(tokens.length, 1)]
    if (token !== undefined) await revokeInWorld(world, token, reason)
  }),
)

const revokingUnknown = fc.constant(
  command('end(a token that never was)', async ({ world }) => {
    const id = makeTokenId(await storeNow(world), world.random.bytes(10))
    const address = { id, lifetimeSeconds: 300 }
    assert.equal(await world.test.store.ledger.end(address, 'manual_revocation', nextAct(world)), 'unknown')
    assert.deepEqual(await world.test.store.ledger.find([address]), [undefined])
  }),
)

const disabling = anAgent.map(n =>
  command(`disable(agent ${n})`, ({ world }) => disableInWorld(world, agentAt(world, n))),
)
const enabling = anAgent.map(n => command(`enable(agent ${n})`, ({ world }) => enableInWorld(world, agentAt(world, n))))

const conditions = fc.constantFrom<Partial<CutOffConditions>>(
  {},
  { agent: 1 },
  { credential: 2 },
  { scope: 'db:*' },
  { keepScopes: ['db:*', 'files:read'] },
  { audience: AUDIENCES[2] ?? null },
  { agent: 2, keepAudiences: [AUDIENCES[0] ?? ''] },
)

const endingAll = fc.tuple(conditions, reasons, fc.constantFrom(null, 0, 1)).map(([asked, reason, before]) =>
  command(`endAll(${JSON.stringify({ ...asked, before })}, ${reason})`, async ({ world }) => {
    const now = await storeNow(world)
    await endAllInWorld(world, { ...asked, before: before === null ? null : now + before }, reason)
  }),
)

const racing = fc.tuple(anAgent, fc.boolean()).map(([n, disables]) =>
  command(`insert(agent ${n}) decided on before ${disables ? 'disable' : 'endAll'}`, async ({ world }) => {
    const agent = agentAt(world, n)
    const late = await newTokens(world.test.store, agent, [{}, { scope: 'mail:send' }])
    const { disabled } = agent
    if (disables) await disableInWorld(world, agent)
    else await endAllInWorld(world, { scope: 'files:*' }, 'scope_removed')
    if (disables && disabled) return // disabling twice changes nothing, and takes no number
    assert.deepEqual(await world.test.store.ledger.insert(late), ['decide_again', 'decide_again'])
    const addresses = late.map(({ id, lifetimeSeconds }) => ({ id, lifetimeSeconds }))
    assert.deepEqual(await world.test.store.ledger.find(addresses), [undefined, undefined])
  }),
)

const advancing = fc
  .constantFrom(1, 2, 499, 999, 1000, 1999, 60_000, 299_999, 3_600_000)
  .map(ms => command(`advance(${ms} ms)`, async ({ world }) => world.test.clock.advance(ms)))

const toExpiry = fc.tuple(fc.nat(), fc.constantFrom(-1, 0, 1)).map(([n, off]) =>
  command(`advance(to exp of token ${n}, ${off} ms)`, async ({ world }) => {
    const token = world.model.tokens[n % Math.max(world.model.tokens.length, 1)]
    const wait = (token?.expiresMs ?? 0) + off - (await storeNow(world))
    if (wait > 0) world.test.clock.advance(wait)
  }),
)

const steppingWall = fc.constantFrom(-10_000, -2500, -1, 1, 2500, 10_000).map(ms =>
  command(
    `stepWall(${ms} ms)`,
    async ({ world }, bounds) => {
      const before = await storeNow(world)
      bounds[ms > 0 ? 'wallAhead' : 'wallBehind'] += Math.abs(ms)
      world.test.clock.stepWall(ms)
      assert.ok((await storeNow(world)) >= before, 'time never goes back')
    },
    bounds => bounds[ms > 0 ? 'wallAhead' : 'wallBehind'] + Math.abs(ms) <= WALL_STEPS_MS_MAX,
  ),
)

// The store is closed some time after the last act, and opens on a wall clock that has been stepped back meanwhile.
const reopening = fc.tuple(fc.boolean(), fc.constantFrom(0, 1500)).map(([maintenance, stepBack]) =>
  command(
    `reopen(${maintenance ? 'with' : 'without'} maintenance, ${stepBack} ms back)`,
    async (life, bounds) => {
      const { test: opened } = life.world
      opened.clock.advance(700)
      await observe(life)
      const before = await storeNow(life.world)
      bounds.reopens += 1
      opened.clock.stepWall(-stepBack)
      life.world = { ...life.world, test: await opened.reopen(maintenance ? KEEP_LONG : null) }
      assert.ok((await storeNow(life.world)) >= before, 'time never goes back over a restart')
    },
    ({ reopens }) => reopens < REOPENS_MAX,
  ),
)

const someCommands = fc.commands(
  [
    issuing,
    issuing,
    issuing,
    revoking,
    revoking,
    revokingUnknown,
    disabling,
    enabling,
    enabling,
    endingAll,
    endingAll,
    racing,
    advancing,
    toExpiry,
    steppingWall,
    reopening,
  ],
  { maxCommands: 40, size: 'max' },
)

const live = async (seed: number, commands: Iterable<Command>): Promise<void> => {
  const life: Life = { world: await makeWorld(makeRandom(seed), AGENTS), reported: new Map() }
  const bounds: Bounds = { wallAhead: 0, wallBehind: 0, reopens: 0 }
  try {
    await fc.asyncModelRun(() => ({ model: bounds, real: life }), commands)
  } finally {
    await life.world.test.dispose()
  }
}

// fast-check prints the seed, the path and the shrunk commands of a failure.
test('whatever happens to tokens, each dies once, for its first reason, and stays dead', () =>
  fc.assert(fc.asyncProperty(fc.noShrink(fc.integer()), someCommands, live), { numRuns: RUNS }))
