// Ends one token (RFC 7009): by an operator of the identity provider, or by the client that got it.
// After its answer no process reports the token active, ever.
import { actBy, type ClientCaller, hasRole, type OperatorCaller } from '../../domain/caller.ts'
import { isRefused, type OrRefusal, refuse, refuseCaller } from '../../domain/refusal.ts'
import type { Source } from '../../domain/source.ts'
import type { MonotonicMilliseconds } from '../../../../api/values/time.ts'
import type { FoundToken, Ports, TokenReference } from '../../ports/ports.ts'
import {
  authenticateClient,
  type ClientCredentials,
  clientIdOf,
  refuseUsed,
} from '../authentication/authenticate-client.ts'
import { authenticateOperator } from '../authentication/authenticate-operator.ts'
import { checkAssertion, type PresentedAssertion } from '../authentication/check-assertion.ts'
import {
  hasLegacyHash,
  type ProofOrigin,
  verifyLegacySecret,
  refuseOrVerify,
  type LegacyHash,
} from '../authentication/verify-legacy-secret.ts'

export type RevokeRequest = {
  readonly credentials: ClientCredentials | { readonly kind: 'bearer'; readonly jwt: string }
  readonly token: string
  readonly requestId: string
  readonly source: Source
  /** The time of the answer, at the latest. */
  readonly until: MonotonicMilliseconds
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

const findClient = async (
  ports: RevokePorts,
  credentials: ClientCredentials,
): Promise<OrRefusal<ClientCaller> | LegacyHash> => {
  const view = await ports.agents.viewForIssue([clientIdOf(credentials)], 'fresh')
  const [client] = view.clients
  const authenticated = authenticateClient(ports, credentials, client, view.now)
  if (authenticated === undefined) return refuseOrVerify(credentials, client, view.now)
  const { id, clientId } = authenticated.client.agent
  return { kind: 'client', agentId: id, clientId }
}

const recogniseClient = async (
  ports: RevokePorts,
  credentials: ClientCredentials,
  origin: ProofOrigin,
): Promise<OrRefusal<ClientCaller>> => {
  const found = await findClient(ports, credentials)
  if (!hasLegacyHash(found)) return found
  const verified = await verifyLegacySecret(ports, found, origin)
  if (isRefused(verified)) return verified
  const again = await findClient(ports, verified)
  return hasLegacyHash(again) ? again.legacyHashes.otherwise : again
}

/** The assertion is used up first, durably: whoever saw it gets nothing by it, neither here nor a token. */
const recogniseAsserted = async (
  ports: RevokePorts,
  presented: PresentedAssertion,
  { source, until }: ProofOrigin,
): Promise<OrRefusal<ClientCaller>> => {
  const checked = await checkAssertion(ports, presented, source)
  if (isRefused(checked)) return checked
  const found = await findClient(ports, checked)
  if (hasLegacyHash(found)) return found.legacyHashes.otherwise
  if (isRefused(found) || checked.assertion === undefined) return found
  const use = await ports.credentials.useAssertion(checked.assertion, until)
  return use === 'used' ? refuseUsed(presented, undefined) : found
}

const authenticate = async (
  ports: RevokePorts,
  credentials: RevokeRequest['credentials'],
  origin: ProofOrigin,
): Promise<OrRefusal<Revoker>> => {
  if (credentials.kind === 'none') {
    const description =
      'Send a JWT of the identity provider as a Bearer token, or the credentials of the client itself.'
    return refuseCaller('invalid_client', description, 'Bearer')
  }
  if (credentials.kind === 'bearer') {
    const operator = await authenticateOperator(ports, credentials.jwt, origin.source)
    if (isRefused(operator) || hasRole(operator, 'operator')) return operator
    return refuse(
      'insufficient_scope',
      'The subject of this JWT has no role that may revoke tokens: it needs operator or admin.',
    )
  }
  return credentials.kind === 'assertion'
    ? recogniseAsserted(ports, credentials, origin)
    : recogniseClient(ports, credentials, origin)
}

// A revocation must not miss: another spelling of a signature of ours is our token too, and is ended (ledger).
const isOurs = (ports: RevokePorts, text: string, reference: TokenReference, found: FoundToken): boolean =>
  ports.secrets.areEqual(reference.digest, found.digest) || ports.codec.isSignedBy(text, found.publicJwk)

const NOTHING_TO_DO: RevokeOutcome = { outcome: 'nothing_to_do' }

/** Ends the token, or finds that there is nothing to end. The first reason and time of a token stay. */
export const revokeToken = async (ports: RevokePorts, request: RevokeRequest): Promise<OrRefusal<RevokeOutcome>> => {
  const caller = await authenticate(ports, request.credentials, request)
  if (isRefused(caller)) return caller
  const reference = ports.codec.readLenient(request.token)
  if (reference === undefined) return NOTHING_TO_DO
  const [found] = await ports.ledger.find([reference])
  if (found === undefined || !isOurs(ports, request.token, reference, found)) return NOTHING_TO_DO
  if (caller.kind === 'client' && caller.agentId !== found.agentId) {
    // RFC 7009 §2.1: the token was not issued to this client.
    return found.dead ? NOTHING_TO_DO : refuse('unauthorized_client', 'The token was issued to another client.')
  }
  const reason = caller.kind === 'client' ? 'self_revocation' : 'manual_revocation'
  const { requestId, source, until } = request
  const act = actBy({ caller, requestId, source }, 'token.revoke')
  const outcome = await ports.ledger.end(reference, reason, act, until)
  return outcome === 'ended' ? { outcome } : NOTHING_TO_DO
}
