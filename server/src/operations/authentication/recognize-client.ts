// Compares what a client presented with what the store knows of it: by secret, certificate, or a credential that an
// earlier step verified. Nothing here waits, so that a whole group of requests is decided on at once.
import type { ClientCaller } from '../../domain/caller.ts'
import { type Client, type Credential, isClientId, isStopped } from '../../domain/clients/agent.ts'
import {
  certificateFault,
  type CertificateTrust,
  type PresentedCertificate,
} from '../../domain/clients/client-certificate.ts'
import { isCertificateTrust } from '../../domain/clients/client-trust.ts'
import { CREDENTIALS_MAX, IMPORTED_SECRET_CHARACTERS_MAX } from '../../domain/clients/credential.ts'
import { hasExpired } from '../../domain/ledger/expiry.ts'
import { counted, isRefused, type OrRefusal, type Refusal, refuseCaller } from '../../domain/refusal.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import type { Freshness, Ports } from '../../ports/ports.ts'
import type { SingleUse } from '../../ports/secret-repositories.ts'

/** A client assertion (RFC 7521 §4.2) that is not checked yet. */
export type PresentedAssertion = {
  readonly kind: 'assertion'
  readonly assertion: string
  /** The client id beside it, which is optional. */
  readonly clientId?: string
  /** Whether it came as the assertion of a grant, without client authentication: then only that of a workload counts. */
  readonly isGrant?: true
}

/** The credential that an assertion or a legacy secret was verified for. */
export type VerifiedCredentials = {
  readonly kind: 'verified'
  readonly by: 'assertion' | 'secret'
  readonly clientId: string
  readonly credentialId: string
  /** The assertion, where it may be used once and is not used yet. */
  readonly assertion?: SingleUse
  /** As the assertion had it. */
  readonly isGrant?: true
}

/** What is compared with the client as the store knows it. */
export type CheckedCredentials =
  | { readonly kind: 'none' }
  /** A way of authentication that this service does not have. */
  | { readonly kind: 'unsupported' }
  | {
      readonly kind: 'secret'
      readonly clientId: string
      readonly secret: string
      /** The secret as it stood in the header, where that is another text: many clients do not encode it for HTTP Basic. */
      readonly rawSecret?: string
    }
  /** Nothing but the certificate of the connection, and the client id that RFC 8705 §2 wants beside it. */
  | { readonly kind: 'certificate'; readonly clientId: string; readonly certificate: PresentedCertificate }
  | VerifiedCredentials

/** What a request presents to authenticate its client. */
export type ClientCredentials = PresentedAssertion | CheckedCredentials

export type AuthenticatedClient = { readonly client: Client; readonly credential: Credential }

/** The hash of another server, and the secrets presented that it may be of. */
export type LegacyHash = {
  readonly caller: ClientCaller
  readonly credentialId: string
  readonly foreignHash: string
  readonly secrets: readonly string[]
}

/** A refusal. With `legacyHash` it stands only if that hash is of none of the secrets, which takes a slow computation to know. */
type RefusedClient = {
  readonly refusal: Refusal
  readonly legacyHash?: LegacyHash
  /** The store's number of an agent that authenticated itself and is disabled. */
  readonly authenticated?: number
}

export const hasLegacyHash = (answer: object): answer is Required<RefusedClient> => 'legacyHash' in answer

const SECRET_REFUSED =
  'Client authentication failed: send client_id and client_secret of an enabled agent, in the form or by HTTP Basic.'
const ASSERTION_REFUSED =
  'Client authentication failed: send a new client_assertion of an enabled agent, signed with a key registered for it, whose aud is the issuer; the token endpoint as aud takes a credential with accept_token_endpoint.'
const CERTIFICATE_REFUSED =
  'Client authentication failed: connect with a certificate registered for the enabled agent whose client_id you send.'

const WORKLOAD_REFUSED =
  'The assertion is none of a workload that an enabled agent trusts, and an ID-JAG needs client authentication.'

