// The credentials of an agent: created, listed, shown, rotated and revoked. A secret is shown once and kept as its hash.
import type { CredentialReason } from '../../../../api/values/credentials.ts'
import { isUuid } from '../../../../api/values/uuid.ts'
import { actBy, type Administrator, audiencesOf, type Origin } from '../../domain/caller.ts'
import { type AgentCredential, type CountedCredential, CREDENTIALS_MAX } from '../../domain/clients/credential.ts'
import { isExisting, refuseRepeat } from '../../domain/idempotency.ts'
import type { Counted } from '../../domain/ledger/ends.ts'
import { type Expiry, refuseExpired } from '../../domain/ledger/expiry.ts'
import type { NameFilters } from '../../domain/lists/page.ts'
import { isRefused, type OrRefusal, type Refusal, refuse } from '../../domain/refusal.ts'
import type { Ports, ServiceProfile } from '../../ports/ports.ts'
import type { SubjectTaken } from '../../ports/secret-repositories.ts'
import { refuseUnknownAgent } from '../agents/read-agents.ts'
import { refuseUnknownKey } from '../authentication/authenticate-administrator.ts'
import { type ListPage, type ListRequest, readPageById } from '../reading/read-page.ts'
import type { ClientTrust, WorkloadTrust } from '../../domain/clients/client-trust.ts'
import type { CertificateTrust } from '../../domain/clients/client-certificate.ts'
import type { ClientAssertions, ClientCertificates } from '../../ports/client-keys.ts'

// Checks what a credential is to trust in place of a secret, before it is kept: what the schema of the body cannot check.

type KeysWanted = {
  readonly kind: 'private_key_jwt'
  /** Null where `jwksUri` is not, and the other way round. */
  readonly keys: readonly unknown[] | null
  readonly jwksUri: string | null
  readonly takesTokenEndpoint: boolean
}

/** Each in PEM, or else by its thumbprint. */
type PinnedWanted = {
  readonly kind: 'self_signed_tls_client_auth'
  readonly certificates: readonly string[] | null
  readonly thumbprints: readonly string[] | null
}

/** As it was asked for. */
export type TrustRequest =
  | KeysWanted
  | WorkloadTrust
  | Extract<CertificateTrust, { readonly kind: 'tls_client_auth' }>
  | PinnedWanted

type TrustPorts = {
  readonly certificates: Pick<ClientCertificates, 'pin'>
  readonly assertions: Pick<ClientAssertions, 'readKeys'>
  /** Its issuer is empty where it is not known. */
  readonly profile: Pick<ServiceProfile, 'issuer'>
}

type Checked = OrRefusal<{ readonly trust: ClientTrust }>

const wrong = (member: string, why: string) => refuse('invalid_request', `${member} ${why}.`)

const checkKeys = ({ assertions }: TrustPorts, { keys, ...rest }: KeysWanted): Checked => {
  if (keys === null) return { trust: { ...rest, jwks: null } }
  const jwks = assertions.readKeys(keys)
  return 'wrong' in jwks ? wrong('private_key_jwt.jwks', jwks.wrong) : { trust: { ...rest, jwks } }
}

const checkPinned = (
  { certificates: reader }: TrustPorts,
  { kind, certificates, thumbprints: given }: PinnedWanted,
): Checked => {
  const thumbprints = new Set(given ?? [])
  for (const pinned of (certificates ?? []).map(reader.pin)) {
    if ('wrong' in pinned) return wrong(`${kind}.certificates`, pinned.wrong)
    thumbprints.add(pinned.thumbprint)
  }
  return { trust: { kind, thumbprints: [...thumbprints] } }
}

/** What is trusted, once more than the schema of the body was checked. */
export const checkTrust = (ports: TrustPorts, wanted: TrustRequest): Checked => {
  if (wanted.kind === 'private_key_jwt') return checkKeys(ports, wanted)
  if (wanted.kind === 'self_signed_tls_client_auth') return checkPinned(ports, wanted)
  // No token of ours is an assertion: its holder would be the agent that it was given to. A terminal that does not know
  // the issuer lets it be written; it is refused wherever it is used (check-assertion.ts).
  return wanted.kind === 'workload_identity' && wanted.issuer === ports.profile.issuer
    ? wrong('workload_identity.issuer', 'is this service, which is no issuer of workloads')
    : { trust: wanted }
}

type CredentialPath = { readonly agentId: string; readonly credentialId: string }

const refuseUnknownCredential = ({ agentId, credentialId }: CredentialPath): ReturnType<typeof refuse> =>
  refuse('not_found', `No credential of an agent ${agentId} has the id ${credentialId}.`)

const areIds = ({ agentId, credentialId }: CredentialPath): boolean => isUuid(agentId) && isUuid(credentialId)

/** One credential of the agent: everything but the secret, and how many live tokens it got. */
export const showCredential = async (
  ports: Pick<Ports, 'credentials'>,
  caller: Administrator,
  path: CredentialPath,
): Promise<OrRefusal<CountedCredential>> => {
  const { agentId, credentialId } = path
  if (!areIds(path)) return refuseUnknownCredential(path)
  const credential = await ports.credentials.show(agentId, credentialId, audiencesOf(caller))
  return credential ?? refuseUnknownCredential(path)
}

type CredentialFilters = Pick<CredentialPath, 'agentId'> & { readonly names: NameFilters }

/** One page of the credentials of the agent, oldest first: the revoked and expired ones too. */
export const listCredentials = async (
  ports: Pick<Ports, 'credentials' | 'secrets'>,
  caller: Administrator,
  { filters: { agentId, names }, ...request }: ListRequest<CredentialFilters>,
): Promise<OrRefusal<ListPage<CountedCredential>>> => {
  if (!isUuid(agentId)) return refuseUnknownAgent(agentId)
  const audiences = audiencesOf(caller)
  return readPageById(ports, 'credentials', {
    request,
    boundTo: [agentId, audiences, names],
    read: async (after, limit) =>
      (await ports.credentials.list(agentId, { names, after, limit, audiences })) ?? refuseUnknownAgent(agentId),
  })
}

