// Reads an identity provider's key set: at the address configured, or at the one that its metadata names.
import { isJsonObject } from '../../../../packages/verify/src/readers/json.ts'
import type { ReadingFailure } from '../../ports/key-sets.ts'
import type { Timing } from '../../ports/timing.ts'
import { fetchJson, type Fetch, type Fetched, wrongAnswer } from './fetch-json.ts'
import { bareMembersOf } from './provider-key.ts'

/** Keys of one set: large issuers have about ten. */
const KEYS_IN_SET_MAX = 64
/** Metadata is asked for again when it is older, so that a provider may move its key set. */
export const METADATA_MILLISECONDS_MAX = 600_000

/** The keys of the set, each reduced to the members that are used. Whether a key is strong is checked where it is used. */
export type KeySetReading = { readonly jwks: readonly unknown[] } | { readonly failure: ReadingFailure }

type KeySetSource = {
  readonly issuer: string
  /** Undefined where the provider's metadata names it. */
  readonly jwksUri: string | undefined
  readonly fetch: Fetch
  readonly monotonicNow: () => number
  readonly timing: Pick<Timing, 'keyReadingMs'>
}

/** The addresses of an issuer's metadata: OpenID Connect Discovery 1.0 §4, then RFC 8414 §3.1. */
const metadataAddresses = (issuer: string): readonly [string, string] => {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  return [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ]
}

const fetchMetadata = async ({ issuer, fetch }: KeySetSource, signal: AbortSignal): Promise<Fetched> => {
  const [first, second] = metadataAddresses(issuer)
  const fetched = await fetchJson(fetch, first, signal)
  if (!('failure' in fetched) || fetched.status === undefined) return fetched
  const fetchedSecond = await fetchJson(fetch, second, signal)
  return 'failure' in fetchedSecond ? fetched : fetchedSecond
}

const NAMED_CHARACTERS_MAX = 512

/** Metadata that names another issuer. What it names is for its administrator alone: an address of ours could answer anything. */
const namesAnother = (issuer: unknown): { readonly failure: ReadingFailure } => {
  const cause = 'its metadata names another issuer'
  const named = typeof issuer === 'string' ? issuer.slice(0, NAMED_CHARACTERS_MAX) : null
  return { failure: { cause, detail: named === null ? cause : `${cause}: ${JSON.stringify(named)}`, named } }
}

const ofMetadata = (cause: string): { readonly failure: ReadingFailure } => ({ failure: { cause, detail: cause } })

const discover = async (
  source: KeySetSource,
  signal: AbortSignal,
): Promise<string | { readonly failure: ReadingFailure }> => {
  const fetched = await fetchMetadata(source, signal)
  if ('failure' in fetched) return fetched
  const { issuer, jwks_uri: jwksUri } = isJsonObject(fetched.value) ? fetched.value : {}
  // RFC 8414 §3.3: compared exactly, or the keys of one tenant could sign tokens of another.
  if (issuer !== source.issuer) return namesAnother(issuer)
  return typeof jwksUri === 'string' ? jwksUri : ofMetadata('its metadata names no jwks_uri')
}

const readKeys = async ({ fetch }: KeySetSource, address: string, signal: AbortSignal): Promise<KeySetReading> => {
  const fetched = await fetchJson(fetch, address, signal)
  if ('failure' in fetched) return fetched
  const { keys } = isJsonObject(fetched.value) ? fetched.value : {}
  if (!Array.isArray(keys)) return { failure: wrongAnswer(address, 'something other than a key set') }
  if (keys.length > KEYS_IN_SET_MAX) {
    const answered = `a set of ${keys.length} keys, and at most ${KEYS_IN_SET_MAX} are taken`
    return { failure: wrongAnswer(address, answered) }
  }
  return { jwks: keys.map(bareMembersOf) }
}

/** Returns a function that reads the set each time it is called; a failure is returned, with its reason. */
export const makeKeySetReader = (source: KeySetSource): (() => Promise<KeySetReading>) => {
  let discovered: { readonly address: string; readonly at: number } | undefined
  const address = async (signal: AbortSignal): Promise<string | { readonly failure: ReadingFailure }> => {
    if (source.jwksUri !== undefined) return source.jwksUri
    const now = source.monotonicNow()
    if (discovered !== undefined && now - discovered.at < METADATA_MILLISECONDS_MAX) return discovered.address
    const found = await discover(source, signal)
    if (typeof found === 'string') discovered = { address: found, at: now }
    return found
  }
  return async () => {
    const signal = AbortSignal.timeout(source.timing.keyReadingMs)
    const found = await address(signal)
    if (typeof found !== 'string') return found
    const reading = await readKeys(source, found, signal)
    // A set that is not where it was may have moved.
    if ('failure' in reading) discovered = undefined
    return reading
  }
}
