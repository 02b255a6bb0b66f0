// JWTs of trusted issuers, as subject tokens (RFC 8693 §2.1) and as assertions (RFC 7523 §2.1): the record by which one is judged, and
// what its claims must say. A JWT gets a token only for the agent to which it was sent.
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
import { type OrRefusal, refuse } from '../refusal.ts'
import type { Agent } from './agent.ts'
import { type Claims, own, textsOf, timeFault } from './foreign-claims.ts'
import { claimFault, confirmationFault } from './id-jag.ts'
import type { NewIssuer } from './trusted-issuer.ts'

/** A day: no token of an identity provider that is sent for one task lives longer. An ID-JAG is made for one request. */
const EXPIRY_SECONDS_MAX = 86_400
const ID_JAG_EXPIRY_SECONDS_MAX = 3600

/** draft-ietf-oauth-identity-assertion-authz-grant §4.3. */
export const ID_JAG_TYPE = 'oauth-id-jag+jwt'

export const FOREIGN_TYPES = ['jwt', 'at+jwt', ID_JAG_TYPE] as const

/** What a JWT of an issuer may say that it is. Anything else is a JWT for another purpose (RFC 8725 §3.11). */
export type ForeignType = (typeof FOREIGN_TYPES)[number]

/** In lower case, without `application/`; undefined where the header has none. */
export type ForeignJwt<Type extends string = ForeignType> = {
  readonly typ: Type | undefined
  readonly claims: Claims
}

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
  readonly type: TokenType
  readonly record: NewIssuer
  readonly agent: Pick<Agent, 'clientId' | 'actsFor' | 'issuerClients' | 'receives'>
  /** The thumbprint of the key that the request proves to have; undefined where it proves none. */
  readonly jkt: string | undefined
  /** This service. */
  readonly issuer: string
  /** The audiences of the JWTs with which operators administer the service. */
  readonly operatorsAudiences: readonly string[]
  readonly now: Milliseconds
}

/** What is wrong, to follow the name of the JWT; undefined where nothing is. */
type Fault = string | undefined

// RFC 9068 §2.1; an ID token has no type of its own, and one key signs both: each is taken as one of them only.
const TYPES: Readonly<Record<TokenType, readonly (ForeignType | undefined)[]>> = {
  id_token: [undefined, 'jwt'],
  access_token: ['at+jwt'],
  jwt: [undefined, 'jwt'],
  'id-jag': [ID_JAG_TYPE],
}

const typeFault = ({ jwt, type, record }: Presented): Fault => {
  if (!TYPES[type].includes(jwt.typ)) {
    return type === 'id-jag'
      ? 'is no ID-JAG: its typ is another'
      : 'has a typ that is not one of its subject_token_type'
  }
  return record.tokenTypes.includes(type)
    ? undefined
    : 'is of a kind that the record of its issuer does not trust (token_types)'
}

const useFault = ({ jwt: { claims }, type, jkt, now }: Presented): Fault => {
  const bound = type === 'id-jag' ? confirmationFault(claims, jkt) : bindingFault(claims)
  const expiryMax = type === 'id-jag' ? ID_JAG_EXPIRY_SECONDS_MAX : EXPIRY_SECONDS_MAX
  const wrong = bound ?? timeFault(claims, now / 1000, { lateMax: 0, expiryMax })
  return wrong === undefined ? undefined : `is not taken: ${wrong}`
}

const subjectFault = ({ jwt: { claims }, record: { alias, subjectClaim }, agent }: Presented): Fault => {
  const sub = own(claims, subjectClaim)
  if (typeof sub !== 'string' || parseIssuerSubject(formatIssuerSubject({ issuer: alias, sub })) === undefined) {
    return `has no ${subjectClaim} of 1 to 255 visible ASCII characters`
  }
  return actsForPrincipal(agent.actsFor, alias, sub) ? undefined : 'is of a subject for whom this agent may not act'
}

/** Nobody is meant by what is no text and no list of texts. */
const audienceOf = ({ aud }: Claims): readonly string[] => textsOf(aud) ?? []

const OTHERS_TOO = 'was sent to several clients, and azp is not this one'
const NOT_SENT = 'was not sent to this agent: aud is not its client id there (issuer_clients)'
const NOT_SENT_HERE =
  'was not sent to this agent: aud is neither its client id there (issuer_clients) nor what it receives'

/** Claims that name the client for which a JWT was issued; the first that it has decides. */
const PARTY_CLAIMS = ['azp', 'client_id', 'appid', 'cid']

const PARTY_REFUSED = `is of a client (${PARTY_CLAIMS.join(', ')}) that is none of the parties of its issuer's record`

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
  if (clientId === undefined || !audience.includes(clientId)) return NOT_SENT
  if (audience.length > 1 && own(claims, 'azp') !== clientId) return OTHERS_TOO
  if (Object.hasOwn(claims, 'scope') || Object.hasOwn(claims, 'scp')) return 'has a scope, which no ID token has'
  const named = partyOf(claims)
  return named === undefined || isOneOf([clientId, ...record.parties], named.party) ? undefined : PARTY_REFUSED
}

