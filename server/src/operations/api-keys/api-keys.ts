// API keys: created, listed, shown, rotated and revoked. A key is shown once and kept as its hash.
import { distinctResources, hasResource } from '../../../../api/values/audience.ts'
import { IS_OF_WHOLE_SERVICE, PERMISSIONS } from '../../../../api/values/access.ts'
import { isUuid } from '../../../../api/values/uuid.ts'
import { actBy, type Administrator, type Origin } from '../../domain/caller.ts'
import type { ApiKey } from '../../domain/clients/api-key.ts'
import { isExisting, refuseRepeat } from '../../domain/idempotency.ts'
import { type Expiry, refuseExpired } from '../../domain/ledger/expiry.ts'
import type { ApiKeyFilters } from '../../domain/lists/page.ts'
import { isRefused, type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'
import type { ApiKeyProblem } from '../../ports/secret-repositories.ts'
import { refuseUnknownKey } from '../authentication/authenticate-administrator.ts'
import { type ListPage, type ListRequest, readPageById } from '../reading/read-page.ts'

const refuseUnknownApiKey = (apiKeyId: string): ReturnType<typeof refuse> =>
  refuse('not_found', `No API key has the id ${apiKeyId}.`)

/** One API key: everything but the key itself. */
export const showApiKey = async (
  ports: Pick<Ports, 'apiKeys'>,
  _caller: Administrator,
  apiKeyId: string,
): Promise<OrRefusal<ApiKey>> =>
  (isUuid(apiKeyId) ? await ports.apiKeys.show(apiKeyId) : undefined) ?? refuseUnknownApiKey(apiKeyId)

/** One page of the API keys by id, the revoked and expired ones too. */
export const listApiKeys = (
  ports: Pick<Ports, 'apiKeys' | 'secrets'>,
  _caller: Administrator,
  { filters, ...request }: ListRequest<ApiKeyFilters>,
): Promise<OrRefusal<ListPage<ApiKey>>> =>
  readPageById(ports, 'api_keys', {
    request,
    boundTo: [filters],
    read: (after, limit) => ports.apiKeys.list({ filters, after, limit }),
  })

type Powers = Pick<ApiKey, 'permissions' | 'audiences'>

const refuseUnlimitable = ({ permissions, audiences }: Powers): ReturnType<typeof refuse> | undefined => {
  const whole = audiences === null ? undefined : permissions.find(permission => IS_OF_WHOLE_SERVICE[permission])
  return whole === undefined
    ? undefined
    : refuse('invalid_request', `${whole} is of the whole service: an API key limited to audiences cannot have it.`)
}

/** No API key makes one that may do more than itself. An operator with the role, and the owner of the store, may all. */
const refuseBeyondCaller = (
  caller: Administrator,
  { permissions, audiences }: Powers,
): ReturnType<typeof refuse> | undefined => {
  if (caller.kind !== 'api_key') return undefined
  const beyond = permissions.find(permission => !caller.permissions.includes(permission))
  if (beyond !== undefined) {
    return refuse('insufficient_scope', `This API key lacks the permission ${beyond} itself, and cannot give it.`)
  }
  const own = caller.audiences
  return own === null || audiences?.every(audience => hasResource(own, audience)) === true
    ? undefined
    : refuse('insufficient_scope', 'This API key is limited to audiences, and cannot make one for others.')
}

const refuseProblem = (problem: ApiKeyProblem): ReturnType<typeof refuse> => {
  switch (problem) {
    case 'expired':
      return refuseExpired()
    case 'caller_ended':
      return refuseUnknownKey()
    case 'outlives_caller':
      return refuse('insufficient_scope', 'This API key expires, and cannot make one that lives longer.')
  }
}

type ApiKeyRequest = Powers & { readonly name: string; readonly expiry: Expiry }

/** `key` is the secret itself. */
type CreatedApiKey = { readonly apiKey: ApiKey; readonly key: string }

/** Creates an API key with these permissions; with null for audiences, tokens for every audience exist for it. */
export const createApiKey = async (
  ports: Pick<Ports, 'apiKeys' | 'secrets' | 'randomness'>,
  origin: Origin,
  request: ApiKeyRequest,
): Promise<OrRefusal<CreatedApiKey>> => {
  const permissions = PERMISSIONS.filter(permission => request.permissions.includes(permission))
  const audiences = request.audiences === null ? null : distinctResources(request.audiences)
  const refused =
    refuseUnlimitable({ permissions, audiences }) ?? refuseBeyondCaller(origin.caller, { permissions, audiences })
  if (refused !== undefined) return refused
  const key = ports.secrets.makeApiKey()
  const { name, expiry } = request
  const apiKey = await ports.apiKeys.create(
    { id: ports.randomness.uuid(), name, permissions, audiences, keyHash: ports.secrets.hash(key), expiry },
    actBy(origin, 'api_key.create'),
  )
  if (typeof apiKey === 'string') return refuseProblem(apiKey)
  return isExisting(apiKey) ? refuseRepeat(apiKey) : { apiKey, key }
}

type ApiKeyRotation = {
  readonly apiKeyId: string
  /** How long the old API key is still accepted. */
  readonly graceSeconds: number
  /** The expiry of the new API key. */
  readonly expiry: Expiry
}

type RotatedApiKey = CreatedApiKey & { readonly replaced: ApiKey }

/**
 * Makes a new key of the same powers, and lets the old one live for a grace. The caller hears the new one, so it may have
 * no more powers than the caller.
 */
export const rotateApiKey = async (
  ports: Pick<Ports, 'apiKeys' | 'secrets' | 'randomness'>,
  origin: Origin,
  { apiKeyId, graceSeconds, expiry }: ApiKeyRotation,
): Promise<OrRefusal<RotatedApiKey>> => {
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
  if (typeof rotated === 'string') return refuseProblem(rotated)
  if (isExisting(rotated)) return refuseRepeat(rotated)
  return { apiKey: rotated.replacement, key, replaced: rotated.replaced }
}

/** The API key, revoked now or before: from the acknowledgement on no process accepts it. */
export const revokeApiKey = async (
  ports: Pick<Ports, 'apiKeys'>,
  origin: Origin,
  apiKeyId: string,
  note: string | null,
): Promise<OrRefusal<ApiKey>> => {
  const apiKey = isUuid(apiKeyId)
    ? await ports.apiKeys.revoke(apiKeyId, actBy(origin, 'api_key.revoke', note))
    : undefined
  return apiKey ?? refuseUnknownApiKey(apiKeyId)
}
