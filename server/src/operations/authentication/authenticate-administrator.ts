// Recognizes who calls the API under /api/v1: an API key with the permission asked for, or an operator with the role.
import { type Access, ROLES } from '../../../../api/values/access.ts'
import { type ApiKeyCaller, hasRole, type OperatorCaller } from '../../domain/caller.ts'
import { counted, isRefused, type OrRefusal, refuse, refuseCaller } from '../../domain/refusal.ts'
import type { Source } from '../../domain/source.ts'
import type { Ports } from '../../ports/ports.ts'
import { authenticateApiKeys } from './authenticate-api-key.ts'

export type AdministratorCredentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'api_key'; readonly key: string }
  | { readonly kind: 'bearer'; readonly jwt: string; readonly source: Source }

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

/** The operator that a JWT of a configured identity provider names, or `invalid_token` with one text for every cause (RFC 6750 §3.1). */
export const authenticateOperator = async (
  ports: Pick<Ports, 'operators'>,
  jwt: string,
  source: Source,
): Promise<OrRefusal<OperatorCaller>> => {
  const verified = await ports.operators.verify(jwt, source)
  if (!('refused' in verified)) return verified
  const description = 'The bearer token is not a valid JWT of a configured identity provider for this service.'
  const challenges = ['Bearer error="invalid_token"'] as const
  const attempt = { way: 'operator', clientId: null } as const
  return { refusal: { code: 'invalid_token', description, challenges, inside: verified.refused, attempt } }
}

/** The caller, or 401 without a good credential and 403 without the right, which `onCaller` is told of too. */
export const authenticateAdministrator = async (
  ports: Pick<Ports, 'apiKeys' | 'operators' | 'secrets'>,
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
    case 'bearer': {
      const operator = await authenticateOperator(ports, credentials.jwt, credentials.source)
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
