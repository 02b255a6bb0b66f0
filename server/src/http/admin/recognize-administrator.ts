// Reads who calls the API under /api/v1 from the network, an API key or an operator's JWT but not both, and asks whether
// it may. No request over the network is that of the user at the terminal, whose commands use no HTTP (http/admin/direct.ts).
import type { FastifyRequest } from 'fastify'
import { isRefused, type OrRefusal, refuse } from '../../domain/refusal.ts'
import {
  type AdministratorCredentials,
  authenticateAdministrator,
} from '../../operations/authentication/authenticate-administrator.ts'
import type { Ports } from '../../ports/ports.ts'
import { parseAuthorization } from '../wire/authorization.ts'
import { headerOf } from '../wire/header.ts'
import { makeCallerNote } from '../notes/request-note.ts'
import type { Recognize } from '../wire/refusals.ts'
import type { SourceOf } from '../wire/source.ts'

const readCredentials = (request: FastifyRequest, sourceOf: SourceOf): OrRefusal<AdministratorCredentials> => {
  const key = headerOf(request, 'x-api-key')
  const authorization = parseAuthorization(request.headers.authorization)
  if (key === undefined) {
    return authorization?.scheme === 'bearer'
      ? { kind: 'bearer', jwt: authorization.credentials, source: sourceOf(request) }
      : { kind: 'none' }
  }
  return authorization === undefined
    ? { kind: 'api_key', key }
    : refuse('invalid_request', 'The request authenticates itself by X-API-Key and by Authorization: choose one.')
}

export const makeRecognizer =
  (ports: Pick<Ports, 'apiKeys' | 'operators' | 'secrets'>, sourceOf: SourceOf): Recognize =>
  async (request, access) => {
    const credentials = readCredentials(request, sourceOf)
    if (isRefused(credentials)) return credentials
    const onCaller = makeCallerNote(request.raw, ports.secrets)
    const caller = await authenticateAdministrator(ports, credentials, access, onCaller)
    return isRefused(caller) ? caller : { caller, requestId: request.id, source: sourceOf(request) }
  }
