// Makes an API key, which is shown this once and kept as its hash.
import type { ApiKey } from '../../domain/clients/api-key.ts'
import { isResource } from '../../../../api/values/audience.ts'
import { actBy, type Administrator, type Origin } from '../../domain/caller.ts'
import { isPermission, type Permission, PERMISSIONS } from '../../../../api/values/access.ts'
import type { Expiry } from '../../domain/ledger/expiry.ts'
import { isExisting, refuseRepeat } from '../../domain/idempotency.ts'
import { type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'
import type { ApiKeyProblem } from '../../ports/secret-repositories.ts'
import { refuseUnknownKey } from '../authentication/authenticate-administrator.ts'
import { checkName, refuseExpired } from '../credentials/check-rotation.ts'

/**
 * What these let a key do is of the whole service: agents, credentials, signing keys and the audit log have no audience,
 * and their acts end tokens for any. No limit to audiences could hold for them (docs/decisions/0021-limited-keys.md).
 */
const OF_WHOLE_SERVICE: readonly Permission[] = ['agents:write', 'keys:write', 'audit:read']

/** Audiences that one API key may be limited to. */
const KEY_AUDIENCES_MAX = 64

type ApiKeyRequest = {
  readonly name: string
  readonly permissions: readonly string[]
  /** Null: tokens for every audience exist for the key. */
  readonly audiences: readonly string[] | null
  readonly expiry: Expiry
}

/** `key` is the secret itself. */
export type CreatedApiKey = { readonly apiKey: ApiKey; readonly key: string }

const checkAudiences = (audiences: readonly string[]): ReturnType<typeof refuse> | undefined => {
  if (audiences.length === 0 || audiences.length > KEY_AUDIENCES_MAX) {
    return refuse('invalid_target', `A limited API key has 1 to ${KEY_AUDIENCES_MAX} audiences.`)
  }
  const wrong = audiences.find(audience => !isResource(audience))
  return wrong === undefined
    ? undefined
    : refuse('invalid_target', `The audience ${wrong} is not an absolute URI without a fragment.`)
}

const parsePermissions = (names: readonly string[]): OrRefusal<readonly Permission[]> => {
  const unknown = names.find(name => !isPermission(name))
  if (unknown !== undefined) {
    return refuse('invalid_request', `${unknown} is not a permission; choose from ${PERMISSIONS.join(', ')}.`)
  }
  const permissions = PERMISSIONS.filter(permission => names.includes(permission))
  return permissions.length > 0 ? permissions : refuse('invalid_request', 'An API key needs at least one permission.')
}

type Powers = Pick<ApiKey, 'permissions' | 'audiences'>

const refuseUnlimitable = ({ permissions, audiences }: Powers): ReturnType<typeof refuse> | undefined => {
  const whole = audiences === null ? undefined : permissions.find(permission => OF_WHOLE_SERVICE.includes(permission))
  return whole === undefined
    ? undefined
    : refuse('invalid_request', `${whole} is of the whole service: an API key limited to audiences cannot have it.`)
}

/** No API key makes one that may do more than itself. An operator with the role, and the owner of the store, may all. */
export const refuseBeyondCaller = (
  caller: Administrator,
  { permissions, audiences }: Powers,
): ReturnType<typeof refuse> | undefined => {
  if (caller.kind !== 'api_key') return undefined
  const beyond = permissions.find(permission => !caller.permissions.includes(permission))
  if (beyond !== undefined) {
    return refuse('insufficient_scope', `This API key lacks the permission ${beyond} itself, and cannot give it.`)
  }
  const own = caller.audiences
  return own === null || audiences?.every(audience => own.includes(audience)) === true
    ? undefined
    : refuse('insufficient_scope', 'This API key is limited to audiences, and cannot make one for others.')
}

export const refuseKeyProblem = (problem: ApiKeyProblem): ReturnType<typeof refuse> => {
  switch (problem) {
    case 'expired':
      return refuseExpired()
    case 'caller_ended':
      return refuseUnknownKey()
    case 'outlives_caller':
      return refuse('insufficient_scope', 'This API key expires, and cannot make one that lives longer.')
  }
}

/** Creates an API key with these permissions. */
export const createApiKey = async (
  ports: Pick<Ports, 'apiKeys' | 'secrets' | 'randomness'>,
  origin: Origin,
  request: ApiKeyRequest,
): Promise<OrRefusal<CreatedApiKey>> => {
  const wrong = checkName(request.name)
  if (wrong !== undefined) return wrong
  const permissions = parsePermissions(request.permissions)
  if ('refusal' in permissions) return permissions
  const refused = request.audiences === null ? undefined : checkAudiences(request.audiences)
  if (refused !== undefined) return refused
  const audiences = request.audiences === null ? null : [...new Set(request.audiences)]
  const unlimitable = refuseUnlimitable({ permissions, audiences })
  if (unlimitable !== undefined) return unlimitable
  const beyond = refuseBeyondCaller(origin.caller, { permissions, audiences })
  if (beyond !== undefined) return beyond
  const key = ports.secrets.makeApiKey()
  const { name, expiry } = request
  const apiKey = await ports.apiKeys.create(
    { id: ports.randomness.uuid(), name, permissions, audiences, keyHash: ports.secrets.hash(key), expiry },
    actBy(origin, 'api_key.create'),
  )
  if (typeof apiKey === 'string') return refuseKeyProblem(apiKey)
  return isExisting(apiKey) ? refuseRepeat(apiKey) : { apiKey, key }
}
