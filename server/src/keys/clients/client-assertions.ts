// Client assertions (RFC 7523 §3): read strictly, and verified off the event loop with a key that was registered for it.
// No claim or header of an assertion chooses an address, a key that is not registered, or an algorithm beyond the list.
import { ASSERTION_ALGORITHMS } from '../../../../api/values/algorithms.ts'
import type { KeyPlace } from '../../domain/clients/client-trust.ts'
import { NO_METRICS } from '../../ports/metrics.ts'
import { measureWaits } from '../../ports/work-waits.ts'
import type { ClientAssertions, UnverifiedAssertion } from '../../ports/client-keys.ts'
import { type ClientKeysOptions, type FindKeys, makeClientKeys } from './client-keys.ts'
import { type CompactJws, readCompactJws } from '../tokens/compact-jws.ts'
import { parseProviderAlgorithm, permits, pickKey, type ProviderAlgorithm } from '../providers/provider-key.ts'
import { makeRepeatedSignatureCheck, makeSignatureCheck, type SignatureCheck } from '../providers/provider-signature.ts'
import { readRegisteredKeys } from './registered-keys.ts'
import { makeVerificationQueue } from '../providers/verification-queue.ts'

// `client-authentication+jwt` is what RFC 7523's revision asks for. Anything else is a JWT for another purpose: an access
// token, a DPoP proof, a security event (RFC 8725 §3.11).
const ACCEPTED_TYPES: readonly unknown[] = [undefined, 'jwt', 'jose', 'client-authentication+jwt']

const isAcceptedType = (typ: unknown): boolean =>
  ACCEPTED_TYPES.includes(typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : typ)

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
    if (!isAcceptedType(typ)) return { wrong: 'typ is that of another kind of JWT' }
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
