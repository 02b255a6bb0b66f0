// Where an agent gets its tokens: configured once, asked before every use.
import { isScopeItem } from '../../../verify/src/readers/scope.ts'
import {
  definite,
  isFilledText,
  isFilledTextList,
  isFlag,
  isFunction,
  isOneOf,
  isSignal,
  isText,
  isWholeNumber,
  type Kind,
  onlyOne,
  takeMembers,
} from '../../../verify/src/wire/option-members.ts'
import type { Fetch } from '../wire/answer.ts'
import { checkAddress, checkBaseAddress } from '../wire/web-address.ts'
import { type AccessToken, isTokenText } from './access-token.ts'
import { credentialOf, type CredentialOptions } from './client-authentication.ts'
import { makeProver } from './dpop.ts'
import { makeEndpointFinder } from './metadata.ts'
import { isPrivateKey } from './private-key.ts'
import { givenBy, RECEIVED_KINDS, type ReceivedOptions } from './received-tokens.ts'
import { makeResourceFetch } from './resource-fetch.ts'
import { makeTokenCache, type World } from './token-cache.ts'
import { type Grant, requestToken } from './token-request.ts'

const REQUEST_MS_DEFAULT = 10_000
const REQUEST_MS_MAX = 300_000

/**
 * Exactly one credential is given: `clientSecret`, `clientSecretFile`, `privateKey`, `privateKeyFile`, `workloadTokenFile` or
 * `clientCertificate`. A file is read anew for each token, so replacing it is enough.
 */
export type TokenSourceOptions = CredentialOptions &
  ReceivedOptions & {
    /** The base URL of the service. The token endpoint is read from its metadata, whose issuer must be this (RFC 8414 §3.3). */
    readonly issuer?: string | undefined
    /** The token endpoint in place of that in the metadata. With a private key give `issuer` too: it is the audience of the assertions. */
    readonly tokenEndpoint?: string | undefined
    /** Needed with every credential but `workloadTokenFile`. */
    readonly clientId?: string | undefined
    /** The place of the secret in the request: `client_secret_post` by default, or `client_secret_basic` (RFC 6749 §2.3.1). */
    readonly clientSecretMethod?: CredentialOptions['clientSecretMethod']
    /** What the token is for (RFC 8707), one URI at least. It may be left out, and not undefined: that would ask for the agent's default. */
    readonly resource?: string | readonly string[]
    /** Items such as `db:read`, one at least. It may be left out, and not undefined: that would ask for the agent's default scope. */
    readonly scopes?: readonly string[]
    /** Binds tokens to a key that this source makes and keeps (RFC 9449); send them by its `fetch`. */
    readonly dpop?: boolean | undefined
    /** A `fetch` for all requests in place of the global one: with a proxy, or with a client certificate. */
    readonly fetch?: Fetch | undefined
    /** The deadline of a whole response of the token endpoint, of the metadata, and of each function of an option: 10 s by default, 300 s at most. */
    readonly timeoutMs?: number | undefined
    /** Hears why a refresh failed for which nobody waited: the token before it is still valid. */
    readonly onRefreshFailure?: ((error: unknown) => void | Promise<void>) | undefined
    /** Lets tokens and secrets go over http to other machines: for a network that protects them by itself. */
    readonly allowInsecureRequests?: boolean | undefined
  }

export type TokenSource = {
  /**
   * A token that is valid for now, from memory where there is one. Throws `TokenRefused`, `TokenUnavailable`, what the
   * function of an option throws, or the reason of the signal; the request that others wait for goes on.
   */
  readonly getToken: (options?: { readonly signal?: AbortSignal | undefined }) => Promise<AccessToken>
  /** The next `getToken` fetches another one, if this is the current one: a resource server refused it. Throws a TypeError for what is no token. */
  readonly invalidate: (token: AccessToken | string) => void
  /**
   * Like the global `fetch`, with the token in `Authorization`, and a proof where it is bound. After a 401 it gets a new token and
   * repeats the request once, where its body can be sent again; at most one new token in 10 s. With `dpop` it follows up to 5
   * redirects, each with a proof of its own, and beyond the first origin without the token; it throws a TypeError for one that
   * leaves https, that would repeat a stream, or that the runtime does not show, as in a browser. Without `dpop`, and with
   * `redirect: 'manual'` or `'error'`, redirects are as with `fetch`.
   */
  readonly fetch: Fetch
}

const realWorld: World = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  random: () => Math.random(),
}

const isResource = definite(
  value =>
    isFilledText(value) === true ||
    isFilledTextList(value) === true ||
    'a string that is not empty, or an array of at least one such string',
)

