// Replaces an API key: makes a new one of the same powers, and lets the old one live for a grace.
import type { ApiKey } from '../../domain/clients/api-key.ts'
import { actBy, type Origin } from '../../domain/caller.ts'
import type { Expiry } from '../../domain/ledger/expiry.ts'
import { isExisting, refuseRepeat } from '../../domain/idempotency.ts'
import { isRefused, type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'
import { checkGrace } from '../credentials/check-rotation.ts'
import { type CreatedApiKey, refuseBeyondCaller, refuseKeyProblem } from './create-api-key.ts'
import { refuseUnknownApiKey, showApiKey } from './show-api-key.ts'

type ApiKeyRotation = {
  readonly apiKeyId: string
  /** How long the old one is still taken. */
  readonly graceSeconds: number
  /** Of the new one. */
  readonly expiry: Expiry
}

type RotatedApiKey = CreatedApiKey & { readonly replaced: ApiKey }

/** Who rotates a key hears the new one, so that it may have no more powers than he has. */
export const rotateApiKey = async (
  ports: Pick<Ports, 'apiKeys' | 'secrets' | 'randomness'>,
  origin: Origin,
  { apiKeyId, graceSeconds, expiry }: ApiKeyRotation,
): Promise<OrRefusal<RotatedApiKey>> => {
  const wrong = checkGrace(graceSeconds)
  if (wrong !== undefined) return wrong
  // What a key may do never changes.
  const old = await showApiKey(ports, origin.caller, apiKeyId)
  if (isRefused(old)) return old
  const beyond = refuseBeyondCaller(origin.caller, old)
  if (beyond !== undefined) return beyond
  const key = ports.secrets.makeApiKey()
  const replacement = { id: ports.randomness.uuid(), keyHash: ports.secrets.hash(key), expiry }
  const rotation = { id: apiKeyId, graceMs: 1000 * graceSeconds, replacement }
  const rotated = await ports.apiKeys.rotate(rotation, actBy(origin, 'api_key.rotate'))
  if (rotated === 'unknown') return refuseUnknownApiKey(apiKeyId)
  if (rotated === 'not_live')
    return refuse('invalid_request', 'The API key is revoked or has expired: create another instead.')
  if (typeof rotated === 'string') return refuseKeyProblem(rotated)
  if (isExisting(rotated)) return refuseRepeat(rotated)
  return { apiKey: rotated.replacement, key, replaced: rotated.replaced }
}
