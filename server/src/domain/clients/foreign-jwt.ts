// JWTs of trusted issuers as subject tokens (RFC 8693 §2.1): the record by which one is judged, and what its claims must say. A JWT
// is exchanged only by the agent to which it was sent.
import { hasResource } from '../../../../api/values/audience.ts'
import { actsForPrincipal } from '../../../../api/values/delegation.ts'
import { isPlainName } from '../../../../api/values/credentials.ts'
import { isParty, type TokenType } from '../../../../api/values/issuers.ts'
import { formatIssuerSubject, parseIssuerSubject } from '../../../../api/values/subject.ts'
import type { Milliseconds, Seconds } from '../../../../api/values/time.ts'
import type { Actor } from '../../../../packages/verify/src/readers/claim-types.ts'
import { isJsonObject } from '../../../../packages/verify/src/readers/json.ts'
import { bindingFault } from '../caller.ts'
import { DEPTH_MAX } from '../ledger/lineage.ts'
import { isRefused, type OrRefusal, type Refusal, refuse } from '../refusal.ts'
import type { Agent } from './agent.ts'
import { type Claims, timeFault } from './claim-times.ts'
import type { NewIssuer } from './trusted-issuer.ts'

/** A day: no token of an identity provider that is sent for one task lives longer. */
const EXPIRY_SECONDS_MAX = 86_400

export const FOREIGN_TYPES = ['jwt', 'at+jwt', 'oauth-id-jag+jwt'] as const

/** What a JWT of an issuer may say that it is. Anything else is a JWT for another purpose (RFC 8725 §3.11). */
export type ForeignType = (typeof FOREIGN_TYPES)[number]

/** In lower case, without `application/`; undefined where the header has none. */
export type ForeignJwt = { readonly typ: ForeignType | undefined; readonly claims: Claims }

/** The kinds of JWTs that a token exchange takes. */
export type ExchangedType = Exclude<TokenType, 'id-jag'>

/** An own member: a claim that is named like one of every object is missing where the JWT does not have it. */
const own = (claims: Claims, name: string): unknown => (Object.hasOwn(claims, name) ? claims[name] : undefined)

// One key signs for all tenants: a JWT that names one is that tenant's alone.
const TENANT = 'tenant'

const fits = ({ required }: NewIssuer, claims: Claims): boolean =>
  Object.entries(required).every(([name, value]) => own(claims, name) === value) &&
  (!Object.hasOwn(claims, TENANT) || Object.hasOwn(required, TENANT))

/** The record of exactly this `iss` whose required claims the JWT has; undefined where none fits, or more than one. */
export const recordFor = <Issuer extends NewIssuer>(records: readonly Issuer[], claims: Claims): Issuer | undefined => {
  const [record, ...others] = records.filter(one => one.issuer === own(claims, 'iss') && fits(one, claims))
  return others.length === 0 ? record : undefined
}

export type Presented = {
  readonly jwt: ForeignJwt
  /** As what the agent sends it. */
  readonly type: ExchangedType
  readonly record: NewIssuer
  readonly agent: Pick<Agent, 'actsFor' | 'issuerClients' | 'receives'>
  /** The audiences of the JWTs with which operators administer the service. */
  readonly operatorsAudiences: readonly string[]
  readonly now: Milliseconds
}

type Fault = { readonly refusal: Refusal } | undefined

const refuseJwt = (description: string) => refuse('invalid_request', description)

// RFC 9068 §2.1; an ID token has no type of its own, and one key signs both: each is taken as one of them only.
const TYPES: Readonly<Record<ExchangedType, readonly (ForeignType | undefined)[]>> = {
  id_token: [undefined, 'jwt'],
  access_token: ['at+jwt'],
  jwt: [undefined, 'jwt'],
}

const typeFault = ({ jwt, type, record }: Presented): Fault => {
  if (!TYPES[type].includes(jwt.typ))
    return refuseJwt('The typ of the subject_token is not one of its subject_token_type.')
  if (record.tokenTypes.includes(type)) return undefined
  return refuseJwt(
    'The issuer of the subject_token is not trusted with this subject_token_type: token_types of its record.',
  )
}

const useFault = ({ jwt: { claims }, now }: Presented): Fault => {
  const wrong = bindingFault(claims) ?? timeFault(claims, now / 1000, { lateMax: 0, expiryMax: EXPIRY_SECONDS_MAX })
  return wrong === undefined ? undefined : refuseJwt(`The subject_token is not taken: ${wrong}.`)
}

/** RFC 7519 §4.1.3: `aud` is a text, or a list of texts; nobody is meant by anything else. */
const audienceOf = ({ aud }: Claims): readonly string[] => {
  const members: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  const texts = members.filter(one => typeof one === 'string')
  return texts.length === members.length ? texts : []
}

const NOT_SENT = 'The subject_token was not sent to this agent: aud is not its client id there (issuer_clients).'
const NOT_SENT_HERE =
  'The subject_token was not sent to this agent: aud is neither its client id there (issuer_clients) nor what it receives.'
const OTHERS_TOO = 'The subject_token was sent to several clients, and azp is not this one.'
const IS_ID_TOKEN = 'The subject_token is an ID token: it has at_hash or c_hash.'
const HAS_SCOPE = 'The subject_token has a scope, which no ID token has.'

/** Claims that name the client for which a JWT was issued; the first that it has decides. */
const PARTY_CLAIMS = ['azp', 'client_id', 'appid', 'cid']

const PARTY_REFUSED = `The client of the subject_token (${PARTY_CLAIMS.join(', ')}) is none of the parties of its issuer's record.`

