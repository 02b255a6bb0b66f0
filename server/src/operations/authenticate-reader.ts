// Recognises who may read the lists: an API key with tokens:read, or an operator with at least the viewer role.
import { type ApiKeyCaller, hasRole, type OperatorCaller } from '../domain/caller.ts'
import { isRefused, type OrRefusal, refuse, refuseCaller } from '../domain/refusal.ts'
import type { Ports } from '../ports.ts'
import { authenticateApiKeys } from './authenticate-api-key.ts'
import { authenticateOperator } from './authenticate-operator.ts'

export type ReaderCredentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'api_key'; readonly key: string }
  | { readonly kind: 'bearer'; readonly jwt: string }

export type Reader = ApiKeyCaller | OperatorCaller

const refuseReader = (description: string) => refuseCaller('invalid_client', description, 'ApiKey', 'Bearer')

/** The reader, or 401 without a good credential and 403 without the right. */
export const authenticateReader = async (
  ports: Pick<Ports, 'apiKeys' | 'operators' | 'secrets'>,
  credentials: ReaderCredentials,
): Promise<OrRefusal<Reader>> => {
  switch (credentials.kind) {
    case 'none':
      return refuseReader('Send an API key in X-API-Key, or a JWT of the identity provider as a Bearer token.')
    case 'api_key': {
      const [caller] = await authenticateApiKeys(ports, [{ key: credentials.key, id: null }])
      if (caller === undefined) return refuseReader('The API key is unknown or revoked.')
      return caller.permissions.includes('tokens:read')
        ? caller
        : refuse('insufficient_scope', 'This API key lacks the permission tokens:read.')
    }
    case 'bearer': {
      const operator = await authenticateOperator(ports, credentials.jwt)
      if (isRefused(operator)) return operator
      return hasRole(operator, 'viewer')
        ? operator
        : refuse(
            'insufficient_scope',
            'The subject of this JWT has no role that may read tokens: it needs viewer, operator or admin.',
          )
    }
  }
}
