// Trusted issuers as the network knows them: their metadata, the state of their keys, and their JWTs (RFC 7519, RFC 8725).
// The record comes first, by its exact issuer: then only its keys and its algorithms are looked at.
import type { TrustedIssuer } from '../../domain/clients/trusted-issuer.ts'
import { Unavailable } from '../../domain/refusal.ts'
import { FOREIGN_TYPES } from '../../domain/clients/foreign-jwt.ts'
import { GLOBAL_REVOCATION_TYPE } from '../../domain/clients/global-revocation.ts'
import type { ForeignIssuers, IssuerMetadata, UnverifiedJwt } from '../../ports/issuers.ts'
import type { KeySetPlace } from '../../ports/key-sets.ts'
import { type Metrics, NO_METRICS } from '../../ports/metrics.ts'
import { measureWaits } from '../../ports/work-waits.ts'
import { cache } from '../cache.ts'
import { bareType, readCompactJws } from '../verify-signature.ts'
import { type FetchedKeysOptions, makeFetchedKeys } from './fetched-keys.ts'
import { makeKeySetCheck } from './key-set-check.ts'
import { PLACES_MAX } from './key-sets.ts'
import { makeRepeatedSignatureCheck } from './provider-key-cache.ts'
import { parseProviderAlgorithm, permits, pickKey, type ProviderAlgorithm } from './provider-key.ts'
import { makeVerificationQueue } from './verification-queue.ts'

export type ForeignIssuersOptions = FetchedKeysOptions & { readonly metrics?: Metrics }

type Place = Pick<TrustedIssuer, 'issuer' | 'jwksUri'>

const placeOf = ({ issuer, jwksUri }: Place): KeySetPlace => ({ of: 'issuer', issuer, jwksUri })

const makeDiscover =
  ({ keySets }: FetchedKeysOptions) =>
  async (issuer: string): Promise<IssuerMetadata> => {
    try {
      const { failure } = await keySets.latest(placeOf({ issuer, jwksUri: null }), -Infinity)
      if (failure === null) return 'as_written'
      return failure.named === undefined ? 'unreachable' : { named: failure.named }
    } catch (fault) {
      if (fault instanceof Unavailable) return 'unreachable'
      throw fault
    }
  }

/** One check for each place and list of algorithms: a changed record has another. */
const makeCheck = ({ keySets, monotonicNow }: FetchedKeysOptions): ForeignIssuers['check'] => {
  const checks = cache(PLACES_MAX, key => {
    const [issuer, jwksUri, algorithms] = JSON.parse(key) as readonly [string, string | null, ProviderAlgorithm[]]
    return makeKeySetCheck({ place: placeOf({ issuer, jwksUri }), algorithms, keySets, monotonicNow })
  })
  return issuers =>
    Promise.all(
      issuers.map(async ({ alias, issuer, jwksUri, algorithms }) => ({
        ...(await checks(JSON.stringify([issuer, jwksUri, algorithms]))()),
        alias,
      })),
    )
}

const CROWDED = 'More JWTs wait for the keys of trusted issuers than are taken.'

type SignatureCheck = ReturnType<typeof makeRepeatedSignatureCheck>

/** Reads JWTs of these types alone. Those of one reader wait for keys together, and for those of no other. */
const makeRead = <const Type extends string>(
  options: ForeignIssuersOptions,
  isSignedWith: SignatureCheck,
  types: readonly Type[],
) => {
  const findKeys = makeFetchedKeys('issuer', options, CROWDED)
  return (text: string): UnverifiedJwt<Type> | { readonly wrong: string } => {
    const jws = readCompactJws(text)
    if (jws === undefined) return { wrong: 'it is not a compact JWS in its canonical form' }
    const { typ, alg, kid } = jws.header
    const algorithm = parseProviderAlgorithm(alg)
    if (algorithm === undefined) return { wrong: 'alg is not in the list' }
    if (kid !== undefined && typeof kid !== 'string') return { wrong: 'kid is not a string' }
    const type = types.find(one => one === bareType(typ))
    if (typ !== undefined && type === undefined) return { wrong: 'typ is that of another kind of JWT' }
    const verify: UnverifiedJwt['verify'] = async ({ issuer, jwksUri, algorithms }, source) => {
      if (jws.payload['iss'] !== issuer) return 'iss is not that of the record'
      if (!algorithms.includes(algorithm)) return 'alg is not in the list'
      const fitting = await findKeys({ issuer, jwksUri }, candidate => permits(candidate, algorithm, kid))
      const picked = pickKey(fitting, 'the issuer')
      if ('wrong' in picked) return picked.wrong
      return (await isSignedWith(jws, algorithm, picked.key, source)) ? null : 'the signature does not verify'
    }
    return { typ: type, claims: jws.payload, verify }
  }
}

export const makeForeignIssuers = (options: ForeignIssuersOptions): ForeignIssuers => {
  const { metrics = NO_METRICS } = options
  const queue = makeVerificationQueue(undefined, measureWaits(metrics, 'issuer_signatures'))
  const isSignedWith = makeRepeatedSignatureCheck(queue)
  return {
    discover: makeDiscover(options),
    check: makeCheck(options),
    read: makeRead(options, isSignedWith, FOREIGN_TYPES),
    readRevocation: makeRead(options, isSignedWith, [GLOBAL_REVOCATION_TYPE]),
  }
}
