// Token exchange of JWTs of trusted issuers (RFC 8693): decides what an agent is granted for one whose signature was verified before.
// All else is judged in each round, by the records as they are then: the insert is refused where one changed since.
import { firstResourceBeyond } from '../../../../api/values/audience.ts'
import { firstScopeBeyond, formatScope, parseScope } from '../../../../api/values/scope.ts'
import type { Agent } from '../../domain/clients/agent.ts'
import { judgeJwt, recordFor } from '../../domain/clients/foreign-jwt.ts'
import { refuseResource } from '../../domain/clients/grant-refusals.ts'
import type { TrustedIssuer } from '../../domain/clients/trusted-issuer.ts'
import { isRefused, type OrRefusal, refuse, Unavailable } from '../../domain/refusal.ts'
import { atPlaces } from '../../domain/one-by-one.ts'
import type { TrustedRecord } from '../../ports/issuers.ts'
import type { IssueView, Ports } from '../../ports/ports.ts'
import {
  areDecided,
  decideExchanges,
  type ExchangePorts,
  grantLifetime,
  refuseSubject,
  SUBJECT_UNKNOWN,
} from './exchange-tokens.ts'
import {
  assertionOf,
  type Exchange,
  type Grant,
  grantAudience,
  grantWithin,
  type NotGranted,
  type VerifiedJwt,
} from './grant-token.ts'

type JwtExchange = Exchange & { readonly jwt: VerifiedJwt }

const NAME_SCOPE =
  'This agent and the issuer of the subject_token allow no scope in common that need not be named: send scope.'

/** Without a request: what both name. Where either allows all of a resource, the request has to choose. */
const commonScope = (one: readonly string[], other: readonly string[]): readonly string[] | undefined => {
  const both = [...one, ...other].filter(
    item => firstScopeBeyond(one, [item]) === undefined && firstScopeBeyond(other, [item]) === undefined,
  )
  return parseScope(formatScope([...new Set(both)].filter(item => parseScope(item) !== undefined)))
}

const grantScope = (
  agent: Agent,
  { scopes }: TrustedIssuer,
  requested: string | undefined,
): OrRefusal<{ readonly scope: readonly string[] }> => {
  if (requested !== undefined) return grantWithin(agent, requested, scopes, 'the issuer of the subject_token allows')
  const scope = commonScope(agent.scopes, scopes)
  return scope === undefined ? refuse('invalid_scope', NAME_SCOPE) : { scope }
}

const grantTarget = (
  agent: Agent,
  { resources }: TrustedIssuer,
  requested: readonly string[],
  fallback: string,
): OrRefusal<{ readonly audience: readonly string[] }> => {
  const granted = grantAudience(agent, requested, fallback)
  if (isRefused(granted)) return granted
  const beyond = firstResourceBeyond(resources, granted.audience)
  return beyond === undefined ? granted : refuseResource(beyond, resources, 'the issuer of the subject_token allows')
}

const KEYS_CHANGED = 'The record of the issuer changed while the subject_token was verified: try again.'

/** Whether the signature was verified by what the record says now. */
const isVerifiedBy = ({ by }: VerifiedJwt, record: TrustedRecord): boolean =>
  by.number === record.number &&
  by.jwksUri === record.jwksUri &&
  by.algorithms.join(' ') === record.algorithms.join(' ')

const decide = (
  { operators, profile }: Pick<Ports, 'operators' | 'profile'>,
  exchange: JwtExchange,
  issuers: readonly TrustedRecord[],
): OrRefusal<Grant> | Unavailable => {
  const { client, credential, request, jwt, type, now, cnf } = exchange
  const { agent } = client
  const record = recordFor(issuers, jwt.claims)
  if (record === undefined) return refuseSubject(SUBJECT_UNKNOWN)
  // Returned and not thrown: it concerns no other member of the group.
  if (!isVerifiedBy(jwt, record)) return new Unavailable(KEYS_CHANGED, { toCaller: KEYS_CHANGED })
  const judged = judgeJwt({ jwt, type, record, agent, now, operatorsAudiences: operators.audiences() })
  if (isRefused(judged)) return judged
  const longest = Math.min(agent.lifetimeSeconds ?? profile.lifetimeSeconds, record.lifetimeSeconds)
  const lived = grantLifetime(longest, judged.expiresAt - Math.floor(now / 1000))
  if (isRefused(lived)) return lived
  const scoped = grantScope(agent, record, request.scope)
  if (isRefused(scoped)) return scoped
  const targeted = grantTarget(agent, record, request.resources, profile.defaultAudience)
  if (isRefused(targeted)) return targeted
  const { sub, foreignAct } = judged
  const principal = {
    number: record.number,
    issuer: record.alias,
    sub,
    ...(foreignAct !== undefined && { foreignAct }),
  }
  const shown = { ...(cnf !== undefined && { cnf }), proof: request.proof, assertion: assertionOf(request) }
  return { client, credential, ...scoped, ...targeted, ...lived, ...shown, principal }
}

type Undecided = Grant | Exchange | NotGranted

const isOfJwt = (decision: Undecided): decision is JwtExchange =>
  'subjectToken' in decision && decision.jwt !== undefined

/** `again`: another round decides. An Unavailable is the answer of that request alone. */
export type Decision = Grant | NotGranted | Unavailable | 'again'

/** Decides on the exchanges among these; in order. */
export const decideEach = async (
  ports: Pick<Ports, 'issuers' | 'operators'> & ExchangePorts,
  undecided: readonly Undecided[],
  view: Pick<IssueView, 'seq'>,
): Promise<readonly Decision[]> => {
  const isOther = (one: Undecided): one is Exclude<Undecided, JwtExchange> => !isOfJwt(one)
  const others = undecided.filter(isOther)
  const decided = atPlaces(undecided, isOther, areDecided(others) ? others : await decideExchanges(ports, others))
  if (others.length === undecided.length) return decided.map(one => one ?? 'again')
  const { seq, issuers } = await ports.issuers.trusted()
  return undecided.map((one, n) => {
    if (!isOfJwt(one)) return decided[n] ?? 'again'
    // A row has the number of the view: an act on an issuer after that is one that the insert finds.
    if (seq < view.seq) return 'again'
    const answer = decide(ports, one, issuers)
    return 'refusal' in answer ? { ...answer, authenticated: one.client.number } : answer
  })
}
