// Decides what token a request is granted: its client, scope, audience, lifetime, and the key that it is bound to: none, that
// of its DPoP proof (RFC 9449), or that of the client's certificate (RFC 8705 §3). An exchange (RFC 8693) also needs the token
// that is exchanged, which exchange-tokens.ts looks up.
import type { ClientCaller } from '../../domain/caller.ts'
import { refuseResource, refuseScopeForm, refuseScopeItem } from '../../domain/clients/grant-refusals.ts'
import type { Agent, Client } from '../../domain/clients/agent.ts'
import { type PresentedCertificate, validityFault } from '../../domain/clients/client-certificate.ts'
import {
  AUDIENCES_MAX,
  audiencesOfAgent,
  distinctResources,
  firstResourceBeyond,
  isResource,
  sameResourceIn,
} from '../../../../api/values/audience.ts'
import type { Confirmation } from '../../../../packages/verify/src/readers/claim-types.ts'
import { GRANT_TYPES, isGrantType, JWT_BEARER } from '../../../../api/values/delegation.ts'
import { firstScopeBeyond, parseScope } from '../../../../api/values/scope.ts'
import { lifetimeOfAgent, SHORTEST_DELEGATED } from '../../domain/ledger/lineage.ts'
import { isRefused, type OrRefusal, type Refusal, refuse } from '../../domain/refusal.ts'
import type { IssuerSubject } from '../../../../api/values/subject.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import type { ForeignJwt } from '../../domain/clients/foreign-jwt.ts'
import type { TokenType } from '../../../../api/values/issuers.ts'
import type { TrustedRecord } from '../../ports/issuers.ts'
import type { FoundToken, Ports, TokenProof } from '../../ports/ports.ts'
import type { TokenReference } from '../../ports/token-codec.ts'
import type { SingleUse } from '../../ports/secret-repositories.ts'
import {
  type AuthenticatedClient,
  type CheckedCredentials,
  recognizeClient,
} from '../authentication/recognize-client.ts'
import { type ExchangeFields, readAssertion, readExchange } from './read-exchange.ts'

/** What a request presents to bind its token to. */
type Bindable = {
  /** Checked, except whether it was used before. */
  readonly proof?: TokenProof
  /** The certificate of the connection. */
  readonly certificate?: PresentedCertificate
}

/** A JWT whose signature is verified, by the record as it was then. */
export type VerifiedJwt = ForeignJwt & { readonly by: Pick<TrustedRecord, 'number' | 'jwksUri' | 'algorithms'> }

export type IssueRequest = Bindable & {
  readonly grantType: string
  readonly credentials: CheckedCredentials
  /** Undefined where the request names none. */
  readonly scope: string | undefined
  /** The values of `resource`, or of `audience`, which is taken as another name for it. */
  readonly resources: readonly string[]
  /** The fields of a token exchange; absent for other grants. */
  readonly exchange?: ExchangeFields
  /** The assertion of the jwt-bearer grant. */
  readonly assertion?: string | undefined
  /** The address of that subject token, where it can be a token of this service. */
  readonly reference?: TokenReference
  /** The subject token, or that assertion, where a trusted issuer has signed it. */
  readonly jwt?: VerifiedJwt
  /** Called with the caller, once it is recognized. */
  readonly onCaller?: ((caller: ClientCaller) => void) | undefined
}

export type Grant = AuthenticatedClient & {
  readonly scope: readonly string[]
  readonly audience: readonly string[]
  readonly lifetimeSeconds: number
  readonly cnf?: Confirmation
  readonly proof: TokenProof | undefined
  readonly assertion: SingleUse | undefined
  readonly idJag?: SingleUse
  /** Whether the answer says what the token is for. */
  readonly namesResource?: true
  /** The live token that it is granted for. */
  readonly subject?: SubjectToken
  /** The subject of a trusted issuer for whom it is granted. */
  readonly principal?: IssuerSubject & Pick<TrustedRecord, 'number'> & Pick<TokenReference, 'foreignAct'>
}

/** A token of this service that is exchanged. */
export type SubjectToken = FoundToken & Pick<TokenReference, 'foreignAct'>

