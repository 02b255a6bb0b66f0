// Reads who calls the API under /api/v1, an API key or an operator's JWT but not both, and asks whether it may.
import type { FastifyRequest } from 'fastify'
import type { Access } from '../domain/access.ts'
import { isRefused, type OrRefusal, refuse } from '../domain/refusal.ts'
import {
  type AdministratorCredentials,
  authenticateAdministrator,
  type RemoteAdministrator,
} from '../operations/authenticate-administrator.ts'
import type { Ports } from '../ports.ts'
import { parseAuthorization } from './authorization.ts'
import { headerOf } from './header.ts'

const readCredentials = (request: FastifyRequest): OrRefusal<AdministratorCredentials> => {
  const key = headerOf(request, 'x-api-key')
  const authorization = parseAuthorization(request.headers.authorization)
  if (key === undefined) {
    return authorization?.scheme === 'bearer' ? { kind: 'bearer', jwt: authorization.credentials } : { kind: 'none' }
  }
  return authorization === undefined
    ? { kind: 'api_key', key }
    : refuse('invalid_request', 'The request authenticates itself by X-API-Key and by Authorization: choose one.')
}

export const recogniseAdministrator = async (
  ports: Ports,
  request: FastifyRequest,
  access: Access,
): Promise<OrRefusal<RemoteAdministrator>> => {
  const credentials = readCredentials(request)
  return isRefused(credentials) ? credentials : authenticateAdministrator(ports, credentials, access)
}
