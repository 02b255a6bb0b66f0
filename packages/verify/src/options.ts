// The options of a verifier, checked once: a mistake is an error that names it, and never a verifier that accepts more.
import { ALGORITHMS, type Algorithm, isAlgorithm } from './tokens/key-set.ts'
import { isBaseAddress, isProtected, lacksHost } from './readers/web-address.ts'
import type { Refused } from './refusals.ts'
import type { ProofMemory } from './proofs/replays.ts'
import type { Fetch } from './wire/http.ts'
import { isFilledList, isFunction, isNumberOf, isOneOf, isText, type Kind, takeMembers } from './wire/option-members.ts'
import type { Mode, Status, Verified } from './verifier.ts'

/** Nobody waits for what it returns, and a promise may reject. */
export type Hook<T> = (value: T) => unknown

/** Called beside the work, for metrics and logs: what a hook throws or rejects with is reported to `failed`, and changes nothing. */
export type Hooks = {
  readonly verified?: Hook<Verified>
  readonly refused?: Hook<Refused>
  /** The feed moved, or its position was confirmed. */
  readonly changed?: Hook<Status>
  /** A problem in the background, or a call to the service that failed. Never holds a token, a secret or a key. */
  readonly failed?: Hook<string>
}

export type VerifierOptions = {
  /** The base URL of the service, exactly as in `iss`: `https`, or `http` on loopback. */
  readonly issuer: string
  /** What `aud` must hold: one of these, each exactly. The first is the resource of the metadata (RFC 9728). */
  readonly audience: string | readonly string[]
  /** An API key with the permission `tokens:introspect`. Modes `feed` and `introspect` need it. */
  readonly apiKey?: string
  /** The mode, `feed` by default. */
  readonly mode?: Mode
  /** The seconds of staleness beyond which the feed alone accepts nothing: 5 by default, from 0.2 to 3600. No answer of
   * introspection is older. */
  readonly maxStaleness?: number
  /** What is done then, and where the feed holds a fact that this version cannot compare. `introspect` unless given. */
  readonly whenStale?: 'introspect' | 'refuse'
  /** The algorithms that are accepted; all of the service unless given. */
  readonly algorithms?: readonly Algorithm[]
  /** Keys older than so many seconds are not believed while the service does not answer. 3600 unless given. */
  readonly maxKeyAge?: number
  /** The address of this server's protected resource metadata; derived from the first audience unless given. */
  readonly resourceMetadata?: string
  /** The memory of proofs that were used (RFC 9449 §11.1): shared by all processes of a service, if there are several. */
  readonly proofs?: ProofMemory
  /** Accepts `http` beyond loopback, in a network where nobody else can answer for the service. */
  readonly insecure?: 'http'
  /**
   * How operators see this verifier: 1 to 100 characters, one of its own for each process, such as host name and process number. In mode `feed`
   * it reports to the service how far it is, and how many tokens of which agents it accepted; without a name it reports nothing.
   */
  readonly name?: string
  /** A `fetch` in place of the runtime's. */
  readonly fetch?: Fetch
  readonly hooks?: Hooks
}

export type Settings = {
  readonly issuer: string
  readonly audiences: readonly string[]
  readonly apiKey: string
  readonly mode: Mode
  readonly maxStalenessMs: number
  readonly whenStale: 'introspect' | 'refuse'
  readonly algorithms: ReadonlySet<string>
  readonly keyAgeMsMax: number
  readonly resourceMetadata: string | undefined
  readonly name: string | undefined
  readonly fetch: Fetch
  readonly hooks: Hooks
  readonly proofs: ProofMemory | undefined
}

/** The bounds of `maxStaleness` in seconds. */
export const STALENESS_MIN = 0.2
export const STALENESS_MAX = 3600
const STALENESS_USUAL = 5
/** The bounds of `maxKeyAge` in seconds. */
export const KEY_AGE_MIN = 1
export const KEY_AGE_MAX = 86_400
export const KEY_AGE_USUAL = 3600

const isAnything = (): true => true

/** Those with a message of their own are checked by it. */
const KINDS: Record<keyof VerifierOptions, Kind> = {
  issuer: isAnything,
  audience: isAnything,
  apiKey: isText,
  mode: isOneOf('feed', 'offline', 'introspect'),
  maxStaleness: isNumberOf('seconds', STALENESS_MIN, STALENESS_MAX),
  whenStale: isOneOf('introspect', 'refuse'),
  algorithms: value =>
    (Array.isArray(value) && value.length > 0 && value.every(isAlgorithm)) ||
    `a list of some of: ${ALGORITHMS.join(', ')}`,
  maxKeyAge: isNumberOf('seconds', KEY_AGE_MIN, KEY_AGE_MAX),
  resourceMetadata: isText,
  proofs: isFunction,
  insecure: isOneOf('http'),
  name: value => isVerifierName(value) || '1 to 100 printable characters of ASCII, without spaces around',
  fetch: isFunction,
  hooks: isAnything,
}