/** What its client may ask for with a token or a JWT: the token is yet to be looked up, or the JWT to be judged. */
export type Exchange = Bound &
  AuthenticatedClient & {
    readonly request: IssueRequest
    readonly subjectToken: string
    readonly type: TokenType
    /** The subject token, where a trusted issuer has signed it. */
    readonly jwt?: VerifiedJwt
    readonly now: Milliseconds
  }

type Bound = { readonly cnf?: Confirmation }

export const isExchange = (decided: object): decided is Exchange => 'subjectToken' in decided

type GrantPorts = Pick<Ports, 'importedSecrets' | 'profile' | 'secrets'>

const PROOF_WANTED = 'This agent gets no bearer tokens: send a DPoP proof.'
const CERTIFICATE_WANTED =
  'This agent gets no token without a client certificate: make the TLS connection with one (RFC 8705).'
const ONE_KEY = 'The tokens of this agent are bound to its certificate: send no DPoP proof.'

/** Anybody may have signed the certificate (RFC 8705 §3): the binding shows only that the same key is used again. */
const bindToCertificate = (
  { proof, certificate }: Bindable,
  now: Milliseconds,
): OrRefusal<{ readonly cnf: Confirmation }> => {
  // RFC 7800 §3: one key confirms a token; a resource server that knows one of two members would ignore the other.
  if (proof !== undefined) return refuse('invalid_dpop_proof', ONE_KEY)
  if (certificate === undefined) return refuse('invalid_request', CERTIFICATE_WANTED)
  const outOfTime = validityFault(certificate, now)
  return outOfTime === null
    ? { cnf: { 'x5t#S256': certificate.thumbprint } }
    : refuse('invalid_request', `No token is bound to this client certificate: ${outOfTime}.`)
}

/** What the agent's token is bound to, or the refusal. */
const bindToken = (
  agent: Pick<Agent, 'dpopBound' | 'certificateBound'>,
  bindable: Bindable,
  now: Milliseconds,
): OrRefusal<Bound> => {
  if (agent.certificateBound) return bindToCertificate(bindable, now)
  const { proof } = bindable
  if (proof !== undefined) return { cnf: { jkt: proof.jkt } }
  // RFC 9449 §5.2.
  return agent.dpopBound ? refuse('invalid_dpop_proof', PROOF_WANTED) : {}
}

/** A scope that a request names, where the agent may have all of it. */
const grantRequested = (agent: Agent, requested: string): OrRefusal<{ scope: readonly string[] }> => {
  const scope = parseScope(requested)
  if (scope === undefined) return refuseScopeForm(requested)
  const beyond = firstScopeBeyond(agent.scopes, scope)
  return beyond === undefined ? { scope } : refuseScopeItem(beyond, agent.scopes, 'this agent may have')
}

/** The same, where another ceiling allows all of it too. */
export const grantWithin = (
  agent: Agent,
  requested: string,
  ceiling: readonly string[],
  whose: Parameters<typeof refuseScopeItem>[2],
): OrRefusal<{ scope: readonly string[] }> => {
  const granted = grantRequested(agent, requested)
  if (isRefused(granted)) return granted
  const beyond = firstScopeBeyond(ceiling, granted.scope)
  return beyond === undefined ? granted : refuseScopeItem(beyond, ceiling, whose)
}

const grantScope = (agent: Agent, requested: string | undefined): OrRefusal<{ scope: readonly string[] }> => {
  if (requested === undefined) {
    return agent.defaultScope === null
      ? refuse(
          'invalid_scope',
          'The request names no scope and the agent has no default one: send scope=resource:action.',
        )
      : { scope: agent.defaultScope }
  }
  return grantRequested(agent, requested)
}

/** `aud` has the spelling that is registered, with which a resource server compares. `fallback` is the audience of the service. */
export const grantAudience = (
  agent: Agent,
  requested: readonly string[],
  fallback: string,
): OrRefusal<{ audience: readonly string[] }> => {
  if (requested.length === 0) return { audience: [agent.defaultAudience ?? fallback] }
  const resources = distinctResources(requested)
  if (resources.length > AUDIENCES_MAX || !resources.every(isResource)) {
    return refuse(
      'invalid_target',
      `Each resource must be an absolute URI without a fragment, at most ${AUDIENCES_MAX} of them.`,
    )
  }
  const allowed = audiencesOfAgent(agent, fallback)
  const beyond = firstResourceBeyond(allowed, resources)
  if (beyond !== undefined) return refuseResource(beyond, allowed)
  return { audience: resources.map(one => sameResourceIn(allowed, one) ?? one).toSorted() }
}

