// JWTs of trusted issuers, by token exchange (RFC 8693) and as assertions (ID-JAG): decides what an agent is granted for one whose
// signature was verified before.
// All else is judged in each round, by the records as they are then: the insert is refused where one changed since.
import {
  AUDIENCES_MAX,
  audiencesOfAgent,
  distinctResources,
  firstResourceBeyond,
} from '../../../../api/values/audience.ts'
import { firstScopeBeyond, formatScope, parseScope } from '../../../../api/values/scope.ts'
import type { Agent } from '../../domain/clients/agent.ts'
import { judgeJwt, type JudgedJwt, recordFor } from '../../domain/clients/foreign-jwt.ts'
import { type IdJag, idJagOf } from '../../domain/clients/id-jag.ts'
import { refuseResource, refuseScopeForm } from '../../domain/clients/grant-refusals.ts'
import { haveSameKeys, type TrustedIssuer } from '../../domain/clients/trusted-issuer.ts'
import { isRefused, type OrRefusal, refuse, type Unavailable } from '../../domain/refusal.ts'
import { atPlaces } from '../../domain/one-by-one.ts'
import type { TrustedRecord } from '../../ports/issuers.ts'
import type { IssueView, Ports } from '../../ports/ports.ts'
import type { Seconds } from '../../../../api/values/time.ts'
import { issuerChanged, useOfJwt } from '../issuers/verified-jwts.ts'
import { areDecided, decideExchanges, type ExchangePorts, grantLifetime, refuseUnknown } from './exchange-tokens.ts'
import {
  assertionOf,
  type Exchange,
  type Grant,
  grantAudience,
  grantOwnLifetime,
  grantWithin,
  isExchange,
  type NotGranted,
  type VerifiedJwt,
} from './grant-token.ts'

type JwtExchange = Exchange & { readonly jwt: VerifiedJwt }

/** What bounds a token, and what an ID-JAG says of it. */
type Bounds = { readonly agent: Agent; readonly record: TrustedIssuer; readonly idJag: IdJag | undefined }

type Scoped = { readonly scope: readonly string[] }

const NAME_SCOPE = 'This agent and the issuer of the JWT allow no scope in common that need not be named: send scope.'
const ALLOWS = 'the issuer of the JWT allows'

/** Without a request: what both name. Where either allows all of a resource, the request has to choose. */
const commonScope = (one: readonly string[], other: readonly string[]): OrRefusal<Scoped> => {
  const both = [...one, ...other].filter(
    item => firstScopeBeyond(one, [item]) === undefined && firstScopeBeyond(other, [item]) === undefined,
  )
  const scope = parseScope(formatScope([...new Set(both)].filter(item => parseScope(item) !== undefined)))
  return scope === undefined ? refuse('invalid_scope', NAME_SCOPE) : { scope }
}

const TOO_MUCH = 'The assertion names more than a token may have: name a part of it in the request.'

/** What is allowed of an ID-JAG and of the request is granted, and the rest left out (ID-JAG §4.4.1). */
const grantClaimedScope = (
  { agent, record }: Bounds,
  claimed: readonly string[] | null,
  requested: string | undefined,
): OrRefusal<Scoped> => {
  const isAllowed = (item: string): boolean =>
    firstScopeBeyond(agent.scopes, [item]) === undefined && firstScopeBeyond(record.scopes, [item]) === undefined
  const allowed = claimed?.filter(isAllowed)
  if (allowed?.length === 0)
    return refuse('invalid_grant', 'The assertion has no scope that this agent and its issuer allow.')
  const asked = requested === undefined ? allowed : parseScope(requested)
  if (asked === undefined) {
    return requested === undefined ? commonScope(agent.scopes, record.scopes) : refuseScopeForm(requested)
  }
  const granted = asked.filter(item => (allowed ?? [item]).includes(item) && isAllowed(item))
  if (granted.length === 0)
    return refuse('invalid_scope', 'The scope holds nothing that the assertion, this agent and the issuer allow.')
  const scope = parseScope(formatScope(granted))
  return scope === undefined ? refuse('invalid_grant', TOO_MUCH) : { scope }
}

const grantScope = (bounds: Bounds, requested: string | undefined): OrRefusal<Scoped> => {
  const { agent, record, idJag } = bounds
  if (idJag !== undefined) return grantClaimedScope(bounds, idJag.scope, requested)
  return requested === undefined
    ? commonScope(agent.scopes, record.scopes)
    : grantWithin(agent, requested, record.scopes, ALLOWS)
}

type Targeted = { readonly audience: readonly string[] }

