// Reads the API key of a resource server: in X-API-Key, or as the password of HTTP Basic with its id as the user.
import type { FastifyRequest } from 'fastify'
import { counted, type OrRefusal, refuse, refuseCaller } from '../../domain/refusal.ts'
import type { PresentedApiKey } from '../../operations/authentication/authenticate-api-key.ts'
import { decodeBasic, headerOf, parseAuthorization } from '../wire/authorization.ts'

type Presented = { readonly apiKey: PresentedApiKey | undefined }

const refuseScheme = (what: string) =>
  counted(refuseCaller('invalid_client', `${what} needs an API key: send a live one in X-API-Key.`, 'Basic'), {
    way: 'api_key',
    clientId: null,
  })

/** What the request presents. `what` it asks for, as the beginning of a sentence. */
export const readApiKey = (request: FastifyRequest, what: string): OrRefusal<Presented> => {
  const key = headerOf(request, 'x-api-key')
  const authorization = parseAuthorization(request.headers.authorization)
  if (authorization === undefined) return { apiKey: key === undefined ? undefined : { key, id: null } }
  if (key !== undefined) {
    return refuse('invalid_request', 'The request authenticates itself by X-API-Key and by Authorization: choose one.')
  }
  const basic = authorization.scheme === 'basic' ? decodeBasic(authorization.credentials) : undefined
  return basic === undefined ? refuseScheme(what) : { apiKey: { key: basic.password, id: basic.user } }
}
