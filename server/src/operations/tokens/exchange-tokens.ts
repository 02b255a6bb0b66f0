// Token exchange (RFC 8693): decides what an agent is granted for the token that it presents. What is believed of that token
// comes from its row, and whether it is active is read from the store each time; the insert asks again.
import { isForAny } from '../../../../api/values/audience.ts'
import { actsForId, actsForLabels, labelIn } from '../../../../api/values/delegation.ts'
import { firstScopeBeyond } from '../../../../api/values/scope.ts'
import { atPlaces } from '../../domain/one-by-one.ts'
import type { Agent } from '../../domain/clients/agent.ts'
import type { Labels } from '../../../../api/values/labels.ts'
import { delegatedLifetime, DEPTH_MAX, SHORTEST_DELEGATED } from '../../domain/ledger/lineage.ts'
import { isRefused, type OrRefusal, type Refusal, refuse } from '../../domain/refusal.ts'
import type { Seconds } from '../../../../api/values/time.ts'
import { countActors } from '../../domain/ledger/claims.ts'
import type { FoundToken, Ports, TokenLedger } from '../../ports/ports.ts'
import {
  assertionOf,
  type Exchange,
  type Grant,
  grantAudience,
  grantOwnLifetime,
  grantWithin,
  isExchange,
  type NotGranted,
  type SubjectToken,
} from './grant-token.ts'

export type ExchangePorts = Pick<Ports, 'agents' | 'profile' | 'secrets'> & {
  readonly ledger: Pick<TokenLedger, 'find'>
}

type Refused = { readonly refusal: Refusal }

/** One text for every cause: a client that presents a token that is not active learns nothing of it. */
export const SUBJECT_UNKNOWN =
  'The subject_token is neither an active access token of this service nor a JWT of an issuer from which this agent may exchange one.'

const refuseSubject = (description: string): Refused => refuse('invalid_request', description)

const ASSERTION_UNKNOWN = 'The assertion is no ID-JAG of an issuer from which this agent may present one.'

/** One text for all that is neither ours nor of an issuer of whom the agent may present it. */
export const refuseUnknown = ({ type }: Pick<Exchange, 'type'>): Refused =>
  type === 'id-jag' ? refuse('invalid_grant', ASSERTION_UNKNOWN) : refuseSubject(SUBJECT_UNKNOWN)

/** The live tokens presented, in order; undefined for a text that is not, byte for byte, one of them. */
const findSubjects = async (
  { ledger, secrets }: ExchangePorts,
  exchanges: readonly Exchange[],
): Promise<readonly (SubjectToken | undefined)[]> => {
  // Nothing but an access token is ours.
  const references = exchanges.map(({ request, type }) => (type === 'access_token' ? request.reference : undefined))
  // One that cannot be ours is looked up as well: the time does not say so.
  const found = await ledger.find(references)
  return references.map((reference, n) => {
    const token = found[n]
    if (reference === undefined || token === undefined || token.dead) return undefined
    if (!secrets.areEqual(reference.digest, token.digest)) return undefined
    const { foreignAct } = reference
    return foreignAct === undefined ? token : { ...token, foreignAct }
  })
}

const dependsOnLabels = ({ id, actsFor }: Agent, { agentId }: FoundToken): boolean =>
  agentId !== id && !actsForId(actsFor, agentId) && actsFor.some(entry => labelIn(entry) !== undefined)

/** The labels of agents, by their ids. */
type LabelsOf = ReadonlyMap<string, Labels>

/**
 * The labels of those whose tokens are exchanged, where an exchange depends on them. Always read: a changed label takes no
 * number of the service by which a cached one could be recognized as old.
 */
const readLabels = async (
  { agents }: ExchangePorts,
  exchanges: readonly Exchange[],
  subjects: readonly (FoundToken | undefined)[],
): Promise<LabelsOf> => {
  const clientIds = exchanges.flatMap(({ client: { agent } }, n) => {
    const subject = subjects[n]
    return subject !== undefined && dependsOnLabels(agent, subject) ? [subject.clientId] : []
  })
  if (clientIds.length === 0) return new Map()
  const { clients } = await agents.viewForIssue(clientIds, 'fresh')
  return new Map(clients.flatMap(client => (client === undefined ? [] : [[client.agent.id, client.agent.labels]])))
}