/** One text for every cause (RFC 6749 §5.2): the caller learns what the way of authentication needs, and not which part was wrong. */
const refusedText = (credentials: ClientCredentials): string => {
  const way = credentials.kind === 'verified' ? credentials.by : credentials.kind
  if (way === 'assertion') return ASSERTION_REFUSED
  return way === 'certificate' ? CERTIFICATE_REFUSED : SECRET_REFUSED
}

/** The refusal; counted, where anything was presented. `client` is the one with the client id of the request. */
export const refuseClient = (credentials: ClientCredentials, client: Client | undefined, inside?: string) => {
  // RFC 7523 §3.1. It counts as a failed authentication all the same.
  const refused =
    'isGrant' in credentials && credentials.isGrant
      ? refuseCaller('invalid_grant', WORKLOAD_REFUSED)
      : refuseCaller('invalid_client', refusedText(credentials), 'Basic')
  if (credentials.kind === 'none') return refused
  const presentedId = 'clientId' in credentials ? credentials.clientId : undefined
  const { refusal } = counted(refused, { way: 'client', clientId: client?.agent.clientId ?? null }, presentedId)
  return inside === undefined ? { refusal } : { refusal: { ...refusal, inside } }
}

/** The refusal of an assertion that was used before, or is too old by now. */
export const refuseUsed = (credentials: ClientCredentials, client: Client | undefined) =>
  refuseClient(credentials, client, 'the assertion was used before, or is too old by now')

const certificateTrustOf = ({ trust }: Credential): CertificateTrust | undefined =>
  trust !== null && isCertificateTrust(trust) ? trust : undefined

/** The credential, among `known` ones of the client that the request names, that trusts the certificate (RFC 8705 §2). */
export const findCertified = (
  certificate: PresentedCertificate,
  known: readonly Credential[],
  now: Milliseconds,
): { readonly found: Credential } | { readonly wrong: string } => {
  let wrong = 'the client has no live credential for certificates'
  for (const credential of known) {
    const trust = certificateTrustOf(credential)
    if (trust === undefined || hasExpired(credential.expiresAt, now)) continue
    const fault = certificateFault(trust, certificate, now)
    if (fault === null) return { found: credential }
    wrong = fault
  }
  return { wrong }
}

const NO_HASH = '0'.repeat(64)

type RecognitionPorts = Pick<Ports, 'importedSecrets' | 'secrets'>

/** The texts that the secret may be: a request does not say whether the client encoded it. */
const presentedSecrets = (credentials: CheckedCredentials): readonly string[] => {
  if (credentials.kind !== 'secret') return []
  const { secret, rawSecret } = credentials
  return rawSecret === undefined ? [secret] : [secret, rawSecret]
}

const findImported = (
  { importedSecrets, secrets }: RecognitionPorts,
  credentials: CheckedCredentials,
  known: readonly Credential[],
): Credential | undefined => {
  const imported = known.filter(({ isImported }) => isImported)
  if (imported.length === 0) return undefined
  const hashes = presentedSecrets(credentials).map(secret => importedSecrets.hash(secret))
  return imported.find(({ secretHash }) => hashes.some(hash => secrets.areEqual(secretHash, hash)))
}

const findMatching = (
  ports: RecognitionPorts,
  credentials: CheckedCredentials,
  known: readonly Credential[],
  now: Milliseconds,
): Credential | undefined => {
  if (credentials.kind === 'verified') return known.find(({ id }) => id === credentials.credentialId)
  if (credentials.kind === 'certificate') {
    const certified = findCertified(credentials.certificate, known, now)
    return 'found' in certified ? certified.found : undefined
  }
  const hash = ports.secrets.hash(credentials.kind === 'secret' ? credentials.secret : '')
  let matching: Credential | undefined
  for (let n = 0; n < CREDENTIALS_MAX; n += 1) {
    if (ports.secrets.areEqual(known[n]?.secretHash ?? NO_HASH, hash)) matching = known[n]
  }
  return credentials.kind === 'secret' ? (matching ?? findImported(ports, credentials, known)) : undefined
}

