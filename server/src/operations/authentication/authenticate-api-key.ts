// Recognizes a resource server or a tool by its API key, and says whether it may introspect.
import type { ApiKey } from '../../domain/clients/api-key.ts'
import type { ApiKeyCaller } from '../../domain/caller.ts'
import type { Sha256 } from '../../domain/text/text.ts'
import type { Ports } from '../../ports/ports.ts'
import { counted, type OrRefusal, refuse, refuseCaller } from '../../domain/refusal.ts'

/** An API key as presented: in X-API-Key, or with its id as the user of HTTP Basic. */
export type PresentedApiKey = { readonly key: string; readonly id: string | null }

const callerOf = (presented: PresentedApiKey, found: ApiKey | undefined): ApiKeyCaller | undefined => {
  if (found === undefined || (presented.id !== null && presented.id !== found.id)) return undefined
  return { kind: 'api_key', id: found.id, permissions: found.permissions, audiences: found.audiences }
}

/** A resource server asks with one key again and again: within a group it is hashed once. */
const hashEach = (secrets: Ports['secrets'], presented: readonly PresentedApiKey[]): readonly Sha256[] => {
  const known = new Map<string, Sha256>()
  return presented.map(({ key }) => {
    const hash = known.get(key) ?? secrets.hash(key)
    known.set(key, hash)
    return hash
  })
}

/**
 * The callers of a group of keys, in order; undefined for a key that is unknown, revoked, expired, or of another id.
 * `meanwhile` runs before with those found lately, and so decides nothing.
 */
export const authenticateApiKeys = async (
  ports: Pick<Ports, 'apiKeys' | 'secrets'>,
  presented: readonly PresentedApiKey[],
  meanwhile?: (wereFound: readonly boolean[]) => void,
): Promise<readonly (ApiKeyCaller | undefined)[]> => {
  const found = await ports.apiKeys.find(hashEach(ports.secrets, presented), meanwhile)
  return presented.map((one, n) => callerOf(one, found[n]))
}

// Who may ask which tokens are active, and follow which were revoked: an API key with tokens:introspect.

const PERMISSION = 'tokens:introspect'

export const isIntrospector = ({ permissions }: Pick<ApiKeyCaller, 'permissions'>): boolean =>
  permissions.includes(PERMISSION)

export type Introspector = {
  /** Undefined where the request presents none. */
  readonly apiKey: PresentedApiKey | undefined
  /** Called with the caller, once it is recognized. */
  readonly onCaller?: ((caller: ApiKeyCaller) => void) | undefined
}

/** The caller, if they may; `what` they asked for, as the beginning of a sentence. */
export const authorizeIntrospector = (
  request: Introspector,
  caller: ApiKeyCaller | undefined,
  what: string,
): OrRefusal<ApiKeyCaller> => {
  if (caller === undefined) {
    const presentedByBasic = request.apiKey !== undefined && request.apiKey.id !== null
    const description = `${what} needs an API key: send a live one in X-API-Key.`
    const refused = refuseCaller('invalid_client', description, presentedByBasic ? 'Basic' : 'ApiKey')
    return request.apiKey === undefined ? refused : counted(refused, { way: 'api_key', clientId: null })
  }
  request.onCaller?.(caller)
  return isIntrospector(caller)
    ? caller
    : refuse('insufficient_scope', `This API key lacks the permission ${PERMISSION}.`)
}
