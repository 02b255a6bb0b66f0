// Who may ask which tokens are active, and follow which were revoked: an API key with tokens:introspect.
import type { ApiKeyCaller } from '../../domain/caller.ts'
import { counted, type OrRefusal, refuse, refuseCaller } from '../../domain/refusal.ts'
import type { PresentedApiKey } from './authenticate-api-key.ts'

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
