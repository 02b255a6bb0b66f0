// The development identity provider: a real one (oidc-provider), whose JWTs name an operator with the requested role.
import { randomBytes } from 'node:crypto'
import type { RequestListener } from 'node:http'
import type { Adapter, Configuration, errors as OidcErrors } from 'oidc-provider'
import { ROLES, type Role } from '../../../api/values/access.ts'
import { loadOidcProvider } from './load-oidc-provider.ts'
import { answerOnlyTo, loopbackHosts } from './loopback-hosts.ts'
import { clientIdOf, issuerAt } from './dev-token.ts'

/** The JWT of `dev.env` lasts a working day. */
const JWT_LIFETIME_SECONDS = 12 * 3600

/** The private half of the key that signs the provider's JWTs. */
type ProviderJwk = {
  readonly kty: 'EC'
  readonly crv: 'P-256'
  readonly x: string
  readonly y: string
  readonly d: string
}

type ProviderOptions = {
  readonly port: number
  /** The only audience of its tokens: the service. */
  readonly baseUrl: string
  readonly privateJwk: ProviderJwk
  readonly clientSecret: string
}

const clientIds = new Map<string | undefined, Role>(ROLES.map(role => [clientIdOf(role), role]))

// JWT access tokens are not stored, and the only grant here issues no others: there is nothing to store.
const keepNothing: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  findByUserCode: async () => undefined,
  findByUid: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
}

type Features = NonNullable<Configuration['features']>

const resourceIndicators = (
  baseUrl: string,
  errors: typeof OidcErrors,
): NonNullable<Features['resourceIndicators']> => ({
  enabled: true,
  defaultResource: () => baseUrl,
  getResourceServerInfo: (_context, resource) => {
    if (resource !== baseUrl) throw new errors.InvalidTarget()
    const jwt = { sign: { alg: 'ES256' } } as const
    return { scope: '', audience: baseUrl, accessTokenTTL: JWT_LIFETIME_SECONDS, accessTokenFormat: 'jwt', jwt }
  },
})

const configure = (
  { baseUrl, privateJwk, clientSecret }: ProviderOptions,
  errors: typeof OidcErrors,
): Configuration => ({
  adapter: () => keepNothing,
  clients: ROLES.map(role => ({
    client_id: clientIdOf(role),
    client_secret: clientSecret,
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
    token_endpoint_auth_method: 'client_secret_basic',
    id_token_signed_response_alg: 'ES256',
  })),
  // Nobody logs in here, so no cookie outlives the process.
  cookies: { keys: [randomBytes(32).toString('base64url')] },
  extraTokenClaims: (_context, token) => {
    const role = clientIds.get(token.clientId)
    return role === undefined ? {} : { roles: [`mintmark-${role}`] }
  },
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    resourceIndicators: resourceIndicators(baseUrl, errors),
  },
  jwks: { keys: [{ ...privateJwk, alg: 'ES256', use: 'sig' }] },
  ttl: { ClientCredentials: JWT_LIFETIME_SECONDS },
})

/** Answers only requests for its port on the loopback interface. */
export const makeIdentityProvider = async (options: ProviderOptions): Promise<RequestListener> => {
  const { default: Provider, errors } = await loadOidcProvider()
  const provider = new Provider(issuerAt(options.port), configure(options, errors))
  const answer = provider.callback()
  return answerOnlyTo(loopbackHosts(options.port), (request, response) => void answer(request, response))
}
