// Reads who calls the API under /api/v1 from the network, an API key or an operator's JWT but not both, or else the cookie of
// the console, and asks whether it may. No request over the network is that of the user at the terminal, whose commands use no HTTP (http/admin/direct.ts).
import type { FastifyRequest } from 'fastify'
import { isRefused, type OrRefusal, refuse } from '../../domain/refusal.ts'
import {
  type AdministratorCredentials,
  authenticateAdministrator,
} from '../../operations/authentication/authenticate-administrator.ts'
import type { Ports } from '../../ports/ports.ts'
import { headerOf, parseAuthorization } from '../wire/authorization.ts'
import { cookieNamesOf, cookieOf, isOwnPage } from '../wire/cookies.ts'
import { makeCallerNote } from '../notes/request-note.ts'
import type { Recognize } from '../wire/refusals.ts'
import type { SourceOf } from '../wire/source.ts'

type Reading = { readonly sourceOf: SourceOf; readonly ownOrigin: string; readonly sessionCookie: string }

const readCookie = (
  request: FastifyRequest,
  { sourceOf, ownOrigin, sessionCookie }: Reading,
): AdministratorCredentials => {
  const secret = cookieOf(request, sessionCookie)
  if (secret === undefined) return { kind: 'none' }
  return { kind: 'session', secret, isOwnPage: isOwnPage(request, ownOrigin), source: sourceOf(request) }
}

const readCredentials = (request: FastifyRequest, reading: Reading): OrRefusal<AdministratorCredentials> => {
  const key = headerOf(request, 'x-api-key')
  const authorization = parseAuthorization(request.headers.authorization)
  // A browser sends its cookie along with any other credential that a page sends.
  if (key === undefined && request.headers.authorization === undefined) return readCookie(request, reading)
  if (key === undefined) {
    return authorization?.scheme === 'bearer'
      ? { kind: 'bearer', jwt: authorization.credentials, source: reading.sourceOf(request) }
      : { kind: 'none' }
  }
  return authorization === undefined
    ? { kind: 'api_key', key }
    : refuse('invalid_request', 'The request authenticates itself by X-API-Key and by Authorization: choose one.')
}

export const makeRecognizer = (
  ports: Pick<Ports, 'apiKeys' | 'operators' | 'profile' | 'secrets' | 'sessions' | 'signIn'>,
  sourceOf: SourceOf,
): Recognize => {
  const { issuer } = ports.profile
  const reading = { sourceOf, ownOrigin: new URL(issuer).origin, sessionCookie: cookieNamesOf(issuer).session }
  return async (request, access) => {
    const credentials = readCredentials(request, reading)
    if (isRefused(credentials)) return credentials
    const onCaller = makeCallerNote(request.raw)
    const caller = await authenticateAdministrator(ports, credentials, access, onCaller)
    return isRefused(caller) ? caller : { caller, requestId: request.id, source: sourceOf(request) }
  }
}
