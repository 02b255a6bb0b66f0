// The development identity provider: a real one (oidc-provider). Its JWTs name an operator with the requested role, for
// `mintmark dev-token` and the console, or a person for whom an agent acts; who signs in says on its page who they are.
import { randomBytes } from 'node:crypto'
import type { RequestListener } from 'node:http'
import type { ClientMetadata, Configuration, errors as OidcErrors, Adapter, AdapterPayload } from 'oidc-provider'
import { ROLES, type Role } from '../../../api/values/access.ts'
import { TOKEN_EXCHANGE } from '../../../api/values/delegation.ts'
import { loadOidcProvider } from './load-oidc-provider.ts'
import { answerOnlyTo, loopbackHosts } from './loopback-hosts.ts'
import { AGENT_CLIENT_ID, agentSecretOf, CONSOLE_CLIENT_ID, clientIdOf, issuerAt } from './dev-token.ts'
import { ID_JAG_TOKEN_TYPE, registerIdJags } from './id-jag-grant.ts'
import { accountsFor, findAccount, signInPath, withSignInPage } from './sign-in-page.ts'

// What the development identity provider remembers of those who sign in: in memory, and no more than it has room for.

/** The most entries; beyond them the oldest is forgotten. */
const KEPT_MAX = 1000
const KEPT_SECONDS_MAX = 43_200

type Kept = { readonly payload: AdapterPayload; readonly until: number }

/** Makes one adapter for each kind of record. */
const makeProviderMemory = (): ((kind: string) => Adapter) => {
  const kept = new Map<string, Kept>()

  const find = (key: string): AdapterPayload | undefined => {
    const one = kept.get(key)
    if (one === undefined || one.until > Date.now()) return one?.payload
    kept.delete(key)
    return undefined
  }

  return kind => {
    const keyOf = (id: string): string => `${kind} ${id}`
    return {
      upsert: async (id, payload, expiresIn = KEPT_SECONDS_MAX) => {
        const [oldest] = kept
        if (kept.size >= KEPT_MAX && oldest !== undefined) kept.delete(oldest[0])
        kept.set(keyOf(id), { payload, until: Date.now() + expiresIn * 1000 })
      },
      find: async id => find(keyOf(id)),
      // Nothing here has a code for a person to type.
      findByUserCode: async () => undefined,
      findByUid: async uid => [...kept.values()].map(({ payload }) => payload).find(payload => payload.uid === uid),
      consume: async id => {
        const payload = find(keyOf(id))
        if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1000)
      },
      destroy: async id => {
        kept.delete(keyOf(id))
      },
      // Records of this kind alone: the sign-in of another operator signs out the one before, and names the grant of that one too.
      revokeByGrantId: async grantId => {
        for (const [key, { payload }] of kept) {
          if (key.startsWith(keyOf('')) && payload.grantId === grantId) kept.delete(key)
        }
      },
    }
  }
}

/** The JWT of `dev.env` lasts a working day. */
const JWT_LIFETIME_SECONDS = 12 * 3600
/** The console renews its JWT, as it does with a company's provider. */
const CONSOLE_JWT_SECONDS = 300
/** An agent asks with it for an ID-JAG whenever its token expires. */
const AGENT_ID_TOKEN_SECONDS = 3600
const SIGN_IN_SECONDS = 600

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
  readonly baseUrl: string
  readonly privateJwk: ProviderJwk
  readonly clientSecret: string
}

/** The only audience of its tokens: the administration. Another than that of tokens of agents, which agents may receive. */
export const operatorsAudienceOf = (baseUrl: string): string => `${baseUrl}/api/v1`

const clientIds = new Map<string | undefined, Role>(ROLES.map(role => [clientIdOf(role), role]))

type Features = NonNullable<Configuration['features']>

const resourceIndicators = (
  audience: string,
  errors: typeof OidcErrors,
): NonNullable<Features['resourceIndicators']> => ({
  enabled: true,
  // An agent's sign-in says who somebody is, and gives no access to the administration.
  defaultResource: (_context, client) => (client.clientId === AGENT_CLIENT_ID ? [] : audience),
  // A refresh token renews what the code was for.
  useGrantedResource: () => true,
  getResourceServerInfo: (_context, resource, { clientId }) => {
    if (resource !== audience || clientId === AGENT_CLIENT_ID) throw new errors.InvalidTarget()
    const accessTokenTTL = clientId === CONSOLE_CLIENT_ID ? CONSOLE_JWT_SECONDS : JWT_LIFETIME_SECONDS
    const jwt = { sign: { alg: 'ES256' } } as const
    return { scope: '', audience, accessTokenTTL, accessTokenFormat: 'jwt', jwt }
  },
})

