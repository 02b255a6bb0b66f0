// A store and its model, in which the same random things happen to both.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import type { Act } from '../../../src/domain/audit/act.ts'
import { type CutOffConditions, NO_CONDITION } from '../../../src/domain/ledger/ledger.ts'
import type { EndingReason } from '../../../../api/values/reason.ts'
import type { RevocationConditions } from '../../../src/domain/ledger/revocation.ts'
import type { NewToken } from '../../../src/ports/ports.ts'
import { makeTokenId } from '../../../src/domain/ledger/claims.ts'
import {
  act,
  createAgent,
  makeTestStore,
  newTokens,
  someSigningKey,
  type TestAgent,
  type TestStore,
  type TokenWish,
} from '../../../../testkit/stores/store.ts'
import { keepPrincipals, type KeptPrincipal } from '../../../../testkit/stores/principals.ts'
import { subjectClaim } from '../../../src/domain/ledger/token-subject.ts'
import { delegatedLifetime, DEPTH_MAX } from '../../../src/domain/ledger/lineage.ts'
import { ancestorsOf, type ListModel, makeListModel, type ModelToken, type Names } from './list-model.ts'
import type { Random } from './list-random.ts'

export const LIFETIMES = [2, 300, 3600] as const
export const SCOPE_ITEMS = ['db:admin', 'db:read', 'db:write', 'files:list', 'files:read', 'mail:read', 'mail:send']
export const AUDIENCES = ['https://a.example', 'https://b.example', 'urn:c']
const PATTERNS = [...SCOPE_ITEMS, 'db:*', 'files:*', 'mail:*', 'none:*']
const REASONS: readonly EndingReason[] = ['bulk_revocation', 'key_compromise', 'scope_removed', 'secret_leaked']

type Numbered = { readonly number: number; readonly name: string }
export type WorldAgent = TestAgent & {
  readonly number: number
  readonly credential: number
  /** That one, and another. */
  readonly credentials: readonly Numbered[]
  disabled: boolean
}

export type World = {
  readonly test: TestStore
  readonly model: ListModel
  readonly agents: readonly WorldAgent[]
  /** The store's number of the key that signs. */
  readonly key: number
  /** That one, and another. */
  readonly keys: readonly Numbered[]
  readonly principals: readonly (KeptPrincipal & { isBlocked: boolean })[]
  readonly acts: { count: number }
  readonly random: Random
}

export const storeNow = async ({ test }: Pick<World, 'test'>): Promise<number> =>
  (await test.store.agents.viewForIssue([], 'fresh')).now

const createWorldAgent = async ({ store }: TestStore): Promise<WorldAgent> => {
  const agent = await createAgent(store)
  const other = { id: randomUUID(), name: 'other', secretHash: randomBytes(32).toString('hex'), expiry: null }
  await store.credentials.create(agent.id, other, act('credential.create'))
  const [client] = (await store.agents.viewForIssue([agent.clientId], 'fresh')).clients
  const credentials = client?.credentials.map(({ number, id }) => ({ number, name: id })) ?? []
  const credential = credentials.find(({ name }) => name === agent.credentialId)
  assert.ok(client !== undefined && credential !== undefined && credentials.length === 2)
  return { ...agent, number: client.number, credential: credential.number, credentials, disabled: false }
}

/** A new store that nothing fills, with so many agents. */
export const makeWorld = async (random: Random, agentCount: number): Promise<World> => {
  const test = await makeTestStore(null)
  const agents: WorldAgent[] = []
  for (let n = 0; n < agentCount; n += 1) agents.push(await createWorldAgent(test))
  await test.store.signingKeys.createNext(someSigningKey(), act('signing_key.create'))
  const { signingKey } = await test.store.agents.viewForIssue([], 'fresh')
  const { keys: some } = await test.store.signingKeys.list(null, 2)
  const keys = some.map(({ number, publicJwk }) => ({ number, name: publicJwk.kid }))
  const principals = (await keepPrincipals(test.file)).map(one => ({ ...one, isBlocked: false }))
  return { test, model: makeListModel(), agents, key: signingKey.number, keys, principals, acts: { count: 0 }, random }
}

const nameOf = (some: readonly Numbered[], number: number | null): string | null =>
  some.find(one => one.number === number)?.name ?? null

type Issued = { readonly token: NewToken } & Names

/** With an id of the seed, so that it brings back the same order within a millisecond, any credential and key, and often a principal. */
const issuedIn = (
  { keys, principals, random }: World,
  { credentials }: WorldAgent,
  now: number,
  token: NewToken,
): Issued => {
  const principal = token.parent === undefined && random.chance(0.4) ? random.pick(principals) : undefined
  const [credential, key] = [random.pick(credentials), random.pick(keys)]
  const numbers = { credential: credential.number, signingKey: key.number }
  const id = makeTokenId(now, random.bytes(10))
  const named = { ...token, id, ...numbers, ...(principal !== undefined && { principal: principal.asked }) }
  const { asked, number, shown } = principal ?? {}
  const acts = asked && number && shown ? { number, issuer: asked.issuer, shown } : null
  return { token: named, credentialId: credential.name, kid: key.name, principal: acts }
}