/** The claim says what the token is for (ID-JAG §4.4.1); a request only narrows it. */
const grantClaimedTarget = (
  { agent, record }: Bounds,
  claimed: readonly string[],
  requested: readonly string[],
  fallback: string,
): OrRefusal<Targeted> => {
  const isAllowed = (one: string): boolean =>
    firstResourceBeyond(audiencesOfAgent(agent, fallback), [one]) === undefined &&
    firstResourceBeyond(record.resources, [one]) === undefined
  const allowed = claimed.filter(isAllowed)
  if (allowed.length === 0)
    return refuse('invalid_grant', 'The assertion has no resource that this agent and its issuer allow.')
  if (requested.length === 0 && distinctResources(allowed).length > AUDIENCES_MAX)
    return refuse('invalid_grant', TOO_MUCH)
  const granted = grantAudience(agent, requested.length === 0 ? allowed : requested, fallback)
  if (isRefused(granted)) return granted
  const beyond = firstResourceBeyond(allowed, granted.audience)
  return beyond === undefined ? granted : refuseResource(beyond, allowed, 'the assertion allows')
}

const grantTarget = (bounds: Bounds, requested: readonly string[], fallback: string): OrRefusal<Targeted> => {
  const { agent, record, idJag } = bounds
  if (idJag !== undefined && idJag.resources !== null) {
    return grantClaimedTarget(bounds, idJag.resources, requested, fallback)
  }
  const granted = grantAudience(agent, requested, fallback)
  if (isRefused(granted)) return granted
  const beyond = firstResourceBeyond(record.resources, granted.audience)
  return beyond === undefined ? granted : refuseResource(beyond, record.resources, ALLOWS)
}

/** Whether the signature was verified by what the record says now. */
const isVerifiedBy = ({ by }: VerifiedJwt, record: TrustedRecord): boolean =>
  by.number === record.number && haveSameKeys(by, record)

/** An ID-JAG does not bound the lifetime, for it is used once (ID-JAG §4.4.2); any other JWT does. */
const lifetimeOf = (
  ports: Pick<Ports, 'profile'>,
  { client: { agent }, type, now }: JwtExchange,
  { lifetimeSeconds: longest }: TrustedIssuer,
  expiresAt: Seconds,
): OrRefusal<{ readonly lifetimeSeconds: number }> => {
  const own = grantOwnLifetime(ports, agent, now)
  if (isRefused(own)) return own
  if (type !== 'id-jag')
    return grantLifetime(Math.min(own.lifetimeSeconds, longest), expiresAt - Math.floor(now / 1000))
  // No lifetime is added to those in use: each is a stream of every list.
  return own.lifetimeSeconds <= longest ? own : grantLifetime(longest, longest)
}

type JwtPorts = Pick<Ports, 'operators' | 'profile' | 'secrets'>

const principalOf = (
  { number, alias: issuer }: TrustedRecord,
  { sub, foreignAct }: JudgedJwt,
): NonNullable<Grant['principal']> =>
  foreignAct === undefined ? { number, issuer, sub } : { number, issuer, sub, foreignAct }

const decide = (
  ports: JwtPorts,
  exchange: JwtExchange,
  issuers: readonly TrustedRecord[],
): OrRefusal<Grant> | Unavailable => {
  const { client, credential, request, jwt, type, now, cnf } = exchange
  const { agent } = client
  const { issuer, defaultAudience } = ports.profile
  const record = recordFor(issuers, jwt.claims)
  if (record === undefined) return refuseUnknown(exchange)
  // Returned and not thrown: it concerns no other member of the group.
  if (!isVerifiedBy(jwt, record)) return issuerChanged()
  const asked = { jkt: request.proof?.jkt, issuer, now, operatorsAudiences: ports.operators.audiences() }
  const judged = judgeJwt({ jwt, type, record, agent, ...asked })
  if (isRefused(judged)) return judged
  const lived = lifetimeOf(ports, exchange, record, judged.expiresAt)
  if (isRefused(lived)) return lived
  const idJag = type === 'id-jag' ? idJagOf(jwt.claims) : undefined
  const bounds = { agent, record, idJag }
  const scoped = grantScope(bounds, request.scope)
  if (isRefused(scoped)) return scoped
  const targeted = grantTarget(bounds, request.resources, defaultAudience)
  if (isRefused(targeted)) return targeted
  const shown = { ...(cnf !== undefined && { cnf }), proof: request.proof, assertion: assertionOf(request) }
  const granted = {
    client,
    credential,
    ...scoped,
    ...targeted,
    ...lived,
    ...shown,
    principal: principalOf(record, judged),
  }
  if (idJag === undefined) return granted
  const once = { ...granted, idJag: useOfJwt(ports, 'id-jag', record, jwt.claims) }
  return idJag.resources === null ? once : { ...once, namesResource: true }
}

type Undecided = Grant | Exchange | NotGranted

const isOfJwt = (decision: Undecided): decision is JwtExchange => isExchange(decision) && decision.jwt !== undefined

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
