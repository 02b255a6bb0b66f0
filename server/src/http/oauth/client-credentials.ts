// Reads how a client authenticates itself: by a secret in the form or by HTTP Basic, or by an assertion; never by two of
// them (RFC 6749 §2.3, RFC 7521 §4.2). Without any of these its certificate counts (RFC 8705 §2).
import type { FastifyRequest } from 'fastify'
import type { revokeToken } from '../../../../api/oauth.ts'
import type { FormOf } from '../../../../api/operation.ts'
import type { PresentedCertificate } from '../../domain/clients/client-certificate.ts'
import { ASSERTION_TYPE } from '../../../../api/values/credentials.ts'
import { isRefused, type OrRefusal, refuse, counted, refuseCaller } from '../../domain/refusal.ts'
import type { RequestOrigin } from '../../operations/authentication/authenticate-client.ts'
import type { ClientCredentials } from '../../operations/authentication/recognize-client.ts'
import { answerBy } from '../wire/answer-deadline.ts'
import { type Authorization, decodeBasic, parseAuthorization, headerOf } from '../wire/authorization.ts'
import type { Wire } from '../wire/wire.ts'
import type { PresentedApiKey } from '../../operations/authentication/authenticate-api-key.ts'

// Reads the API key of a resource server: in X-API-Key, or as the password of HTTP Basic with its id as the user.

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

/** The fields with which a client authenticates itself, in every form that takes them. */
export type ClientFields = Pick<
  FormOf<typeof revokeToken>,
  'client_id' | 'client_secret' | 'client_assertion' | 'client_assertion_type'
>

const readAssertion = (assertion: string, { client_assertion_type, client_id }: ClientFields): ClientCredentials => {
  if (client_assertion_type !== ASSERTION_TYPE) return { kind: 'unsupported' }
  return { kind: 'assertion', assertion, ...(client_id !== undefined && { clientId: client_id }) }
}

const readForm = (form: ClientFields, certificate: PresentedCertificate | undefined): ClientCredentials => {
  const { client_id: clientId, client_secret: secret } = form
  if (form.client_assertion !== undefined) return readAssertion(form.client_assertion, form)
  if (clientId === undefined) return { kind: 'none' }
  if (secret !== undefined) return { kind: 'secret', clientId, secret }
  return certificate === undefined ? { kind: 'none' } : { kind: 'certificate', clientId, certificate }
}

const readBasic = (authorization: Authorization, form: ClientFields): OrRefusal<ClientCredentials> => {
  const basic = decodeBasic(authorization.credentials)
  if (basic === undefined) return { kind: 'unsupported' }
  if (form.client_id !== undefined && form.client_id !== basic.user) {
    return refuse('invalid_request', 'client_id differs between the form and the Authorization header.')
  }
  const { user, password, rawPassword } = basic
  return {
    kind: 'secret',
    clientId: user,
    secret: password,
    ...(rawPassword !== undefined && { rawSecret: rawPassword }),
  }
}

const TWO_WAYS = 'The client authenticates itself in two ways at once: choose one.'

/**
 * What the request presents. A scheme other than Basic, and a malformed header, are `unsupported`, so that they get
 * the answer of every failed authentication. A certificate is no second way: tokens may be bound to it.
 */
export const readClientCredentials = (
  authorization: Authorization | undefined,
  form: ClientFields,
  certificate: PresentedCertificate | undefined,
): OrRefusal<ClientCredentials> => {
  const ways = [authorization, form.client_secret, form.client_assertion].filter(way => way !== undefined)
  if (ways.length > 1) return refuse('invalid_request', TWO_WAYS)
  if (authorization === undefined) return readForm(form, certificate)
  return authorization.scheme === 'basic' ? readBasic(authorization, form) : { kind: 'unsupported' }
}

/** What a request says of its client, and where it came from. */
type ReadClient<Credentials> = {
  readonly credentials: Credentials
  readonly certificate?: PresentedCertificate
  readonly origin: RequestOrigin
}

/** Returns the function that reads the certificate and, by `readCredentials`, the credentials of a request, or refuses them. */
export const makeClientReader =
  <Credentials extends object>(
    { ports, findCertificate, sourceOf }: Pick<Wire, 'ports' | 'findCertificate' | 'sourceOf'>,
    readCredentials: (
      authorization: Authorization | undefined,
      form: ClientFields,
      certificate: PresentedCertificate | undefined,
    ) => OrRefusal<Credentials>,
  ) =>
  (request: FastifyRequest<{ Body: ClientFields }>): OrRefusal<ReadClient<Credentials>> => {
    const shown = findCertificate(request)
    if (isRefused(shown)) return shown
    const authorization = parseAuthorization(request.headers.authorization)
    const credentials = readCredentials(authorization, request.body, shown.certificate)
    if (isRefused(credentials)) return credentials
    const origin = { requestId: request.id, source: sourceOf(request), until: answerBy(ports, request.raw) }
    return { ...shown, credentials, origin }
  }
