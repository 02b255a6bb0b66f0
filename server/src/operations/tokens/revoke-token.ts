// Ends one token (RFC 7009): by an operator of the identity provider, or by the client that got it.
// After its answer no process ever reports the token active.
import { actBy, type ClientCaller, hasRole, type OperatorCaller } from '../../domain/caller.ts'
import { isRefused, type OrRefusal, refuse, refuseCaller } from '../../domain/refusal.ts'
import type { FoundToken, Ports } from '../../ports/ports.ts'
import type { TokenReference } from '../../ports/token-codec.ts'
import { authenticateOperator } from '../authentication/authenticate-operator.ts'
import { authenticateClients, type Checked, type RequestOrigin } from '../authentication/authenticate-client.ts'
import { type ClientCredentials, findClient, refuseUsed } from '../authentication/recognize-client.ts'

type OperatorCredentials = { readonly kind: 'bearer'; readonly jwt: string }

type Revocation<Credentials> = {
  readonly credentials: Credentials
  readonly token: string
  readonly origin: RequestOrigin
}

export type RevokeRequest = Revocation<ClientCredentials | OperatorCredentials> & {
  /** Called with the caller, once it is recognized. */
  readonly onCaller?: ((caller: Revoker) => void) | undefined
}

/** `nothing_to_do`: the token was unknown, foreign, or had ended before. On the wire both are 200. */
type RevokeOutcome = { readonly outcome: 'ended' | 'nothing_to_do' }

type RevokePorts = Pick<
  Ports,
  | 'agents'
  | 'assertions'
  | 'codec'
  | 'credentials'
  | 'importedSecrets'
  | 'imports'
  | 'ledger'
  | 'operators'
  | 'profile'
  | 'secrets'
>

type Revoker = ClientCaller | OperatorCaller

const NO_CREDENTIALS =
  'Send a JWT of the identity provider as a Bearer token, or the credentials of the client itself. An API key with tokens:revoke goes to POST /api/v1/tokens/{id}/revoke, where {id} is the jti of the token.'
const NO_ROLE = 'The subject of this JWT has no role that may revoke tokens: it needs operator or admin.'

/** An assertion is used up first, durably: a copy of it opens nothing after this, neither a revocation nor a token. */
const findCaller = async (
  ports: RevokePorts,
  { credentials, origin }: Checked<Revocation<ClientCredentials>>,
): Promise<OrRefusal<ClientCaller>> => {
  const found = await findClient(ports, credentials, 'fresh')
  if (isRefused(found)) return found
  if (credentials.kind === 'verified' && credentials.assertion !== undefined) {
    const use = await ports.credentials.useAssertion(credentials.assertion, origin.until)
    if (use === 'used') return refuseUsed(credentials, undefined)
  }
  const { id, clientId } = found.client.agent
  return { kind: 'client', agentId: id, clientId }
}

const findOperator = async (
  ports: RevokePorts,
  { jwt }: OperatorCredentials,
  { source }: RequestOrigin,
): Promise<OrRefusal<OperatorCaller>> => {
  const operator = await authenticateOperator(ports, jwt, source)
  return isRefused(operator) || hasRole(operator, 'operator') ? operator : refuse('insufficient_scope', NO_ROLE)
}

// A revocation must not miss: a token of this service whose signature is encoded otherwise is ended too.
const isOurs = async (
  ports: RevokePorts,
  text: string,
  reference: TokenReference,
  found: FoundToken,
): Promise<boolean> =>
  ports.secrets.areEqual(reference.digest, found.digest) || ports.codec.isSignedBy(text, found.publicJwk)

const NOTHING_TO_DO: RevokeOutcome = { outcome: 'nothing_to_do' }

/** Ends the token, or finds that there is nothing to end. The first reason and time of a token stay. */
const endToken = async (
  ports: RevokePorts,
  caller: Revoker,
  { token, origin: { requestId, source, until } }: RevokeRequest,
): Promise<OrRefusal<RevokeOutcome>> => {
  const reference = ports.codec.readLenient(token)
  if (reference === undefined) return NOTHING_TO_DO
  const [found] = await ports.ledger.find([reference])
  if (found === undefined || !(await isOurs(ports, token, reference, found))) return NOTHING_TO_DO
  if (caller.kind === 'client' && caller.agentId !== found.agentId) {
    // RFC 7009 §2.1: the token was not issued to this client.
    return found.dead ? NOTHING_TO_DO : refuse('unauthorized_client', 'The token was issued to another client.')
  }
  const reason = caller.kind === 'client' ? 'self_revocation' : 'manual_revocation'
  const act = actBy({ caller, requestId, source }, 'token.revoke')
  const outcome = await ports.ledger.end(reference, reason, act, until)
  return outcome === 'ended' ? { outcome } : NOTHING_TO_DO
}

/** Returns the function that authenticates the caller of one revocation and ends the token. */
export const makeRevokeToken = (
  ports: RevokePorts,
): ((request: RevokeRequest) => Promise<OrRefusal<RevokeOutcome>>) => {
  const authenticateClient = authenticateClients(ports, {
    decide: (request: Checked<Revocation<ClientCredentials>>) => findCaller(ports, request),
  })
  const authenticate = async (request: RevokeRequest): Promise<OrRefusal<Revoker>> => {
    const { credentials, origin } = request
    if (credentials.kind === 'none') return refuseCaller('invalid_client', NO_CREDENTIALS, 'Bearer')
    if (credentials.kind === 'bearer') return findOperator(ports, credentials, origin)
    return authenticateClient({ ...request, credentials })
  }
  return async request => {
    const caller = await authenticate(request)
    if (isRefused(caller)) return caller
    request.onCaller?.(caller)
    return endToken(ports, caller, request)
  }
}
