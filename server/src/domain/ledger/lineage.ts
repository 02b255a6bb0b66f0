// Lineage: a token that was got for another one (RFC 8693) knows its ancestors, and is dead as soon as one of them is.
import type { Milliseconds } from '../../../../api/values/time.ts'
import type { Agent } from '../clients/agent.ts'
import { type TokenAddress, issuedAtOf } from './claims.ts'

/** Edges from a token up to the root of its lineage: so many, no more. */
export const DEPTH_MAX = 8

// The time of a child is by the clock of one process and that of its parent by another's, and they may be so far apart.
const CLOCKS_APART_MS = 60_000

/** No token that descends from this one was issued earlier. */
export const earliestBelow = (ancestorId: string): Milliseconds => issuedAtOf(ancestorId) - CLOCKS_APART_MS

/** The lifetimes of tokens that were got for others, in seconds. Every list merges one stream for each lifetime in use. */
export const DELEGATED_LIFETIMES: readonly number[] = [15, 30, 60, 120, 180, 240, 900, 3600]

export const SHORTEST_DELEGATED = Math.min(...DELEGATED_LIFETIMES)

/**
 * The lifetime of a token that is got for one with so many seconds left, by an agent whose own tokens live so long: the
 * longest that fits both; undefined where none does.
 */
export const delegatedLifetime = (secondsLeft: number, ownLifetime: number): number | undefined =>
  DELEGATED_LIFETIMES.findLast(life => life <= Math.min(secondsLeft, ownLifetime))

/** The lifetime of an agent's own tokens at this time, so that none outlives it; undefined where there is none so short. */
export const lifetimeOfAgent = (
  { lifetimeSeconds, expiresAt }: Pick<Agent, 'lifetimeSeconds' | 'expiresAt'>,
  usual: number,
  now: Milliseconds,
): number | undefined => {
  const own = lifetimeSeconds ?? usual
  if (expiresAt === null) return own
  const secondsLeft = Math.floor(expiresAt / 1000) - Math.floor(now / 1000)
  return own <= secondsLeft ? own : delegatedLifetime(secondsLeft, own)
}

/** An ancestor as its descendants keep it. `agent`, `credential` and `key` are the store's numbers; none of it ever changes. */
export type Ancestor = TokenAddress & {
  readonly agent: number
  readonly credential: number
  readonly key: number
  readonly seq: number
}

type Descendant = {
  readonly id: string
  readonly agent: number
  /** The number of the principal for whom its root was issued: a subject of an issuer. Null: it was issued for its own agent. */
  readonly principal: number | null
  readonly ancestors: readonly Ancestor[]
}

/** The root of a token's lineage: the token itself where it has no parent. */
export const rootIdOf = ({ id, ancestors }: Descendant): string => ancestors.at(-1)?.id ?? id

/** On whose behalf the token acts: its principal, else the agent of the root. */
export const subjectOf = ({ agent, principal, ancestors }: Descendant) =>
  principal === null ? { agent: ancestors.at(-1)?.agent ?? agent } : { principal }

/** The number of the agent on whose behalf the token acts; null where it acts for a principal. */
export const subjectAgentOf = (token: Descendant): number | null => {
  const subject = subjectOf(token)
  return 'principal' in subject ? null : subject.agent
}

/** Whether the agent got the token for a token of another agent; a narrower token of its own is none. */
export const isFromAnother = ({ agent, ancestors: [parent] }: Descendant): boolean =>
  parent !== undefined && parent.agent !== agent

/**
 * Who acts, the last first (RFC 8693 §4.1): one entry for each time that a token passed from one agent to another, and for the
 * agent that got the first for a principal. None for a token that its subject got itself.
 */
export const actorsOf = ({ agent, principal, ancestors }: Descendant): readonly number[] => {
  const holders = [agent, ...ancestors.map(ancestor => ancestor.agent)]
  return holders.filter((holder, n) => (n + 1 < holders.length ? holder !== holders[n + 1] : principal !== null))
}
