// Gives an agent another secret, which is shown this once and kept as its hash, or something to trust in place of one.
import { actBy, type Origin } from '../../domain/caller.ts'
import { type CountedCredential, CREDENTIALS_MAX } from '../../domain/clients/credential.ts'
import type { Expiry } from '../../domain/ledger/expiry.ts'
import { isExisting, refuseRepeat } from '../../domain/idempotency.ts'
import { isRefused, type OrRefusal, type Refusal, refuse } from '../../domain/refusal.ts'
import { isUuid } from '../../../../api/values/uuid.ts'
import type { SubjectTaken } from '../../ports/secret-repositories.ts'
import type { Ports } from '../../ports/ports.ts'
import { refuseUnknownKey } from '../authentication/authenticate-administrator.ts'
import { checkName, refuseExpired } from './check-rotation.ts'
import { checkTrust, type TrustPorts, type TrustRequest } from './check-trust.ts'
import { refuseUnknownAgent } from '../agents/read-agents.ts'

type CredentialRequest = {
  readonly agentId: string
  readonly name: string
  readonly expiry: Expiry
  /** Null: a secret is made. */
  readonly trust: TrustRequest | null
}

/** `clientSecret` is null where something is trusted in place of a secret. */
export type CreatedCredential = { readonly credential: CountedCredential; readonly clientSecret: string | null }

/** What is live from now on has got nothing yet. */
export const NO_TOKENS = { count: 0, isExact: true } as const

export const refuseTooManyCredentials = (): ReturnType<typeof refuse> =>
  refuse(
    'invalid_request',
    `The agent has ${CREDENTIALS_MAX} live credentials, the most there can be; revoke one first.`,
  )

const refuseTaken = ({ taken }: SubjectTaken): { readonly refusal: Refusal } => ({
  refusal: {
    code: 'already_exists',
    description: `A credential of the agent ${taken.agentId} trusts such a subject of this issuer already: revoke it first.`,
    id: taken.id,
  },
})

type CreatePorts = Pick<Ports, 'credentials' | 'secrets' | 'randomness'> & TrustPorts

export const createCredential = async (
  ports: CreatePorts,
  origin: Origin,
  { agentId, name, expiry, trust: wanted }: CredentialRequest,
): Promise<OrRefusal<CreatedCredential>> => {
  const checked = wanted === null ? { trust: null } : checkTrust(ports, wanted)
  if (isRefused(checked)) return checked
  const { trust } = checked
  const wrong = checkName(name)
  if (wrong !== undefined) return wrong
  if (!isUuid(agentId)) return refuseUnknownAgent(agentId)
  const clientSecret = trust === null ? ports.secrets.makeClientSecret() : null
  const secretHash = clientSecret === null ? null : ports.secrets.hash(clientSecret)
  const credential = { id: ports.randomness.uuid(), name, secretHash, expiry, ...(trust !== null && { trust }) }
  const created = await ports.credentials.create(agentId, credential, actBy(origin, 'credential.create'))
  if (created === 'unknown') return refuseUnknownAgent(agentId)
  if (created === 'too_many') return refuseTooManyCredentials()
  if (created === 'expired') return refuseExpired()
  if (created === 'caller_ended') return refuseUnknownKey()
  if ('taken' in created) return refuseTaken(created)
  if (isExisting(created)) return refuseRepeat(created)
  return { credential: { ...created, liveTokens: NO_TOKENS }, clientSecret }
}
