// Every ordering of two endings of one token: it is dead, stands in history once, and the first is its reason.
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { NO_CONDITIONS } from '../../../src/domain/ledger/revocation.ts'
import { type TokenAddress, expiresSecondOf } from '../../../src/domain/ledger/claims.ts'
import { NO_CONDITION } from '../../../src/domain/ledger/ledger.ts'
import type { Reason } from '../../../../api/values/reason.ts'
import { backfillStep } from '../../../src/store/ledger/backfill.ts'
import {
  act,
  createAgent,
  issue,
  makeTestStore,
  newTokens,
  NO_HISTORY_FILTERS,
  NO_TOKEN_FILTERS,
  START,
  type TestAgent,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { inTransaction, withWritingConnection } from '../../../../testkit/stores/store-file.ts'
import assert from 'node:assert/strict'

const LIFETIME_SECONDS = 60
/** Above so many an act leaves the rows to the fill: the second ending then meets a cut-off that is open. */
const FEW = 64

type World = TestStore & { readonly agent: TestAgent; readonly token: TokenAddress }

type Ending = { readonly reason: Reason; readonly end: (world: World) => Promise<unknown> }

const revocation = (conditions: Partial<Parameters<World['store']['revocations']['dryRun']>[0]>) => {
  return { id: randomUUID(), conditions: { ...NO_CONDITIONS, ...conditions }, reason: 'bulk_revocation' } as const
}

const REVOKE = act('revocation.create')

const ENDINGS: Readonly<Record<string, Ending>> = {
  'the token is revoked': {
    reason: 'manual_revocation',
    end: ({ store, token }) => store.ledger.end(token, 'manual_revocation', act('token.revoke')),
  },
  'its agent is disabled': {
    reason: 'agent_disabled',
    end: ({ store, agent }) => store.agents.disable(agent.id, act('agent.disable')),
  },
  'its credential is revoked': {
    reason: 'credential_revoked',
    end: async ({ store, agent }) => {
      const [{ credential } = { credential: 0 }] = await newTokens(store, agent, [{}])
      await store.ledger.endAll({ ...NO_CONDITION, credential }, 'credential_revoked', act('token.revoke'))
    },
  },
  'a revocation by scope covers it': {
    reason: 'bulk_revocation',
    end: ({ store }) => store.revocations.create(revocation({ scope: 'db:read' }), REVOKE),
  },
  'a revocation of all covers it': {
    reason: 'bulk_revocation',
    end: ({ store }) => store.revocations.create(revocation({}), REVOKE),
  },
  'it expires': {
    reason: 'expired',
    end: async ({ clock, token }) =>
      clock.advance(Math.max(0, 1000 * expiresSecondOf(token.id, LIFETIME_SECONDS) - clock.wall())),
  },
}

/** A token of an agent of its own, among so many others of it. */
const addToken = async (shared: TestStore, bystanders: number): Promise<World> => {
  const agent = await createAgent(shared.store)
  const wishes = Array.from({ length: bystanders + 1 }, () => ({ lifetimeSeconds: LIFETIME_SECONDS }))
  const [token] = await issue(shared.store, agent, ...wishes)
  assert.ok(token)
  return { ...shared, agent, token }
}

const fillAll = (world: TestStore): void =>
  withWritingConnection(world, connection => {
    while (inTransaction(connection, backfillStep) === 'more');
  })

/** What look-up, lists and the life of the token say of it. */
const seen = async ({ store, agent, token }: World) => {
  const [found] = await store.ledger.find([token])
  const paging = { audiences: null, after: null, limit: 1000 }
  const live = await store.ledger.listLive({ filters: { ...NO_TOKEN_FILTERS, agentId: agent.id }, ...paging })
  const ended = await store.ledger.listEnded({ filters: { ...NO_HISTORY_FILTERS, agentId: agent.id }, ...paging })
  const records = ended.records.filter(({ id }) => id === token.id)
  const life = await store.ledger.show(token.id)
  return {
    isDead: found === undefined || found.dead,
    listed: live.records.filter(({ id }) => id === token.id).length,
    reasons: records.map(({ reason }) => reason),
    endedAt: records.map(({ endedAt }) => endedAt),
    shown: life?.end?.reason,
    shownAt: life?.end?.endedAt,
  }
}

let shared: TestStore

before(async () => {
  // In the middle of a second: its expiry is at a whole one.
  shared = await makeTestStore(null, START + 500)
})

after(() => shared.dispose())

for (const bystanders of [0, FEW]) {
  for (const [first, { reason, end }] of Object.entries(ENDINGS)) {
    for (const [second, again] of Object.entries(ENDINGS)) {
      const rows = bystanders === 0 ? 'its row moves at once' : 'rows follow later'
      test(`first ${first}, then ${second}; ${rows}: it is dead, with one record, for the first reason`, async () => {
        const world = await addToken(shared, bystanders)
        await end(world)
        const endedAt = world.clock.wall()
        world.clock.advance(10)
        await again.end(world)
        const expected = {
          isDead: true,
          listed: 0,
          reasons: [reason],
          endedAt: [endedAt],
          shown: reason,
          shownAt: endedAt,
        }
        assert.deepEqual(await seen(world), expected, 'at once')
        world.clock.advance(2000 * LIFETIME_SECONDS)
        fillAll(world)
        assert.deepEqual(await seen(world), expected, 'after the fill, and after its expiry')
      })
    }
  }
}