const ENDS_SOON = `This agent expires in less than ${SHORTEST_DELEGATED} s, the shortest lifetime that is left for a token.`

/** The lifetime of the agent's own tokens at this time. */
export const grantOwnLifetime = (
  { profile }: Pick<Ports, 'profile'>,
  agent: Agent,
  now: Milliseconds,
): OrRefusal<{ readonly lifetimeSeconds: number }> => {
  const lifetimeSeconds = lifetimeOfAgent(agent, profile.lifetimeSeconds, now)
  return lifetimeSeconds === undefined ? refuse('unauthorized_client', ENDS_SOON) : { lifetimeSeconds }
}

/** The use of an assertion that may be used once. */
export const assertionOf = ({ credentials }: IssueRequest): SingleUse | undefined =>
  credentials.kind === 'verified' ? credentials.assertion : undefined

const GRANT_UNKNOWN = `The grant_type is none that this service has: ${GRANT_TYPES.join(', ')}.`
const GRANT_REFUSED = 'This agent may not use this grant_type.'

const refuseGrantType = ({ grantTypes }: Agent, grantType: string): { readonly refusal: Refusal } | undefined => {
  if (!isGrantType(grantType)) return refuse('unsupported_grant_type', GRANT_UNKNOWN)
  return grantTypes.includes(grantType) ? undefined : refuse('unauthorized_client', GRANT_REFUSED)
}

/** What an authenticated client is granted at `now`; an exchange only so far as it needs no subject token. */
const decide = (
  ports: GrantPorts,
  request: IssueRequest,
  authenticated: AuthenticatedClient,
  now: Milliseconds,
): OrRefusal<Grant | Exchange> => {
  const { agent } = authenticated.client
  const wrong = refuseGrantType(agent, request.grantType)
  if (wrong !== undefined) return wrong
  const bound = bindToken(agent, request, now)
  if (isRefused(bound)) return bound
  const { exchange, jwt } = request
  if (exchange !== undefined || request.grantType === JWT_BEARER) {
    const read = exchange === undefined ? readAssertion(request.assertion) : readExchange(exchange)
    if (isRefused(read)) return read
    return { ...authenticated, ...bound, ...read, ...(jwt !== undefined && { jwt }), request, now }
  }
  const scoped = grantScope(agent, request.scope)
  if (isRefused(scoped)) return scoped
  const targeted = grantAudience(agent, request.resources, ports.profile.defaultAudience)
  if (isRefused(targeted)) return targeted
  const lived = grantOwnLifetime(ports, agent, now)
  if (isRefused(lived)) return lived
  const assertion = assertionOf(request)
  return { ...authenticated, ...scoped, ...targeted, ...bound, ...lived, proof: request.proof, assertion }
}

/** `authenticated`: the store's number of the agent, where it was refused although it authenticated itself. */
export type NotGranted = { readonly refusal: Refusal; readonly authenticated?: number }

/** Counts it, and returns what is answered. */
export const countNotGranted = <Refused extends NotGranted>(
  { usage }: Pick<Ports, 'usage'>,
  { authenticated, ...refused }: Refused,
): Omit<Refused, 'authenticated'> => {
  if (authenticated !== undefined) usage.countRefused(authenticated, refused.refusal.code)
  return refused
}

/** Decides on a request at `now`. `client` is the one with its client id; it is authenticated before anything else is checked. */
export const grantToken = (
  ports: GrantPorts,
  request: IssueRequest,
  client: Client | undefined,
  now: Milliseconds,
): Grant | Exchange | NotGranted => {
  const authenticated = recognizeClient(ports, request.credentials, client, now)
  if (isRefused(authenticated)) return authenticated
  const { id: agentId, clientId } = authenticated.client.agent
  request.onCaller?.({ kind: 'client', agentId, clientId })
  const decided = decide(ports, request, authenticated, now)
  return isRefused(decided) ? { ...decided, authenticated: authenticated.client.number } : decided
}