/** Digests that only ID tokens have (OpenID Connect Core §3.3.2.11). */
const ID_TOKEN_CLAIMS = ['at_hash', 'c_hash']

const accessTokenFault = ({ jwt: { claims }, record, type }: Presented, recipients: readonly string[]): Fault => {
  if (!audienceOf(claims).some(one => isOneOf(recipients, one))) return NOT_SENT_HERE
  if (ID_TOKEN_CLAIMS.some(name => Object.hasOwn(claims, name))) return 'is an ID token: it has at_hash or c_hash'
  if (type === 'access_token' && record.parties.length === 0) return undefined
  const named = partyOf(claims)
  return named !== undefined && isOneOf(record.parties, named.party) ? undefined : PARTY_REFUSED
}

/** ID-JAG §4.4.1: it is for this service, and was issued to this client. */
const idJagFault = ({ jwt: { claims }, agent, issuer }: Presented, clientId: string | undefined): Fault => {
  const audience = audienceOf(claims)
  if (audience.length !== 1 || audience[0] !== issuer) return 'is not for this service: aud is not its issuer'
  const clients = [agent.clientId, ...(clientId === undefined ? [] : [clientId])]
  if (!isOneOf(clients, own(claims, 'client_id'))) {
    return 'was not sent to this agent: client_id is neither its own nor that at its issuer (issuer_clients)'
  }
  return claimFault(claims)
}

/** Texts are compared as they are (RFC 7523bis): no prefix, no other spelling. */
const recipientFault = (presented: Presented): Fault => {
  const { type, record, agent, operatorsAudiences } = presented
  const registered = Object.hasOwn(agent.issuerClients, record.alias) ? agent.issuerClients[record.alias] : undefined
  const clients = registered === undefined ? [] : [registered]
  if (type === 'id-jag') return idJagFault(presented, registered)
  // What operators administer with is for no agent, whatever was registered before the setting was.
  const isForAgent = (one: string): boolean => !hasResource(operatorsAudiences, one)
  if (type === 'id_token') return idTokenFault(presented, clients.find(isForAgent))
  return accessTokenFault(presented, [...clients, ...agent.receives].filter(isForAgent))
}

const NO_ACTORS = `has an act that is no chain of at most ${DEPTH_MAX} actors, each with its sub`

/** Who acted before, as the issuer says (RFC 8693 §4.1), each by who names it: never taken for an agent, and no other member is kept. */
const actorsIn = (act: unknown, named: string, levels = 1): Actor | undefined => {
  if (!isJsonObject(act) || levels > DEPTH_MAX) return undefined
  const [iss, sub] = [Object.hasOwn(act, 'iss') ? act['iss'] : named, own(act, 'sub')]
  if (typeof iss !== 'string' || !isPlainName(iss) || typeof sub !== 'string' || !isParty(sub)) return undefined
  if (!Object.hasOwn(act, 'act')) return { iss, sub }
  const before = actorsIn(act['act'], named, levels + 1)
  return before === undefined ? undefined : { iss, sub, act: before }
}

/** The subject of a JWT, who acted for it before, and when it expires. */
export type JudgedJwt = { readonly sub: string; readonly foreignAct?: Actor; readonly expiresAt: Seconds }

const refuseJwt = (isIdJag: boolean, wrong: string) =>
  // RFC 7523 §3.1, RFC 8693 §2.2.2.
  isIdJag
    ? refuse('invalid_grant', `The assertion ${wrong}.`)
    : refuse('invalid_request', `The subject_token ${wrong}.`)

/** Refuses a JWT whose subject an operator blocked, in the place of its token. */
export const refuseBlocked = (isIdJag: boolean) =>
  refuseJwt(isIdJag, 'names a subject that is blocked here: an administrator can unblock it')

/** Judges a JWT that a key of the record has signed. Groups that it carries are not read, and scopes of an ID-JAG alone. */
export const judgeJwt = (presented: Presented): OrRefusal<JudgedJwt> => {
  const { jwt, record } = presented
  const isIdJag = presented.type === 'id-jag'
  const wrong = typeFault(presented) ?? useFault(presented) ?? subjectFault(presented) ?? recipientFault(presented)
  if (wrong !== undefined) return refuseJwt(isIdJag, wrong)
  const isActed = Object.hasOwn(jwt.claims, 'act')
  const foreignAct = isActed ? actorsIn(jwt.claims['act'], record.issuer) : undefined
  if (isActed && foreignAct === undefined) return refuseJwt(isIdJag, NO_ACTORS)
  const sub = String(own(jwt.claims, record.subjectClaim))
  const expiresAt = Math.floor(Number(jwt.claims['exp']))
  return foreignAct === undefined ? { sub, expiresAt } : { sub, foreignAct, expiresAt }
}
