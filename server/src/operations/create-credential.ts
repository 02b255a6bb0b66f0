// Gives an agent another secret, which is shown this once and kept as its hash.
import { actBy, type Origin } from '../domain/caller.ts'
import { type CountedCredential, CREDENTIALS_MAX } from '../domain/credential.ts'
import type { Expiry } from '../domain/expiry.ts'
import { isMadeBefore, refuseRepeat } from '../domain/idempotency.ts'
import { type OrRefusal, refuse } from '../domain/refusal.ts'
import { isUuid } from '../domain/token-id.ts'
import type { Ports } from '../ports.ts'
import { refuseUnknownKey } from './authenticate-administrator.ts'
import { checkName, refuseExpired } from './check-rotation.ts'
import { refuseUnknownAgent } from './show-agent.ts'

export type CredentialRequest = { readonly agentId: string; readonly name: string; readonly expiry: Expiry }

export type CreatedCredential = { readonly credential: CountedCredential; readonly clientSecret: string }

/** What is live from now on has got nothing yet. */
export const NO_TOKENS = { count: 0, isExact: true } as const

export const refuseTooManyCredentials = (): ReturnType<typeof refuse> =>
  refuse(
    'invalid_request',
    `The agent has ${CREDENTIALS_MAX} live credentials, the most there can be; revoke one first.`,
  )

export const createCredential = async (
  ports: Pick<Ports, 'credentials' | 'secrets' | 'randomness'>,
  origin: Origin,
  { agentId, name, expiry }: CredentialRequest,
): Promise<OrRefusal<CreatedCredential>> => {
  const wrong = checkName(name)
  if (wrong !== undefined) return wrong
  if (!isUuid(agentId)) return refuseUnknownAgent(agentId)
  const clientSecret = ports.secrets.makeClientSecret()
  const credential = { id: ports.randomness.uuid(), name, secretHash: ports.secrets.hash(clientSecret), expiry }
  const created = await ports.credentials.create(agentId, credential, actBy(origin, 'credential.create'))
  if (created === 'unknown') return refuseUnknownAgent(agentId)
  if (created === 'too_many') return refuseTooManyCredentials()
  if (created === 'expired') return refuseExpired()
  if (created === 'caller_ended') return refuseUnknownKey()
  if (isMadeBefore(created)) return refuseRepeat(created)
  return { credential: { ...created, liveTokens: NO_TOKENS }, clientSecret }
}
