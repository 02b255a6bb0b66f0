// Operators, recognized by a JWT of one of the configured identity providers (RFC 7519, RFC 8725).
// Order: form, issuer, claims, then keys. Nothing that a token says chooses an address or an algorithm beyond the list.
import { type Metrics, NO_METRICS } from '../../ports/metrics.ts'
import { measureWaits } from '../../ports/work-waits.ts'
import type { KeyObject } from 'node:crypto'
import { bindingFault, type OperatorCaller } from '../../domain/caller.ts'
import { SKEW_SECONDS, timeFault } from '../../domain/clients/foreign-claims.ts'
import { isStorable, trimCharacters } from '../../domain/text/text.ts'
import type { MonotonicMilliseconds } from '../../../../api/values/time.ts'
import type { KeySets, Operators, ProviderState } from '../../ports/key-sets.ts'
import type { Timing } from '../../ports/timing.ts'
import { type JsonObject, isJsonObject } from '../../../../packages/verify/src/readers/json.ts'
import { bareType, readCompactJws, type CompactJws } from '../verify-signature.ts'
import { isProviderAddress } from '../../../../packages/verify/src/readers/web-address.ts'
import {
  makeProviderKeyCache,
  type ProviderKeyCache,
  makeRepeatedSignatureCheck,
  type SignatureCheck,
} from './provider-key-cache.ts'
import { makeKeySetCheck } from './key-set-check.ts'
import { parseProviderAlgorithm, permits, pickKey, type ProviderAlgorithm } from './provider-key.ts'
import { makeVerificationQueue } from './verification-queue.ts'
import { ROLES, type Role } from '../../../../api/values/access.ts'

// The role that an identity provider's JWT gives an operator.

type RoleMapping = {
  /** A claim's name, or a path of names joined by dots. */
  readonly roleClaim: string
  /** The provider's value for a role, to ours. */
  readonly roles: Readonly<Record<string, Role>>
  /** What a claim that is a string is split at. */
  readonly roleSeparator: keyof typeof SPLIT
}

// At these characters only: other white space is part of a value, as RFC 6749 §3.3 has it for `scope`.
const SPLIT = {
  none: (claim: string) => [claim],
  space: (claim: string) => claim.split(' '),
  comma: (claim: string) => claim.split(',').map(value => trimCharacters(value, ' ')),
} as const

const member = (value: unknown, name: string): unknown =>
  isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

/** The exact name goes first: some providers' claims are named by an address, which holds dots. */
const claimAt = (payload: JsonObject, path: string): unknown =>
  Object.hasOwn(payload, path) ? payload[path] : path.split('.').reduce<unknown>(member, payload)

/**
 * A string is one value unless the provider is known to write lists so: a role that users name themselves, `x mintmark-admin`,
 * would else make an administrator. Members of an array are never split.
 */
const valuesOf = (claim: unknown, separator: RoleMapping['roleSeparator']): readonly unknown[] => {
  if (typeof claim === 'string') return SPLIT[separator](claim)
  return Array.isArray(claim) ? claim : []
}

/** The highest role in the claim; null where it holds none. */
export const operatorRole = (payload: JsonObject, mapping: RoleMapping): Role | null => {
  const { roleClaim, roles, roleSeparator } = mapping
  const values = valuesOf(claimAt(payload, roleClaim), roleSeparator).filter(value => typeof value === 'string')
  const given = new Set(values.map(value => (Object.hasOwn(roles, value) ? roles[value] : undefined)))
  return ROLES.findLast(role => given.has(role)) ?? null
}

const SUB_CHARACTERS_MAX = 255
// ID tokens and access tokens of providers carry one of these, or none. Anything else is a JWT for another purpose:
// a logout token, a security event, a DPoP proof (RFC 8725 §3.11).
const ACCEPTED_TYPES: readonly unknown[] = [undefined, 'jwt', 'at+jwt']

export type IdentityProvider = RoleMapping & {
  /** Compared with `iss` as it is written. */
  readonly issuer: string
  readonly audience: string
  /** Undefined where the provider's metadata names it. */
  readonly jwksUri?: string | undefined
  readonly algorithms: readonly ProviderAlgorithm[]
}

export type OperatorsOptions = {
  readonly providers: readonly IdentityProvider[]
  /** Ours. No provider may have it: our own access tokens name agents, not operators. */
  readonly ownIssuer: string
  readonly keySets: KeySets
  /** The clock, in milliseconds. */
  readonly now: () => number
  readonly monotonicNow: () => MonotonicMilliseconds
  readonly timing: Pick<Timing, 'keyAskAgainMs'>
  readonly metrics?: Metrics
}

type Refused = { readonly refused: string }
type Trusted = {
  readonly provider: IdentityProvider
  readonly keys: ProviderKeyCache
  readonly isSignedWith: SignatureCheck
  readonly check: () => Promise<ProviderState>
}

