// In this folder: recognizes callers by what a request presents, and checks what they may do: clients, API keys, operators, sessions.
// Recognizes who calls the API under /api/v1: an API key with the permission asked for, or an operator with the role.
import { type Access, ROLES } from '../../../../api/values/access.ts'
import { type ApiKeyCaller, hasRole, type OperatorCaller } from '../../domain/caller.ts'
import { counted, isRefused, type OrRefusal, refuse, refuseCaller } from '../../domain/refusal.ts'
import type { Source } from '../../domain/source.ts'
import type { Ports } from '../../ports/ports.ts'
import { authenticateOperator } from './authenticate-operator.ts'
import { authenticateSession } from './authenticate-session.ts'
import { authenticateApiKeys } from './authenticate-api-key.ts'

export type AdministratorCredentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'api_key'; readonly key: string }
  | { readonly kind: 'bearer'; readonly jwt: string; readonly source: Source }
  /** The cookie of the console; `isOwnPage`: our own page sent it. */
  | { readonly kind: 'session'; readonly secret: string; readonly isOwnPage: boolean; readonly source: Source }

type RemoteAdministrator = ApiKeyCaller | OperatorCaller

const refuseUnknown = (description: string) => refuseCaller('invalid_client', description, 'ApiKey', 'Bearer')

/** The refusal of an API key that is none, or none any more: one text for all. */
export const refuseUnknownKey = () =>
  counted(refuseUnknown('The API key is unknown, revoked or expired.'), { way: 'api_key', clientId: null })

const rolesFrom = (least: Access['role']): string => {
  const roles = ROLES.slice(ROLES.indexOf(least))
  return roles.length === 1 ? roles.join() : `${roles.slice(0, -1).join(', ')} or ${roles.at(-1)}`
}

const checkRights = (caller: ApiKeyCaller, access: Access): OrRefusal<ApiKeyCaller> => {
  if (!caller.permissions.includes(access.permission)) {
    return refuse('insufficient_scope', `This API key lacks the permission ${access.permission}.`)
  }
  return access.isOfWholeService === true && caller.audiences !== null
    ? refuse('insufficient_scope', `This API key is limited to audiences, and may not ${access.to}.`)
    : caller
}

type OperatorCredentials = Extract<AdministratorCredentials, { readonly kind: 'bearer' | 'session' }>

const FOREIGN_PAGE = 'The cookie of the console authenticates only what its own page asks.'

const recognizeOperator = async (
  ports: Pick<Ports, 'operators' | 'secrets' | 'sessions' | 'signIn'>,
  credentials: OperatorCredentials,
): Promise<OrRefusal<OperatorCaller>> => {
  if (credentials.kind === 'bearer') return authenticateOperator(ports, credentials.jwt, credentials.source)
  if (!credentials.isOwnPage) return refuseUnknown(FOREIGN_PAGE)
  const session = await authenticateSession(ports, credentials.secret, credentials.source)
  return isRefused(session) ? session : session.operator
}

/** The caller, or 401 without a good credential and 403 without the right; `onCaller` is called for both. */
export const authenticateAdministrator = async (
  ports: Pick<Ports, 'apiKeys' | 'operators' | 'secrets' | 'sessions' | 'signIn'>,
  credentials: AdministratorCredentials,
  access: Access,
  onCaller: (caller: RemoteAdministrator) => void = () => undefined,
): Promise<OrRefusal<RemoteAdministrator>> => {
  switch (credentials.kind) {
    case 'none':
      return refuseUnknown('Send an API key in X-API-Key, or a JWT of the identity provider as a Bearer token.')
    case 'api_key': {
      const [caller] = await authenticateApiKeys(ports, [{ key: credentials.key, id: null }])
      if (caller === undefined) return refuseUnknownKey()
      onCaller(caller)
      return checkRights(caller, access)
    }
    case 'bearer':
    case 'session': {
      const operator = await recognizeOperator(ports, credentials)
      if (isRefused(operator)) return operator
      onCaller(operator)
      if (hasRole(operator, access.role)) return operator
      return refuse(
        'insufficient_scope',
        `The subject of this JWT has no role that may ${access.to}: it needs ${rolesFrom(access.role)}.`,
      )
    }
  }
}