const consoleClient = ({ baseUrl, clientSecret }: ProviderOptions): ClientMetadata => ({
  client_id: CONSOLE_CLIENT_ID,
  client_secret: clientSecret,
  grant_types: ['authorization_code', 'refresh_token'],
  redirect_uris: [`${baseUrl}/console/callback`],
  response_types: ['code'],
  token_endpoint_auth_method: 'client_secret_basic',
  id_token_signed_response_alg: 'ES256',
})

const agentClient = ({ clientSecret }: ProviderOptions): ClientMetadata => ({
  client_id: AGENT_CLIENT_ID,
  client_secret: agentSecretOf(clientSecret),
  // It listens where it finds a port (RFC 8252 §7.3).
  application_type: 'native',
  redirect_uris: ['http://127.0.0.1/callback'],
  grant_types: ['authorization_code', TOKEN_EXCHANGE],
  response_types: ['code'],
  token_endpoint_auth_method: 'client_secret_post',
  id_token_signed_response_alg: 'ES256',
})

const loadAccount: NonNullable<Configuration['findAccount']> = (_context, id) => {
  const account = findAccount(id)
  return account && { accountId: id, claims: () => ({ sub: id, name: `Development ${account.name}` }) }
}

/** Grants what a client asks for without a question, where who signed in before may sign in for it. */
const grantAll: NonNullable<Configuration['loadExistingGrant']> = async ({ oidc }) => {
  const { client, session, provider } = oidc
  if (client === undefined || session?.accountId === undefined) return undefined
  if (!accountsFor(client.clientId).some(({ id }) => id === session.accountId)) return undefined
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
  grant.addOIDCScope('openid')
  await grant.save()
  return grant
}

const configure = (options: ProviderOptions, errors: typeof OidcErrors): Configuration => ({
  adapter: makeProviderMemory(),
  clients: [
    consoleClient(options),
    agentClient(options),
    ...ROLES.map(role => ({
      client_id: clientIdOf(role),
      client_secret: options.clientSecret,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      token_endpoint_auth_method: 'client_secret_basic' as const,
      id_token_signed_response_alg: 'ES256' as const,
    })),
  ],
  claims: { openid: ['sub', 'name'] },
  conformIdTokenClaims: false,
  findAccount: loadAccount,
  loadExistingGrant: grantAll,
  pkce: { required: () => true },
  issueRefreshToken: async (_context, client) => client.grantTypeAllowed('refresh_token'),
  interactions: { url: (_context, { uid }) => signInPath(uid) },
  // What it remembers is in memory, so no cookie outlives the process.
  cookies: { keys: [randomBytes(32).toString('base64url')] },
  extraTokenClaims: (_context, token) => {
    const role = clientIds.get('accountId' in token ? token.accountId : token.clientId)
    return role === undefined ? {} : { roles: [`mintmark-${role}`] }
  },
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    resourceIndicators: resourceIndicators(operatorsAudienceOf(options.baseUrl), errors),
  },
  discovery: { identity_chaining_requested_token_types_supported: [ID_JAG_TOKEN_TYPE] },
  jwks: { keys: [{ ...options.privateJwk, alg: 'ES256', use: 'sig' }] },
  ttl: {
    AccessToken: CONSOLE_JWT_SECONDS,
    AuthorizationCode: 60,
    ClientCredentials: JWT_LIFETIME_SECONDS,
    Grant: JWT_LIFETIME_SECONDS,
    IdToken: (_context, _token, { clientId }) =>
      clientId === AGENT_CLIENT_ID ? AGENT_ID_TOKEN_SECONDS : CONSOLE_JWT_SECONDS,
    Interaction: SIGN_IN_SECONDS,
    RefreshToken: JWT_LIFETIME_SECONDS,
    Session: JWT_LIFETIME_SECONDS,
  },
})

/** Answers only requests for its port on the loopback interface. */
export const makeIdentityProvider = async (options: ProviderOptions): Promise<RequestListener> => {
  const { default: Provider, errors } = await loadOidcProvider()
  const provider = new Provider(issuerAt(options.port), configure(options, errors))
  await registerIdJags(provider, { audience: options.baseUrl, privateJwk: options.privateJwk }, errors)
  const answer = provider.callback()
  const rest: RequestListener = (request, response) => void answer(request, response)
  return answerOnlyTo(loopbackHosts(options.port), withSignInPage(provider, rest))
}