/** A new credential has got nothing yet. */
const NO_TOKENS = { count: 0, isExact: true } as const

const refuseTooMany = (): ReturnType<typeof refuse> =>
  refuse(
    'invalid_request',
    `The agent has ${CREDENTIALS_MAX} live credentials, the most there can be; revoke one first.`,
  )

export const refuseTaken = ({ taken }: SubjectTaken): { readonly refusal: Refusal } => ({
  refusal: {
    code: 'already_exists',
    description: `A credential of the agent ${taken.agentId} trusts such a subject of this issuer already: revoke it first.`,
    id: taken.id,
  },
})

type NewCredentialRequest = {
  readonly agentId: string
  readonly name: string
  readonly expiry: Expiry
  /** Null where the credential is a secret that the service makes. */
  readonly trust: TrustRequest | null
}

/** `clientSecret` is null where something is trusted in place of a secret. */
type CreatedCredential = { readonly credential: CountedCredential; readonly clientSecret: string | null }

/** Gives an agent another secret, or something to trust in place of one. */
export const createCredential = async (
  ports: Pick<Ports, 'credentials' | 'secrets' | 'randomness'> & TrustPorts,
  origin: Origin,
  { agentId, name, expiry, trust: wanted }: NewCredentialRequest,
): Promise<OrRefusal<CreatedCredential>> => {
  const checked = wanted === null ? { trust: null } : checkTrust(ports, wanted)
  if (isRefused(checked)) return checked
  const { trust } = checked
  if (!isUuid(agentId)) return refuseUnknownAgent(agentId)
  const clientSecret = trust === null ? ports.secrets.makeClientSecret() : null
  const secretHash = clientSecret === null ? null : ports.secrets.hash(clientSecret)
  const credential = { id: ports.randomness.uuid(), name, secretHash, expiry, ...(trust !== null && { trust }) }
  const created = await ports.credentials.create(agentId, credential, actBy(origin, 'credential.create'))
  if (created === 'unknown') return refuseUnknownAgent(agentId)
  if (created === 'too_many') return refuseTooMany()
  if (created === 'expired') return refuseExpired()
  if (created === 'caller_ended') return refuseUnknownKey()
  if ('taken' in created) return refuseTaken(created)
  if (isExisting(created)) return refuseRepeat(created)
  return { credential: { ...created, liveTokens: NO_TOKENS }, clientSecret }
}

type CredentialRotation = CredentialPath & {
  /** How long the old one is still taken. */
  readonly graceSeconds: number
  /** The expiry of the new credential. */
  readonly expiry: Expiry
}

type RotatedCredential = {
  readonly credential: CountedCredential
  readonly clientSecret: string
  readonly replaced: AgentCredential
}

/** Makes a new secret, and lets the old one live for a grace. No token ends by it. */
export const rotateCredential = async (
  ports: Pick<Ports, 'credentials' | 'secrets' | 'randomness'>,
  origin: Origin,
  { graceSeconds, expiry, ...path }: CredentialRotation,
): Promise<OrRefusal<RotatedCredential>> => {
  if (!areIds(path)) return refuseUnknownCredential(path)
  const clientSecret = ports.secrets.makeClientSecret()
  const replacement = { id: ports.randomness.uuid(), secretHash: ports.secrets.hash(clientSecret), expiry }
  const rotation = { id: path.credentialId, graceMs: 1000 * graceSeconds, replacement }
  const rotated = await ports.credentials.rotate(path.agentId, rotation, actBy(origin, 'credential.rotate'))
  if (rotated === 'unknown') return refuseUnknownCredential(path)
  if (rotated === 'not_live')
    return refuse('invalid_request', 'The credential is revoked or has expired: create another instead.')
  if (rotated === 'no_secret')
    return refuse('invalid_request', 'The credential is no secret: create another, and revoke this one.')
  if (rotated === 'too_many') return refuseTooMany()
  if (rotated === 'expired') return refuseExpired()
  if (rotated === 'caller_ended') return refuseUnknownKey()
  if (isExisting(rotated)) return refuseRepeat(rotated)
  return { credential: { ...rotated.replacement, liveTokens: NO_TOKENS }, clientSecret, replaced: rotated.replaced }
}

type CredentialRevocationRequest = CredentialPath & {
  readonly reason: CredentialReason
  readonly keepTokens: boolean
  readonly note: string | null
  /** Counts what would end, and changes nothing. */
  readonly dryRun: boolean
}

/**
 * The credential, revoked now or before: from the acknowledgement on it gets no token, and unless they are kept those
 * that it got have ended. Tokens that the first revocation kept, a second may end.
 */
export const revokeCredential = async (
  ports: Pick<Ports, 'credentials' | 'dryRuns'>,
  origin: Origin,
  { reason, keepTokens, note, dryRun, ...path }: CredentialRevocationRequest,
): Promise<OrRefusal<CountedCredential | Counted>> => {
  if (!areIds(path)) return refuseUnknownCredential(path)
  const revocation = { agentId: path.agentId, id: path.credentialId, reason, keepTokens }
  if (dryRun) {
    const ends = await ports.dryRuns.revokeCredential(revocation)
    return ends === 'unknown' ? refuseUnknownCredential(path) : { ends }
  }
  const revoked = await ports.credentials.revoke(revocation, actBy(origin, 'credential.revoke', note))
  return revoked === undefined ? refuseUnknownCredential(path) : showCredential(ports, origin.caller, path)
}
