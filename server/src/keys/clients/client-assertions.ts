// Client assertions (RFC 7523 §3): read strictly, and verified off the event loop with a key that was registered for it.
// No claim or header of an assertion chooses an address, a key that is not registered, or an algorithm beyond the list.
import { ASSERTION_ALGORITHMS } from '../../../../api/values/algorithms.ts'
import type { KeyPlace, RegisteredJwk } from '../../domain/clients/client-trust.ts'
import { NO_METRICS, type Metrics } from '../../ports/metrics.ts'
import { measureWaits } from '../../ports/work-waits.ts'
import type { ClientAssertions, UnverifiedAssertion } from '../../ports/client-keys.ts'
import { bareType, type CompactJws, readCompactJws } from '../verify-signature.ts'
import {
  parseProviderAlgorithm,
  permits,
  pickKey,
  type ProviderAlgorithm,
  parseMemberKey,
  type ProviderKey,
} from '../providers/provider-key.ts'
import { makeRepeatedSignatureCheck, makeSignatureCheck, type SignatureCheck } from '../providers/provider-key-cache.ts'
import { type FetchedKeysOptions, makeFetchedKeys } from '../providers/fetched-keys.ts'
import { readRegisteredKeys } from './registered-keys.ts'
import { makeVerificationQueue } from '../providers/verification-queue.ts'
import { PLACES_MAX } from '../providers/key-sets.ts'
import { cache } from '../cache.ts'

// The keys that client assertions are verified with: registered ones, and ones at an address, which are cached.

type ClientKeysOptions = FetchedKeysOptions & { readonly metrics?: Metrics }

type FindKeys = (place: KeyPlace, fits: (key: ProviderKey) => boolean) => Promise<readonly ProviderKey[]>

const parseKeys = (json: string): readonly ProviderKey[] =>
  (JSON.parse(json) as readonly RegisteredJwk[]).map(jwk => parseMemberKey(jwk)).filter(key => key !== undefined)

const CROWDED = 'More client assertions wait for the keys of their clients than are taken.'

/** Throws Unavailable where the keys at an address cannot be read, or too many requests already wait for them. */
export const makeClientKeys = ({ keySets, monotonicNow, timing }: ClientKeysOptions): FindKeys => {
  const registered = cache(PLACES_MAX, parseKeys)
  const findFetched = makeFetchedKeys('client', { keySets, monotonicNow, timing }, CROWDED)
  return async ({ jwks, jwksUri, issuer }, fits) =>
    jwks === null
      ? findFetched({ issuer: issuer ?? jwksUri ?? '', jwksUri }, fits)
      : registered(JSON.stringify(jwks)).filter(fits)
}

// `client-authentication+jwt` is what RFC 7523's revision asks for. Anything else is a JWT for another purpose: an access
// token, a DPoP proof, a security event (RFC 8725 §3.11).
const ACCEPTED_TYPES: readonly unknown[] = [undefined, 'jwt', 'jose', 'client-authentication+jwt']

type Means = { readonly findKeys: FindKeys; readonly once: SignatureCheck; readonly repeated: SignatureCheck }

const makeVerify =
  ({ findKeys, once, repeated }: Means, jws: CompactJws, algorithm: ProviderAlgorithm, kid: string | undefined) =>
  async (place: KeyPlace, source: string): Promise<string | null> => {
    const picked = pickKey(await findKeys(place, candidate => permits(candidate, algorithm, kid)), 'the client')
    if ('wrong' in picked) return picked.wrong
    // A client signs each assertion for one use; a workload sends the token of its issuer until that expires.
    const isSignedWith = place.issuer === null ? once : repeated
    return (await isSignedWith(jws, algorithm, picked.key, source)) ? null : 'the signature does not verify'
  }

const makeReader =
  (means: Means) =>
  (text: string): UnverifiedAssertion | { readonly wrong: string } => {
    const jws = readCompactJws(text)
    if (jws === undefined) return { wrong: 'it is not a compact JWS in its canonical form' }
    const { typ, alg, kid } = jws.header
    if (!ACCEPTED_TYPES.includes(bareType(typ))) return { wrong: 'typ is that of another kind of JWT' }
    const algorithm = ASSERTION_ALGORITHMS.some(name => name === alg) ? parseProviderAlgorithm(alg) : undefined
    if (algorithm === undefined) return { wrong: 'alg is not in the list' }
    if (kid !== undefined && typeof kid !== 'string') return { wrong: 'kid is not a string' }
    return { claims: jws.payload, verify: makeVerify(means, jws, algorithm, kid) }
  }

export const makeClientAssertions = (options: ClientKeysOptions): ClientAssertions => {
  const { metrics = NO_METRICS } = options
  const queue = makeVerificationQueue(undefined, measureWaits(metrics, 'client_signatures'))
  const checks = { once: makeSignatureCheck(queue), repeated: makeRepeatedSignatureCheck(queue) }
  return { read: makeReader({ findKeys: makeClientKeys(options), ...checks }), readKeys: readRegisteredKeys }
}