/** An act that history distinguishes from every other. */
export const nextAct = ({ acts }: World): Act => {
  acts.count += 1
  return { ...act('token.revoke', `act ${acts.count}`), actor: { type: 'cli', id: `user ${acts.count % 3}` } }
}

export const issueInWorld = async (world: World, agent: WorldAgent, wishes: readonly TokenWish[]): Promise<void> => {
  const { test, model } = world
  const now = await storeNow(world)
  const issued = await newTokens(test.store, agent, wishes)
  const made = issued.map(token => issuedIn(world, agent, now, token))
  const outcomes = await test.store.ledger.insert(made.map(({ token }) => token))
  const blocked = world.principals.filter(({ isBlocked }) => isBlocked).map(({ number }) => number)
  for (const [n, { token, ...names }] of made.entries()) {
    const isBlocked = names.principal !== null && blocked.includes(names.principal.number)
    assert.equal(outcomes[n], isBlocked ? 'subject_blocked' : 'inserted')
    if (!isBlocked) model.add(agent, token, { now, ...names })
  }
}

/** Of an agent that exchanges a token, live or not, so many times. What its lifetime and its depth forbid is not asked for. */
export const exchangeInWorld = async (
  world: World,
  agent: WorldAgent,
  parent: ModelToken,
  times = 1,
): Promise<void> => {
  const { test, model, random } = world
  const now = await storeNow(world)
  const secondsLeft = parent.record.expiresAt - Math.floor(now / 1000)
  const lifetimeSeconds = delegatedLifetime(secondsLeft, random.pick([15, 60, 3600]))
  if (agent.disabled || lifetimeSeconds === undefined || ancestorsOf(parent).length >= DEPTH_MAX) return
  const scope = random.some(parent.record.scope.split(' '), 3).join(' ')
  const wishes = Array.from({ length: times }, () => ({ lifetimeSeconds, scope, audience: random.some(AUDIENCES, 2) }))
  const address = { id: parent.record.id, lifetimeSeconds: parent.lifetimeSeconds }
  const issued = await newTokens(test.store, agent, wishes)
  const made = issued.map(token => issuedIn(world, agent, now, { ...token, parent: address }))
  const outcomes = await test.store.ledger.insert(made.map(({ token }) => token))
  const expected = model.isLive(parent, now) ? 'inserted' : 'parent_ended'
  assert.ok(outcomes.every(outcome => outcome === expected))
  if (expected !== 'inserted') return
  for (const { token, ...names } of made) model.add(agent, token, { now, ...names })
}

/** So many exchanges, most of them of what was issued last. */
const exchangeSome = async (world: World): Promise<void> => {
  const { model, agents, random } = world
  for (let left = random.pick([1, 5, 40]); left > 0 && model.tokens.length > 0; left -= 1) {
    const recent = model.tokens.slice(-random.pick([3, 10, 300]))
    await exchangeInWorld(world, random.pick(agents), random.pick(recent))
  }
}

export const revokeInWorld = async (world: World, token: ModelToken, reason: EndingReason): Promise<void> => {
  const [revocation, at] = [nextAct(world), await storeNow(world)]
  const { record, lifetimeSeconds } = token
  const outcome = await world.test.store.ledger.end({ id: record.id, lifetimeSeconds }, reason, revocation)
  assert.equal(outcome, world.model.end(token, { at, reason, act: revocation }))
}

/** The same conditions as a revocation names them; undefined where it has no name for one, or may not ask for what is to come. */
const namedIn = (
  { agents, keys, principals: known }: World,
  conditions: CutOffConditions,
  at: number,
): RevocationConditions | undefined => {
  const { agent, credential, key, scope, audience, before, root = null } = conditions
  const { keepScopes, keepAudiences, fromAnother = false, issuers = null, principals = null } = conditions
  if (keepScopes !== null || keepAudiences !== null || fromAnother || (before ?? at) > at) return undefined
  if ((issuers ?? []).length > 1 || (principals ?? []).length > 1) return undefined
  const principal = known.find(({ number }) => number === principals?.[0])
  return {
    agentId: agents.find(one => one.number === agent)?.id ?? null,
    credentialId: nameOf(
      agents.flatMap(({ credentials }) => credentials),
      credential,
    ),
    kid: nameOf(keys, key),
    scope,
    audience,
    issuedBefore: before,
    lineage: root,
    subject: principal === undefined ? null : subjectClaim(principal.shown),
    issuer: known.find(({ asked }) => asked.issuer === issuers?.[0])?.shown.issuer ?? null,
  }
}

export const endAllInWorld = async (
  world: World,
  asked: Partial<CutOffConditions>,
  reason: EndingReason,
): Promise<void> => {
  const [revocation, at] = [nextAct(world), await storeNow(world)]
  const conditions = { ...NO_CONDITION, ...asked }
  const named = namedIn(world, conditions, at)
  if (named === undefined) {
    await world.test.store.ledger.endAll(conditions, reason, revocation)
    return world.model.endAll(conditions, { at, reason, act: revocation })
  }
  const id = makeTokenId(at, world.random.bytes(10))
  const made = await world.test.store.revocations.create({ id, reason, conditions: named }, revocation)
  assert.ok(typeof made === 'object')
  world.model.endAll(conditions, { at, reason, act: revocation, revocationId: id })
}