/** Why credentials that match none of the client are refused, for the log. */
const mismatch = (credentials: CheckedCredentials, known: readonly Credential[], now: Milliseconds): string => {
  switch (credentials.kind) {
    case 'none':
    case 'unsupported':
      return 'the way of authentication is malformed, or none that the service has'
    case 'certificate': {
      const tried = findCertified(credentials.certificate, known, now)
      return 'wrong' in tried ? tried.wrong : 'the certificate is of no live credential'
    }
    case 'secret':
    case 'verified':
      return 'the client has no live credential with this secret or key'
  }
}

/** Returns why authentication was refused, for the log. */
const refusalCause = (credentials: CheckedCredentials, client: Client | undefined, now: Milliseconds): string => {
  if (client === undefined && 'clientId' in credentials) return 'no client has this client_id'
  if (client !== undefined && client.agent.disabledAt !== null) return 'the agent is disabled'
  if (client !== undefined && isStopped(client.agent, now)) return 'the agent has expired'
  return mismatch(credentials, client?.credentials ?? [], now)
}

/** The refusal of credentials that no hash of this service matches, with the hash of another server if there is one. */
const refuseUnmatched = (
  credentials: CheckedCredentials,
  client: Client | undefined,
  now: Milliseconds,
): RefusedClient => {
  const refused = refuseClient(credentials, client, refusalCause(credentials, client, now))
  if (client === undefined || isStopped(client.agent, now)) return refused
  const secrets = presentedSecrets(credentials).filter(({ length }) => length <= IMPORTED_SECRET_CHARACTERS_MAX)
  // An import gives an agent one credential, and nothing else makes one of this kind.
  const known = client.credentials.find(one => one.foreignHash !== null && !hasExpired(one.expiresAt, now))
  if (secrets.length === 0 || known === undefined || known.foreignHash === null) return refused
  const { id, clientId } = client.agent
  const caller = { kind: 'client', agentId: id, clientId } as const
  return { ...refused, legacyHash: { caller, credentialId: known.id, foreignHash: known.foreignHash, secrets } }
}

/**
 * The client and the credential that authenticates it at `now`, or the refusal. A secret costs the same whether the
 * client is unknown, disabled or wrong, and however many credentials it has: one hash, and as many comparisons as an
 * agent can have credentials. An agent with an imported secret costs one more hash.
 */
export const recognizeClient = (
  ports: RecognitionPorts,
  credentials: CheckedCredentials,
  client: Client | undefined,
  now: Milliseconds,
): AuthenticatedClient | RefusedClient => {
  const matching = findMatching(ports, credentials, client?.credentials ?? [], now)
  const isLive = matching !== undefined && !hasExpired(matching.expiresAt, now)
  if (client === undefined || !isLive || isStopped(client.agent, now)) {
    const refused = refuseUnmatched(credentials, client, now)
    return client !== undefined && isLive ? { ...refused, authenticated: client.number } : refused
  }
  return { client, credential: matching }
}

const NO_CLIENT = ''

/** The client id to look up: the empty text where there is none, or a text that no client can have as its id. */
export const clientIdOf = (credentials: CheckedCredentials): string =>
  'clientId' in credentials && isClientId(credentials.clientId) ? credentials.clientId : NO_CLIENT

/** Looks up the client of one request and recognizes it, at the store's time. */
export const findClient = async (
  ports: RecognitionPorts & Pick<Ports, 'agents'>,
  credentials: CheckedCredentials,
  freshness: Freshness,
): Promise<OrRefusal<AuthenticatedClient & { readonly now: Milliseconds }>> => {
  const { clients, now } = await ports.agents.viewForIssue([clientIdOf(credentials)], freshness)
  const found = recognizeClient(ports, credentials, clients[0], now)
  return isRefused(found) ? found : { ...found, now }
}
