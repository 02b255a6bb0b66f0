// Recognises a client by its id and secret, by its certificate, or by what was proved in their place: at the token
// endpoint, and where a client revokes its own token.
import type { Client, Credential } from '../../domain/clients/agent.ts'
import { isClientId } from '../../domain/clients/client-id.ts'
import type { PresentedCertificate } from '../../domain/clients/client-certificate.ts'
import { CREDENTIALS_MAX } from '../../domain/clients/credential.ts'
import { hasExpired } from '../../domain/ledger/expiry.ts'
import { counted, refuseCaller } from '../../domain/refusal.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import type { SingleUse } from '../../ports/secret-repositories.ts'
import type { Ports } from '../../ports/ports.ts'
import { findCertified } from './find-certified.ts'

/** What a request presented of a client's authentication, as the wire layer read it. */
export type ClientCredentials =
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
  /** A client assertion (RFC 7521 §4.2) that nobody has looked at yet. */
  | {
      readonly kind: 'assertion'
      readonly assertion: string
      /** The client id beside it, which it need not have. */
      readonly clientId?: string
    }
  /** Nothing but the certificate of the connection, and the client id that RFC 8705 §2 wants beside it. */
  | { readonly kind: 'certificate'; readonly clientId: string; readonly certificate: PresentedCertificate }
  /** The secret of this credential was proved against the hash of another server, or an assertion by its keys. */
  | {
      readonly kind: 'verified'
      readonly clientId: string
      readonly credentialId: string
      /** The assertion, where it may be used once and is not used yet. */
      readonly assertion?: SingleUse
    }

export type AuthenticatedClient = { readonly client: Client; readonly credential: Credential }

/** One text for every cause (RFC 6749 §5.2): which part was wrong is nobody's business. */
const CLIENT_REFUSED =
  'Client authentication failed: send client_id and client_secret of an enabled agent, in the form or by HTTP Basic.'

/** The refusal, of an attempt where anything was presented. `client` is the one found under the id that was. */
export const refuseClient = (credentials: ClientCredentials, client: Client | undefined) => {
  const refused = refuseCaller('invalid_client', CLIENT_REFUSED, 'Basic')
  if (credentials.kind === 'none') return refused
  return counted(refused, { way: 'client', clientId: client?.agent.clientId ?? null })
}

/** The refusal of an assertion that was used before, or is too old by now. */
export const refuseUsed = (credentials: ClientCredentials, client: Client | undefined) => {
  const { refusal } = refuseClient(credentials, client)
  return { refusal: { ...refusal, inside: 'the assertion was used before, or is too old by now' } }
}

/** The refusal of a certificate that no credential of the client trusts at `now`. */
const refuseUncertified = (
  presented: Extract<ClientCredentials, { kind: 'certificate' }>,
  client: Client | undefined,
  now: Milliseconds,
) => {
  const { refusal } = refuseClient(presented, client)
  const tried = findCertified(presented.certificate, client?.credentials ?? [], now)
  return { refusal: { ...refusal, inside: 'wrong' in tried ? tried.wrong : 'the agent is disabled' } }
}

/** The refusal of credentials that do not open at `now`; the cause stands in the log only. */
export const refuseAt = (credentials: ClientCredentials, client: Client | undefined, now: Milliseconds) =>
  credentials.kind === 'certificate' ? refuseUncertified(credentials, client, now) : refuseClient(credentials, client)

const NO_HASH = '0'.repeat(64)

type AuthenticationPorts = Pick<Ports, 'importedSecrets' | 'secrets'>

/** The texts that the secret may be: it is not told whether a client encoded it. */
export const presentedSecrets = (credentials: ClientCredentials): readonly string[] => {
  if (credentials.kind !== 'secret') return []
  const { secret, rawSecret } = credentials
  return rawSecret === undefined ? [secret] : [secret, rawSecret]
}

const findImported = (
  { importedSecrets, secrets }: AuthenticationPorts,
  credentials: ClientCredentials,
  known: readonly Credential[],
): Credential | undefined => {
  const imported = known.filter(({ isImported }) => isImported)
  if (imported.length === 0) return undefined
  const hashes = presentedSecrets(credentials).map(secret => importedSecrets.hash(secret))
  return imported.find(({ secretHash }) => hashes.some(hash => secrets.areEqual(secretHash, hash)))
}

const findMatching = (
  ports: AuthenticationPorts,
  credentials: ClientCredentials,
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

/**
 * The credential that the secret or the certificate opens at `now`, or undefined. A secret costs the same whether the client is unknown, disabled
 * or wrong, and however many credentials it has: one hash, and as many comparisons as an agent can have credentials. An
 * agent with an imported secret costs a hash more.
 */
export const authenticateClient = (
  ports: AuthenticationPorts,
  credentials: ClientCredentials,
  client: Client | undefined,
  now: Milliseconds,
): AuthenticatedClient | undefined => {
  const matching = findMatching(ports, credentials, client?.credentials ?? [], now)
  if (client === undefined || matching === undefined || hasExpired(matching.expiresAt, now)) return undefined
  return client.agent.disabledAt === null ? { client, credential: matching } : undefined
}

const NO_CLIENT = ''

/** The client id to look up. What no client can have as its id is looked up as the empty text, and so is nothing. */
export const clientIdOf = (credentials: ClientCredentials): string => {
  if (!('clientId' in credentials) || credentials.kind === 'assertion') return NO_CLIENT
  return isClientId(credentials.clientId) ? credentials.clientId : NO_CLIENT
}