type KeyFound = { readonly key: KeyObject; readonly algorithm: ProviderAlgorithm }

/** What is wrong with a provider as it was configured, in a sentence; null where nothing is. */
const providerMistake = (provider: IdentityProvider, ownIssuer: string): string | null => {
  const { issuer, jwksUri } = provider
  if (issuer === ownIssuer) return `The identity provider ${issuer} has the issuer of this service.`
  const wrong = [issuer, jwksUri ?? issuer].find(address => !isProviderAddress(address))
  if (wrong !== undefined) return `${wrong} must be an https address, or http on this machine, without a password.`
  return null
}

const typeRefusal = ({ typ }: JsonObject): string | undefined =>
  ACCEPTED_TYPES.includes(bareType(typ)) ? undefined : 'typ is that of another kind of JWT'

const audienceRefusal = ({ aud }: JsonObject, audience: string): string | undefined =>
  aud === audience || (Array.isArray(aud) && aud.includes(audience)) ? undefined : 'aud does not name this service'

/** History and audit keep `sub`, so it must be text that every store and log takes. */
const subjectOf = ({ sub }: JsonObject): string | undefined => {
  if (typeof sub !== 'string' || sub === '' || sub.length > SUB_CHARACTERS_MAX) return undefined
  return isStorable(sub) && !/\p{Cc}/u.test(sub) ? sub : undefined
}

const findKey = async (header: JsonObject, { provider, keys }: Trusted): Promise<KeyFound | Refused> => {
  const { kid } = header
  const algorithm = parseProviderAlgorithm(header['alg'])
  if (algorithm === undefined || !provider.algorithms.includes(algorithm)) return { refused: 'alg is not in the list' }
  if (kid !== undefined && typeof kid !== 'string') return { refused: 'kid is not a string' }
  const picked = pickKey(await keys.find(candidate => permits(candidate, algorithm, kid)), 'the provider')
  return 'wrong' in picked ? { refused: picked.wrong } : { key: picked.key, algorithm }
}

/** What costs nothing comes first: a signature is verified only of a JWT that lacks nothing else. */
const recognize = async (
  jws: CompactJws,
  trusted: Trusted,
  { source, now }: { readonly source: string; readonly now: number },
): Promise<OperatorCaller | Refused> => {
  const { provider, isSignedWith } = trusted
  const refused =
    typeRefusal(jws.header) ??
    audienceRefusal(jws.payload, provider.audience) ??
    timeFault(jws.payload, Math.floor(now / 1000), { lateMax: SKEW_SECONDS, expiryMax: Infinity }) ??
    bindingFault(jws.payload)
  if (refused !== undefined) return { refused }
  const sub = subjectOf(jws.payload)
  if (sub === undefined) return { refused: 'sub is missing or not a plain text' }
  const found = await findKey(jws.header, trusted)
  if ('refused' in found) return found
  if (!(await isSignedWith(jws, found.algorithm, found.key, source)))
    return { refused: 'the signature does not verify' }
  return { kind: 'operator', iss: provider.issuer, sub, role: operatorRole(jws.payload, provider) }
}

/** Throws where the providers are not configured so that no token of theirs can be trusted. */
export const makeOperators = (options: OperatorsOptions): Operators => {
  const { providers, ownIssuer, keySets, monotonicNow, timing, metrics = NO_METRICS } = options
  const waits = measureWaits(metrics, 'operator_signatures')
  const isSignedWith = makeRepeatedSignatureCheck(makeVerificationQueue(undefined, waits))
  const trustOf = (provider: IdentityProvider): Trusted => {
    const place = { of: 'provider', issuer: provider.issuer, jwksUri: provider.jwksUri ?? null } as const
    const check = makeKeySetCheck({ place, algorithms: provider.algorithms, keySets, monotonicNow })
    return { provider, keys: makeProviderKeyCache({ place, keySets, monotonicNow, timing }), isSignedWith, check }
  }
  const trusted = new Map(providers.map(provider => [provider.issuer, trustOf(provider)]))
  const mistake = providers.map(provider => providerMistake(provider, ownIssuer)).find(found => found !== null)
  if (mistake !== undefined) throw new Error(mistake)
  if (trusted.size < providers.length) throw new Error('Two identity providers have the same issuer.')
  return {
    verify: async (jwt, source) => {
      const jws = readCompactJws(jwt)
      if (jws === undefined) return { refused: 'it is not a compact JWS in its canonical form' }
      const { iss } = jws.payload
      if (iss === ownIssuer) return { refused: 'it is an access token of this service' }
      const provider = typeof iss === 'string' ? trusted.get(iss) : undefined
      if (provider === undefined) return { refused: 'iss is not an identity provider configured here' }
      return recognize(jws, provider, { source, now: options.now() })
    },
    check: () => Promise.all([...trusted.values()].map(({ check }) => check())),
    audiences: () => providers.map(({ audience }) => audience),
  }
}