const KINDS = {
  issuer: isText,
  tokenEndpoint: isText,
  clientId: isFilledText,
  clientSecret: isText,
  clientSecretFile: isFilledText,
  clientSecretMethod: isOneOf('client_secret_post', 'client_secret_basic'),
  privateKey: isPrivateKey,
  privateKeyFile: isFilledText,
  workloadTokenFile: isFilledText,
  clientCertificate: isFlag,
  resource: isResource,
  scopes: definite(value => isFilledTextList(value)),
  ...RECEIVED_KINDS,
  dpop: isFlag,
  fetch: isFunction,
  timeoutMs: isWholeNumber(1, REQUEST_MS_MAX),
  onRefreshFailure: isFunction,
  allowInsecureRequests: isFlag,
} as const satisfies Readonly<Record<keyof TokenSourceOptions, Kind>>

const grantOf = (options: TokenSourceOptions, timeoutMs: number): Grant => {
  const { resource = [], scopes } = options
  const wrong = scopes?.find(item => !isScopeItem(item))
  if (wrong !== undefined) {
    throw new TypeError(`scopes holds ${JSON.stringify(wrong)}; expected one item such as db:read in each place.`)
  }
  const resources = typeof resource === 'string' ? [resource] : resource
  return { resources, scope: scopes?.join(' '), read: givenBy(options, timeoutMs) }
}

const takeOptions = (given: TokenSourceOptions): TokenSourceOptions => {
  const options = takeMembers<TokenSourceOptions>('createTokenSource', given, KINDS)
  const { issuer, tokenEndpoint, clientId, workloadTokenFile, allowInsecureRequests = false } = options
  if (issuer === undefined && tokenEndpoint === undefined) {
    throw new TypeError('Neither issuer nor tokenEndpoint is given; expected one of them.')
  }
  if (issuer !== undefined) checkBaseAddress(issuer, 'issuer', allowInsecureRequests)
  if (tokenEndpoint !== undefined) checkAddress(tokenEndpoint, 'tokenEndpoint', allowInsecureRequests)
  if (clientId === undefined && workloadTokenFile === undefined) {
    throw new TypeError('clientId is missing; only with workloadTokenFile it may be.')
  }
  return options
}

/** Work that nobody waits for must not end the process, whatever the caller's function throws, or rejects with later. */
const quietly =
  (report: NonNullable<TokenSourceOptions['onRefreshFailure']>) =>
  async (error: unknown): Promise<void> => {
    try {
      await report(error)
    } catch {
      // Its own fault has nowhere to go.
    }
  }

type Asked = Parameters<TokenSource['getToken']>

const signalOf = (asked: Asked): AbortSignal | undefined => {
  const options = onlyOne('getToken', asked)
  const kinds = { signal: isSignal }
  return takeMembers<NonNullable<Asked[0]>>('getToken', options === undefined ? {} : options, kinds).signal
}

const textOf = (token: unknown): string => {
  const text: unknown = typeof token === 'object' && token !== null && 'value' in token ? token.value : token
  if (isTokenText(text)) return text
  throw new TypeError('invalidate: the argument is not an AccessToken, or the text of one.')
}

/** Makes a token source with the given clocks, which tests set. */
export const makeTokenSource = (given: TokenSourceOptions, world: World): TokenSource => {
  const options = takeOptions(given)
  const {
    issuer,
    tokenEndpoint,
    clientId,
    dpop = false,
    timeoutMs = REQUEST_MS_DEFAULT,
    onRefreshFailure = () => undefined,
  } = options
  // Looked up at each call: instrumentation replaces it.
  const fetch: Fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init))
  const how = { fetch, timeoutMs }
  const credential = credentialOf(options)
  const isInsecureAllowed = options.allowInsecureRequests ?? false
  const hasCertificate = credential.kind === 'certificate'
  const wanted = { issuer, tokenEndpoint, hasCertificate, isInsecureAllowed }
  const findEndpoint = makeEndpointFinder(wanted, how, world.monotonicMs)
  const prover = dpop ? makeProver() : undefined
  const request = { grant: grantOf(options, timeoutMs), clientId, credential, prover, findEndpoint, how, world }
  const cache = makeTokenCache({
    world,
    request: () => requestToken(request),
    onRefreshFailure: quietly(onRefreshFailure),
  })
  return {
    getToken: async (...asked) => cache.get(signalOf(asked)),
    invalidate: (...token) => cache.drop(textOf(onlyOne('invalidate', token))),
    fetch: makeResourceFetch({ cache, prover, fetch, world, isInsecureAllowed }),
  }
}

/**
 * Makes a source of access tokens. One serves a whole process: it asks for a token when one is needed, keeps it until 70 to 85 %
 * of its life, and replaces it by one request for all that wait. Throws a TypeError where an option is wrong.
 */
export const createTokenSource = (...options: readonly [options: TokenSourceOptions]): TokenSource =>
  makeTokenSource(onlyOne('createTokenSource', options), realWorld)