export const disableInWorld = async (world: World, agent: WorldAgent): Promise<void> => {
  const [disabling, at] = [nextAct(world), await storeNow(world)]
  await world.test.store.agents.disable(agent.id, disabling)
  const conditions = { ...NO_CONDITION, agent: agent.number }
  if (!agent.disabled) world.model.endAll(conditions, { at, reason: 'agent_disabled', act: disabling })
  agent.disabled = true
}

export const enableInWorld = async (world: World, agent: WorldAgent): Promise<void> => {
  await world.test.store.agents.enable(agent.id, nextAct(world))
  agent.disabled = false
}

/** Blocks a principal, or unblocks it. */
const switchBlockInWorld = async (world: World): Promise<void> => {
  const { test, model, principals, random } = world
  const [switching, at, principal] = [nextAct(world), await storeNow(world), random.pick(principals)]
  await test.store.issuers[principal.isBlocked ? 'unblock' : 'block'](principal.shown, switching)
  const conditions = { ...NO_CONDITION, principals: [principal.number] }
  if (!principal.isBlocked) model.endAll(conditions, { at, reason: 'subject_blocked', act: switching })
  principal.isBlocked = !principal.isBlocked
}

const someWishes = (random: Random, scopeItemsMost: number): readonly TokenWish[] =>
  Array.from({ length: random.pick([1, 5, 30, 120]) }, () => ({
    lifetimeSeconds: random.pick(LIFETIMES),
    scope: random.some(SCOPE_ITEMS, scopeItemsMost).join(' '),
    audience: random.some(AUDIENCES, 2),
  }))

const someConditions = async (world: World): Promise<Partial<CutOffConditions>> => {
  const { random } = world
  const agent = random.pick(world.agents)
  const before = (await storeNow(world)) - random.pick([0, 1, 500, 5000])
  const [principal, other] = [random.pick(world.principals), random.pick(world.principals)]
  const roots = world.model.tokens.filter(({ parent }) => parent === null)
  const root = roots[random.int(Math.max(1, roots.length))]
  return random.pick<Partial<CutOffConditions>>([
    { agent: agent.number },
    { credential: random.pick(agent.credentials).number },
    { scope: random.pick(PATTERNS) },
    { keepScopes: [random.pick(PATTERNS), random.pick(PATTERNS)] },
    { audience: random.pick(AUDIENCES) },
    { keepAudiences: random.some(AUDIENCES, 2) },
    { before },
    { agent: agent.number, scope: random.pick(PATTERNS) },
    { agent: agent.number, keepScopes: [random.pick(PATTERNS)], before },
    { credential: agent.credential, audience: random.pick(AUDIENCES) },
    { key: random.pick(world.keys).number, before },
    { scope: random.pick(PATTERNS), keepAudiences: [random.pick(AUDIENCES)] },
    random.chance(0.2) ? {} : { key: world.key, scope: random.pick(PATTERNS), before },
    { agent: agent.number, audience: random.pick(AUDIENCES) },
    { agent: agent.number, fromAnother: true },
    { issuers: [principal.asked.issuer] },
    { principals: [principal.number] },
    { principals: [principal.number], scope: random.pick(PATTERNS) },
    { agent: agent.number, issuers: [principal.asked.issuer, other.asked.issuer] },
    { agent: agent.number, principals: [principal.number, other.number] },
    { agent: agent.number, principals: [principal.number] },
    ...(root === undefined
      ? []
      : [{ root: root.record.id }, { root: root.record.id, audience: random.pick(AUDIENCES) }]),
  ])
}

/** One random thing. Scopes hold up to `scopeItemsMost` items, which decides how many sets hold one of them. */
export const stepWorld = async (world: World, scopeItemsMost: number): Promise<void> => {
  const { test, model, agents, random } = world
  const enabled = agents.filter(({ disabled }) => !disabled)
  const issuing = async () =>
    enabled.length > 0 && issueInWorld(world, random.pick(enabled), someWishes(random, scopeItemsMost))
  const things = [
    ...Array.from({ length: 6 }, () => issuing),
    ...Array.from({ length: 5 }, () => () => exchangeSome(world)),
    async () => model.tokens.length > 0 && revokeInWorld(world, random.pick(model.tokens), 'manual_revocation'),
    async () => model.tokens.length > 0 && revokeInWorld(world, random.pick(model.tokens), 'self_revocation'),
    async () => disableInWorld(world, random.pick(agents)),
    async () => switchBlockInWorld(world),
    ...Array.from({ length: 2 }, () => async () => enableInWorld(world, random.pick(agents))),
    ...Array.from(
      { length: 2 },
      () => async () => endAllInWorld(world, await someConditions(world), random.pick(REASONS)),
    ),
    async () => test.clock.advance(random.int(4)),
    async () => test.clock.advance(random.int(3000)),
    async () => test.clock.advance(1000 * random.int(200)),
  ]
  await random.pick(things)()
}
