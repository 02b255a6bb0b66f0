// Dry runs against their acts: in random trees of tokens, what each act was said to end is what it then ends, and a dry run
// changes nothing.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Counted, EndCount } from '../../../src/domain/ledger/ends.ts'
import type { AgentChange } from '../../../src/domain/clients/change-agent.ts'
import type { TokenAddress } from '../../../src/domain/ledger/claims.ts'
import { delegatedLifetime, DEPTH_MAX } from '../../../src/domain/ledger/lineage.ts'
import type { DryRuns } from '../../../src/ports/dry-runs.ts'
import { isThorough } from '../../../../testkit/loads/thorough.ts'
import {
  act,
  createAgent,
  isPostgresTested,
  issue,
  makeTestStore,
  NO_NAME_FILTERS,
  newTokens,
  someSigningKey,
  type TestAgent,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { makeRandom, type Random } from '../lists/list-random.ts'

// On PostgreSQL less: what is shared is tried on the embedded store too.
const WORLDS = isThorough ? 30 : isPostgresTested() ? 2 : 6
const ACTS = 8
const AGENTS = 4
const LIFETIME = 3600
const SCOPE_ITEMS = ['db:read', 'db:write', 'files:read']
const AUDIENCES = ['https://a.example', 'https://b.example']
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'

type World = {
  readonly random: Random
  readonly test: TestStore
  readonly agents: readonly TestAgent[]
  readonly tokens: (TokenAddress & { readonly depth: number })[]
}

const makeWorld = async (random: Random): Promise<World> => {
  const tested = await makeTestStore(null)
  const settings = {
    scopes: ['db:*', 'files:*'],
    resources: AUDIENCES,
    defaultAudience: AUDIENCES[0] ?? null,
    grantTypes: ['client_credentials', EXCHANGE] as const,
    actsFor: ['*', 'label:team=data'],
    receives: AUDIENCES,
  }
  const agents: TestAgent[] = []
  for (let n = 0; n < AGENTS; n += 1) agents.push(await createAgent(tested.store, null, settings))
  return { random, test: tested, agents, tokens: [] }
}

/** Each agent may get tokens again, by another secret where its first was revoked. */
const revive = async ({ agents, test: { store } }: World): Promise<void> => {
  for (const { id, clientId } of agents) {
    await store.agents.enable(id, act('agent.enable'))
    const [client] = (await store.agents.viewForIssue([clientId], 'fresh')).clients
    if (client?.credentials.length !== 0) continue
    const secret = { id: randomUUID(), name: 'another', secretHash: randomBytes(32).toString('hex'), expiry: null }
    await store.credentials.create(id, secret, act('credential.create'))
  }
}

/** Tokens of one agent, or so many for a token of any, as far as the store takes them. */
const issueSome = async ({ random, tokens, test: { store } }: World, agent: TestAgent): Promise<void> => {
  const parent = random.chance(0.6) && tokens.length > 0 ? random.pick(tokens.slice(-20)) : undefined
  const depth = parent === undefined ? 0 : parent.depth + 1
  if (depth > DEPTH_MAX) return
  const lifetimeSeconds =
    parent === undefined ? LIFETIME : (delegatedLifetime(parent.lifetimeSeconds - 60, LIFETIME) ?? 60)
  const wishes = Array.from({ length: random.pick([1, 1, 30]) }, () => ({
    lifetimeSeconds,
    scope: random.some(SCOPE_ITEMS, 2).join(' '),
    audience: random.some(AUDIENCES, 2),
  }))
  const asked = (await newTokens(store, agent, wishes)).map(token => ({ ...token, ...(parent && { parent }) }))
  const outcomes = await store.ledger.insert(asked)
  const inserted = asked.filter((_, n) => outcomes[n] === 'inserted')
  tokens.push(...inserted.map(({ id }) => ({ id, lifetimeSeconds, depth })))
}

const grow = async (world: World): Promise<void> => {
  for (let n = 0; n < 12; n += 1) {
    const agent = world.random.pick(world.agents)
    world.test.clock.advance(world.random.int(5))
    await issueSome(world, agent)
  }
}

const readLive = async ({ test: { store }, tokens }: World): Promise<readonly string[]> => {
  const found = await store.ledger.find(tokens)
  return found.filter(one => one?.dead === false).map(one => one?.id ?? '')
}

type Try = () => ReturnType<DryRuns[keyof DryRuns]>

/** An act, and the dry run of it. */
type Trial = { readonly name: string; readonly count: Try; readonly run: () => Promise<unknown> }

const CHANGES: readonly AgentChange[] = [
  { scopes: ['db:*'] },
  { scopes: ['db:read', 'files:*'] },
  { resources: ['https://a.example'] },
  { actsFor: [] },
  { receives: ['https://b.example'] },
  { liveTokensMax: 10, atLiveTokensMax: 'supersede' },
  {
    scopes: ['db:read'],
    resources: ['https://a.example'],
    actsFor: [],
    liveTokensMax: 3,
    atLiveTokensMax: 'supersede',
  },
  { description: 'nothing is lost' },
  { scopes: ['db:*', 'files:*'], resources: AUDIENCES, actsFor: ['*'], receives: AUDIENCES, liveTokensMax: null },
]

const someTrial = async (world: World): Promise<Trial> => {
  const {
    random,
    test: { store },
  } = world
  const agent = random.pick(world.agents)
  const { id: agentId } = agent
  const wanted = { agentId, change: random.pick(CHANGES), serviceAudience: null }
  const keepTokens = random.chance(0.2)
  const credentials = await store.credentials.list(agentId, {
    names: NO_NAME_FILTERS,
    after: null,
    limit: 10,
    audiences: null,
  })
  const { id } = random.pick(credentials ?? [])
  const revocation = { agentId, id, reason: 'credential_revoked', keepTokens } as const
  const changing: Trial = {
    name: `change ${JSON.stringify(wanted.change)}`,
    count: () => store.dryRuns.changeAgent(wanted),
    run: () => store.agents.change(wanted, act('agent.change')),
  }
  return random.pick<Trial>([
    changing,
    changing,
    changing,
    {
      name: 'disable',
      count: () => store.dryRuns.disableAgent(agentId),
      run: () => store.agents.disable(agentId, act('agent.disable')),
    },
    {
      name: `revoke the credential${keepTokens ? ', and keep its tokens' : ''}`,
      count: () => store.dryRuns.revokeCredential(revocation),
      run: () => store.credentials.revoke(revocation, act('credential.revoke')),
    },
  ])
}

/** What cannot be undone, at the end of a world. */
const lastTrials = async ({ agents, test: { store } }: World): Promise<readonly Trial[]> => {
  const { id } = agents[0] ?? assert.fail()
  const { signingKey } = await store.agents.viewForIssue([], 'fresh')
  const { kid } = signingKey.publicJwk
  const compromise = { kid, candidate: someSigningKey(), revocationId: '0198d4c2-5d7c-4b7a-9c3e-1f2a3b4c5d6e' }
  const compromising: Trial = {
    name: 'compromise',
    count: () => store.dryRuns.compromiseKey(kid),
    run: () => store.signingKeys.compromise(compromise, act('signing_key.compromise')),
  }
  const deleting: Trial = {
    name: 'delete',
    count: () => store.dryRuns.deleteAgent(id),
    run: () => store.agents.delete(id, act('agent.delete')),
  }
  return [deleting, compromising, compromising]
}

const countOf = async (counted: ReturnType<Try>): Promise<EndCount> => {
  const ends = await counted
  assert.ok(typeof ends === 'object' && 'tokens' in ends, JSON.stringify(ends))
  return ends
}

/** What the act has ended, by the history of each token. */
const endedBetween = async (
  { test: { store } }: World,
  before: readonly string[],
  after: readonly string[],
): Promise<Omit<EndCount, 'descendantAgents'> & { readonly holders: Readonly<Record<string, number>> }> => {
  const counts = { tokens: 0, descendants: 0 }
  const reasons = new Set<string>()
  const holders: Record<string, number> = {}
  for (const id of before.filter(one => !after.includes(one))) {
    const life = await store.ledger.show(id)
    assert.ok(life?.end)
    counts[life.end.ancestorId === null ? 'tokens' : 'descendants'] += 1
    if (life.end.ancestorId === null) reasons.add(life.end.reason)
    else holders[life.token.agentId] = (holders[life.token.agentId] ?? 0) + 1
  }
  return { ...counts, holders, isExact: true, reasons: [...reasons] as Counted['ends']['reasons'] }
}

const compare = async (world: World, { name, count, run }: Trial): Promise<void> => {
  const before = await readLive(world)
  const seq = (await world.test.store.agents.viewForIssue([], 'fresh')).seq
  const { reasons, descendantAgents, ...counted } = await countOf(count())
  const counts = {
    ...counted,
    holders: Object.fromEntries(descendantAgents.map(({ agentId, tokens }) => [agentId, tokens])),
  }
  assert.deepEqual(await readLive(world), before, `the dry run of ${name} ended something`)
  assert.equal((await world.test.store.agents.viewForIssue([], 'fresh')).seq, seq)
  await run()
  const after = await readLive(world)
  const { reasons: seen, ...ended } = await endedBetween(world, before, after)
  assert.deepEqual(counts, ended, name)
  assert.ok(
    seen.every(reason => reasons.includes(reason)),
    `${name}: ${seen.join()} of ${reasons.join()}`,
  )
}

test('the dry run of each act counts the tokens and the descendants that the act then ends, and changes nothing', () =>
  fc.assert(
    fc.asyncProperty(fc.integer(), async seed => {
      const world = await makeWorld(makeRandom(seed))
      try {
        for (let n = 0; n < ACTS; n += 1) {
          await grow(world)
          await compare(world, await someTrial(world))
          await revive(world)
        }
        await grow(world)
        for (const trial of await lastTrials(world)) await compare(world, trial)
      } finally {
        await world.test.dispose()
      }
    }),
    { numRuns: WORLDS },
  ))

test('a dry run is refused as its act would be, and counts nothing where the act changes nothing', async t => {
  const { store, dispose } = await makeTestStore(null)
  t.after(dispose)
  const [agent, other] = [await createAgent(store), await createAgent(store)]
  await issue(store, agent, {}, {})
  const { dryRuns } = store
  const named = async (name: string) => ({ agentId: agent.id, change: { name }, serviceAudience: null })
  const taken = await named((await store.agents.show(other.id))?.name ?? '')
  assert.equal(await dryRuns.changeAgent(taken), 'name_taken')
  const beyond = { agentId: agent.id, change: { defaultScope: ['mail:read'] }, serviceAudience: null }
  assert.deepEqual(await dryRuns.changeAgent(beyond), await store.agents.change(beyond, act('agent.change')))
  for (const outcome of [
    dryRuns.disableAgent(randomUUID()),
    dryRuns.deleteAgent(randomUUID()),
    dryRuns.compromiseKey('no-such-key'),
    dryRuns.changeAgent({ ...beyond, agentId: randomUUID() }),
  ]) {
    assert.equal(await outcome, 'unknown')
  }
  assert.equal((await countOf(dryRuns.disableAgent(agent.id))).tokens, 2)
  await store.agents.disable(agent.id, act('agent.disable'))
  const nothing = { tokens: 0, descendants: 0, descendantAgents: [], isExact: true, reasons: [] }
  assert.deepEqual(await countOf(dryRuns.disableAgent(agent.id)), nothing)
})

test('a change that narrows and lowers the ceiling at once ends for the ceiling what narrowing leaves beyond it', async t => {
  const { store, clock, dispose } = await makeTestStore(null)
  t.after(dispose)
  const agent = await createAgent(store)
  const kept = await issue(store, agent, {}, {})
  clock.advance(1000)
  await issue(store, agent, { scope: 'db:write' }, { scope: 'db:write' })
  const change: AgentChange = { scopes: ['db:read'], liveTokensMax: 2, atLiveTokensMax: 'supersede' }
  const wanted = { agentId: agent.id, change, serviceAudience: null }
  const counted = await countOf(store.dryRuns.changeAgent(wanted))
  assert.deepEqual(counted, {
    tokens: 2,
    descendants: 0,
    descendantAgents: [],
    isExact: true,
    reasons: ['scope_removed'],
  })
  await store.agents.change(wanted, act('agent.change'))
  assert.deepEqual(
    (await store.ledger.find(kept)).map(one => one?.dead),
    [false, false],
  )
})