/** The client for which a JWT was issued, where it says so. */
const partyOf = (claims: Claims): { readonly party: unknown } | undefined => {
  const name = PARTY_CLAIMS.find(one => Object.hasOwn(claims, one))
  return name === undefined ? undefined : { party: claims[name] }
}

const isOneOf = (texts: readonly string[], value: unknown): boolean => texts.some(text => text === value)

/**
 * Whether an ID token was sent to the agent (OpenID Connect Core §3.1.3.7). What another client got for itself may look like one: its
 * client must be the agent's, or a party.
 */
const idTokenFault = ({ jwt: { claims }, record }: Presented, clientId: string | undefined): Fault => {
  const audience = audienceOf(claims)
  if (clientId === undefined || !audience.includes(clientId)) return refuseJwt(NOT_SENT)
  if (audience.length > 1 && own(claims, 'azp') !== clientId) return refuseJwt(OTHERS_TOO)
  if (Object.hasOwn(claims, 'scope') || Object.hasOwn(claims, 'scp')) return refuseJwt(HAS_SCOPE)
  const named = partyOf(claims)
  return named === undefined || isOneOf([clientId, ...record.parties], named.party)
    ? undefined
    : refuseJwt(PARTY_REFUSED)
}

/** Digests that only ID tokens have (OpenID Connect Core §3.3.2.11). */
const ID_TOKEN_CLAIMS = ['at_hash', 'c_hash']

const accessTokenFault = ({ jwt: { claims }, record, type }: Presented, recipients: readonly string[]): Fault => {
  if (!audienceOf(claims).some(one => isOneOf(recipients, one))) return refuseJwt(NOT_SENT_HERE)
  if (ID_TOKEN_CLAIMS.some(name => Object.hasOwn(claims, name))) return refuseJwt(IS_ID_TOKEN)
  if (type === 'access_token' && record.parties.length === 0) return undefined
  const named = partyOf(claims)
  return named !== undefined && isOneOf(record.parties, named.party) ? undefined : refuseJwt(PARTY_REFUSED)
}

/** Texts are compared as they are (RFC 7523bis): no prefix, no other spelling. */
const recipientFault = (presented: Presented): Fault => {
  const { type, record, agent, operatorsAudiences } = presented
  const registered = Object.hasOwn(agent.issuerClients, record.alias) ? agent.issuerClients[record.alias] : undefined
  const clients = registered === undefined ? [] : [registered]
  // What operators administer with is for no agent, whatever was registered before the setting was.
  const isForAgent = (one: string): boolean => !hasResource(operatorsAudiences, one)
  if (type === 'id_token') return idTokenFault(presented, clients.find(isForAgent))
  return accessTokenFault(presented, [...clients, ...agent.receives].filter(isForAgent))
}

const isSubjectOf = ({ alias }: NewIssuer, sub: string): boolean =>
  parseIssuerSubject(formatIssuerSubject({ issuer: alias, sub })) !== undefined

const NO_SUBJECT = (claim: string) => `The subject_token has no ${claim} of 1 to 255 visible ASCII characters.`
const NOT_FOR_THIS = 'This agent may not act for the subject of the subject_token.'

const NO_ACTORS = `act of the subject_token is no chain of at most ${DEPTH_MAX} actors, each with its sub.`

/** Who acted before, as the issuer says (RFC 8693 §4.1), each by who names it: never taken for an agent, and no other member is kept. */
const actorsIn = (act: unknown, named: string, levels = 1): OrRefusal<{ readonly foreignAct: Actor }> => {
  if (!isJsonObject(act) || levels > DEPTH_MAX) return refuseJwt(NO_ACTORS)
  const [iss, sub] = [Object.hasOwn(act, 'iss') ? act['iss'] : named, own(act, 'sub')]
  if (typeof iss !== 'string' || !isPlainName(iss) || typeof sub !== 'string' || !isParty(sub))
    return refuseJwt(NO_ACTORS)
  if (!Object.hasOwn(act, 'act')) return { foreignAct: { iss, sub } }
  const before = actorsIn(act['act'], named, levels + 1)
  return isRefused(before) ? before : { foreignAct: { iss, sub, act: before.foreignAct } }
}

/** The subject of a JWT, who acted for it before, and when it expires. */
export type JudgedJwt = { readonly sub: string; readonly foreignAct?: Actor; readonly expiresAt: Seconds }

/** Judges a JWT that a key of the record has signed. Scopes and groups that it carries are another API's, and not read. */
export const judgeJwt = (presented: Presented): OrRefusal<JudgedJwt> => {
  const { jwt, record, agent } = presented
  const wrong = typeFault(presented) ?? useFault(presented)
  if (wrong !== undefined) return wrong
  const sub = own(jwt.claims, record.subjectClaim)
  if (typeof sub !== 'string' || !isSubjectOf(record, sub)) return refuseJwt(NO_SUBJECT(record.subjectClaim))
  if (!actsForPrincipal(agent.actsFor, record.alias, sub)) return refuseJwt(NOT_FOR_THIS)
  const unsent = recipientFault(presented)
  if (unsent !== undefined) return unsent
  const acted: OrRefusal<Pick<JudgedJwt, 'foreignAct'>> = Object.hasOwn(jwt.claims, 'act')
    ? actorsIn(jwt.claims['act'], record.issuer)
    : {}
  return isRefused(acted) ? acted : { sub, ...acted, expiresAt: Math.floor(Number(jwt.claims['exp'])) }
}
