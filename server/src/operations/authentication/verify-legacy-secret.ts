// The first use of an imported secret of which only the hash of another server is known: proved against that, slowly,
// and from then on recognised by a hash of our own.
import type { Client } from '../../domain/clients/agent.ts'
import { actBy, type ClientCaller } from '../../domain/caller.ts'
import { hasExpired } from '../../domain/ledger/expiry.ts'
import { IMPORTED_SECRET_CHARACTERS_MAX, isKeptFast } from '../../domain/clients/imported-secret.ts'
import { type OrRefusal, type Refusal, refuse } from '../../domain/refusal.ts'
import type { Source } from '../../domain/source.ts'
import type { Milliseconds, MonotonicMilliseconds } from '../../../../api/values/time.ts'
import type { Ports } from '../../ports/ports.ts'
import { type ClientCredentials, presentedSecrets, refuseAt } from './authenticate-client.ts'

/** What was presented may be the secret of a hash that is not ours. */
export type LegacyHash = {
  readonly legacyHashes: {
    readonly caller: ClientCaller
    readonly credentialId: string
    readonly foreignHash: string
    readonly secrets: readonly string[]
    /** The answer where it is not. */
    readonly otherwise: { readonly refusal: Refusal }
  }
}

type VerifiedCredentials = Extract<ClientCredentials, { kind: 'verified' }>

/** Where the request came from, and when it must be answered. */
export type ProofOrigin = {
  readonly requestId: string
  readonly source: Source
  readonly until: MonotonicMilliseconds
}

export const hasLegacyHash = (answer: object): answer is LegacyHash => 'legacyHashes' in answer

/** Of credentials that no hash of ours knows: the refusal, or what must be asked of another server's hash first. */
export const refuseOrVerify = (
  credentials: ClientCredentials,
  client: Client | undefined,
  now: Milliseconds,
): LegacyHash | { readonly refusal: Refusal } => {
  const otherwise = refuseAt(credentials, client, now)
  if (client === undefined || client.agent.disabledAt !== null) return otherwise
  const secrets = presentedSecrets(credentials).filter(({ length }) => length <= IMPORTED_SECRET_CHARACTERS_MAX)
  // An import gives an agent one credential, and nothing else makes one of this kind.
  const known = client.credentials.find(one => one.foreignHash !== null && !hasExpired(one.expiresAt, now))
  if (secrets.length === 0 || known === undefined || known.foreignHash === null) return otherwise
  const { id, clientId } = client.agent
  const caller = { kind: 'client', agentId: id, clientId } as const
  return { legacyHashes: { caller, credentialId: known.id, foreignHash: known.foreignHash, secrets, otherwise } }
}

const BUSY = 'More secrets of imported clients are waiting to be checked than are taken: try again.'

/**
 * Credentials that open what the secret opens. A secret that is long enough is converted first, durably and once; a
 * shorter one stays under the slow hash.
 */
export const verifyLegacySecret = async (
  ports: Pick<Ports, 'importedSecrets' | 'imports'>,
  { legacyHashes }: LegacyHash,
  { requestId, source, until }: ProofOrigin,
): Promise<OrRefusal<VerifiedCredentials>> => {
  const { caller, credentialId, foreignHash, secrets, otherwise } = legacyHashes
  const verified = await ports.importedSecrets.verify({ credentialId, source, foreignHash, secrets, until })
  if (verified === 'busy') return refuse('temporarily_unavailable', BUSY)
  if (verified === 'wrong') return otherwise
  if (isKeptFast(verified.secret)) {
    const act = actBy({ caller, requestId, source }, 'credential.convert')
    await ports.imports.convert(credentialId, ports.importedSecrets.hash(verified.secret), act, until)
  }
  return { kind: 'verified', clientId: caller.clientId, credentialId }
}