/** Why the agent may not exchange this live token; undefined where it may. Its own it always may. */
const refuseHolder = (agent: Agent, subject: FoundToken, labels: LabelsOf): Refused | undefined => {
  const { id, actsFor, receives } = agent
  if (subject.agentId === id) return undefined
  if (!actsForId(actsFor, subject.agentId) && !actsForLabels(actsFor, labels.get(subject.agentId) ?? {})) {
    return refuseSubject('This agent may not act for the agent that holds the subject_token.')
  }
  return isForAny(receives, subject.audience)
    ? undefined
    : refuseSubject('The subject_token is for no audience that this agent receives tokens for.')
}

/** What the child of this token may carry: never more than it. */
const grantScope = (
  agent: Agent,
  subject: FoundToken,
  requested: string | undefined,
): OrRefusal<{ readonly scope: readonly string[] }> => {
  const held = subject.scope.split(' ')
  if (requested === undefined) {
    const scope = held.filter(item => firstScopeBeyond(agent.scopes, [item]) === undefined)
    return scope.length === 0
      ? refuse('invalid_scope', 'The subject_token carries no scope that this agent may have.')
      : { scope }
  }
  return grantWithin(agent, requested, held, 'the subject_token carries')
}

/** A lifetime with which the token ends no later than the one that it is granted for, which has so many seconds left. */
export const grantLifetime = (
  ownLifetime: number,
  secondsLeft: Seconds,
): OrRefusal<{ readonly lifetimeSeconds: number }> => {
  const lifetimeSeconds = delegatedLifetime(secondsLeft, ownLifetime)
  if (lifetimeSeconds !== undefined) return { lifetimeSeconds }
  const cause = secondsLeft < SHORTEST_DELEGATED ? 'The subject_token expires' : 'The tokens of this agent expire'
  return refuseSubject(`${cause} in less than ${SHORTEST_DELEGATED} s, the shortest lifetime of an exchanged token.`)
}

const TOO_DEEP = `The subject_token has ${DEPTH_MAX} ancestors, or actors that an issuer named: the most that a token may have.`

const decide = (
  ports: ExchangePorts,
  exchange: Exchange,
  subject: SubjectToken | undefined,
  labels: LabelsOf,
): OrRefusal<Grant> => {
  const { client, credential, request, cnf, now } = exchange
  const { agent } = client
  if (subject === undefined) return refuseUnknown(exchange)
  const refused = refuseHolder(agent, subject, labels)
  if (refused !== undefined) return refused
  if (subject.ancestors.length + countActors(subject.foreignAct) >= DEPTH_MAX) return refuseSubject(TOO_DEEP)
  const own = grantOwnLifetime(ports, agent, now)
  if (isRefused(own)) return own
  const lived = grantLifetime(own.lifetimeSeconds, subject.expiresAt - Math.floor(now / 1000))
  if (isRefused(lived)) return lived
  const scoped = grantScope(agent, subject, request.scope)
  if (isRefused(scoped)) return scoped
  const targeted = grantAudience(agent, request.resources, ports.profile.defaultAudience)
  if (isRefused(targeted)) return targeted
  const shown = { ...(cnf !== undefined && { cnf }), proof: request.proof, assertion: assertionOf(request) }
  return { client, credential, ...scoped, ...targeted, ...lived, ...shown, subject }
}

type Decision = Grant | NotGranted

/** Whether none of these is an exchange. */
export const areDecided = (decisions: readonly (Decision | Exchange)[]): decisions is readonly Decision[] =>
  !decisions.some(isExchange)

/** Decides on the exchanges among these; in order. */
export const decideExchanges = async (
  ports: ExchangePorts,
  decisions: readonly (Decision | Exchange)[],
): Promise<readonly Decision[]> => {
  const exchanges = decisions.filter(isExchange)
  const subjects = await findSubjects(ports, exchanges)
  const labels = await readLabels(ports, exchanges, subjects)
  const found = atPlaces(decisions, isExchange, subjects)
  return decisions.map((decision, n) => {
    if (!isExchange(decision)) return decision
    const decided = decide(ports, decision, found[n], labels)
    return isRefused(decided) ? { ...decided, authenticated: decision.client.number } : decided
  })
}