const HOOK_KINDS: Record<keyof Hooks, Kind> = {
  verified: isFunction,
  refused: isFunction,
  changed: isFunction,
  failed: isFunction,
}

const NAME = /^(?! )[\u0020-\u007e]{1,100}(?<! )$/

/** How operators see a verifier. */
export const isVerifierName = (name: unknown): name is string => typeof name === 'string' && NAME.test(name)

const fail = (what: string): never => {
  throw new TypeError(`createVerifier: ${what}`)
}

const parseIssuer = ({ issuer, insecure }: VerifierOptions): string => {
  const url = typeof issuer === 'string' ? URL.parse(issuer) : null
  if (url === null || lacksHost(issuer)) {
    return fail('issuer is not a URL. Give the base URL of the service, such as https://tokens.example.com.')
  }
  const { protocol, username, password } = url
  // What fails says the whole address, in a log too.
  if (username !== '' || password !== '') return fail('issuer holds a user name or a password. Give the URL without.')
  if (issuer.endsWith('/') || !isBaseAddress(issuer)) {
    return fail(
      'issuer ends with a slash, or has a query, a fragment, a space or a backslash. Give it exactly as the service states it in iss.',
    )
  }
  return isProtected(url) || (protocol === 'http:' && insecure === 'http')
    ? issuer
    : fail('issuer is not https. Over http anybody on the way could replace the keys; only loopback is allowed.')
}

const parseAudiences = ({ audience }: VerifierOptions): readonly string[] => {
  const given = typeof audience === 'string' ? [audience] : audience
  return isFilledList(given)
    ? given
    : fail('audience is missing. Give the URI that tokens for this server carry in aud.')
}

/** Whether a header can carry it as it is. */
export const isApiKey = (text: string): boolean => /^[\u0021-\u007e]+$/.test(text)

const parseApiKey = ({ apiKey = '' }: VerifierOptions, mode: Mode, whenStale: string): string => {
  const isNeeded = mode !== 'offline'
  if (isNeeded && apiKey === '') {
    return fail(
      `apiKey is missing. Mode ${mode} (${whenStale} when stale) needs one with the permission tokens:introspect.`,
    )
  }
  return apiKey === '' || isApiKey(apiKey) ? apiKey : fail('apiKey holds a character that no API key has.')
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/** Returns the URL of a resource's metadata, whose suffix comes before the path (RFC 9728 §3.1). Undefined if it is no https or http URL. */
export const metadataAddress = (resource: string): string | undefined => {
  if (!URL.canParse(resource)) return undefined
  const { protocol, origin, pathname, search } = new URL(resource)
  if (protocol !== 'https:' && protocol !== 'http:') return undefined
  return `${origin}${WELL_KNOWN}${pathname === '/' ? '' : pathname}${search}`
}

const parseMetadataAddress = (given: string | undefined, [resource = '']: readonly string[]): string | undefined => {
  if (given === undefined) return metadataAddress(resource)
  return URL.canParse(given) ? new URL(given).href : fail('resourceMetadata is not a URL.')
}

/** Throws `TypeError` for the first option that is not as it should be. */
export const parseOptions = (given: VerifierOptions): Settings => {
  const options = takeMembers<VerifierOptions>('createVerifier', given, KINDS)
  const { hooks = {}, mode = 'feed', whenStale = 'introspect', algorithms = ALGORITHMS } = options
  const audiences = parseAudiences(options)
  return {
    issuer: parseIssuer(options),
    audiences,
    apiKey: parseApiKey(options, mode, whenStale),
    mode,
    maxStalenessMs: (options.maxStaleness ?? STALENESS_USUAL) * 1000,
    whenStale,
    algorithms: new Set(algorithms),
    keyAgeMsMax: (options.maxKeyAge ?? KEY_AGE_USUAL) * 1000,
    resourceMetadata: parseMetadataAddress(options.resourceMetadata, audiences),
    name: options.name,
    // Called as a function of its own: workerd refuses `fetch` as a method of another object.
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    hooks: takeMembers<Hooks>('createVerifier: hooks', hooks, HOOK_KINDS),
    proofs: options.proofs,
  }
}
