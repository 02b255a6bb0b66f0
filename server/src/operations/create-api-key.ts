// Makes an API key, which is shown this once and kept as its hash.
import type { ApiKey } from '../domain/api-key.ts'
import { isResource } from '../domain/audience.ts'
import { actBy, type Origin, isPermission, PERMISSIONS, type Permission } from '../domain/caller.ts'
import { isName, NAME_FORM } from '../domain/name.ts'
import { type OrRefusal, refuse } from '../domain/refusal.ts'
import type { Ports } from '../ports.ts'

/** Audiences that one API key may be limited to. */
export const KEY_AUDIENCES_MAX = 64

export type ApiKeyRequest = {
  readonly name: string
  readonly permissions: readonly string[]
  /** Null: tokens for every audience exist for the key. */
  readonly audiences: readonly string[] | null
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

/** Creates an API key with these permissions. */
export const createApiKey = async (
  ports: Pick<Ports, 'apiKeys' | 'secrets' | 'randomness'>,
  origin: Origin,
  request: ApiKeyRequest,
): Promise<OrRefusal<CreatedApiKey>> => {
  if (!isName(request.name)) return refuse('invalid_request', `The name is not ${NAME_FORM}.`)
  const permissions = parsePermissions(request.permissions)
  if ('refusal' in permissions) return permissions
  const refused = request.audiences === null ? undefined : checkAudiences(request.audiences)
  if (refused !== undefined) return refused
  const key = ports.secrets.makeApiKey()
  const audiences = request.audiences === null ? null : [...new Set(request.audiences)]
  const apiKey = await ports.apiKeys.create(
    { id: ports.randomness.uuid(), name: request.name, permissions, audiences, keyHash: ports.secrets.hash(key) },
    actBy(origin, 'api_key.create'),
  )
  return { apiKey, key }
}
