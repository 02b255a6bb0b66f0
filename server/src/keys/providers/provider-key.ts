// The public keys of an identity provider or a client: which algorithm each permits, and which are strong enough to be used.
import { createPublicKey, type KeyObject } from 'node:crypto'
import { isJsonObject, type JsonObject } from '../../../../packages/verify/src/readers/json.ts'
import { hasPrivateMember, PRIVATE_MEMBERS } from '../../../../packages/verify/src/readers/jwk.ts'
import { FOREIGN_RSA, rsaWeakness } from './rsa-strength.ts'
import { thumbprintOf } from '../tokens/thumbprint.ts'

// RFC 7518 §3.1, RFC 9864 §2. Asymmetric only: a public key can then never be taken for a shared secret.
const KEY_KINDS = {
  RS256: 'RSA',
  PS256: 'RSA',
  ES256: 'EC P-256',
  ES384: 'EC P-384',
  Ed25519: 'OKP Ed25519',
} as const

/** The accepted kinds of keys for people, with the bounds of RSA. */
export const KEY_KINDS_TAKEN = `RSA of ${FOREIGN_RSA.bitsMin} to ${FOREIGN_RSA.bitsMax} bits, EC on P-256 or P-384, or Ed25519`

export type ProviderAlgorithm = keyof typeof KEY_KINDS

const KINDS: ReadonlySet<string> = new Set(Object.values(KEY_KINDS))

/** What a JWK turned out to be: a key to verify with, or what is wrong with it. */
export type ReadKey = { readonly key: KeyObject } | { readonly wrong: string }

/** What a JWK says of itself. */
export type ProviderKey = {
  readonly kid: string | undefined
  readonly kind: string
  /** The only algorithm that the provider wants the key used with; undefined: any of its kind. */
  readonly algorithm: ProviderAlgorithm | undefined
  /** Reads the key where it is first used: that takes 0.1 ms, and a set holds many. */
  readonly read: () => ReadKey
}

/** A modulus of 8192 bits has 1366. */
const MEMBER_CHARACTERS_MAX = 1400
export const PUBLIC_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e']

const isProviderAlgorithm = (name: unknown): name is ProviderAlgorithm =>
  typeof name === 'string' && Object.hasOwn(KEY_KINDS, name)

/** The algorithm of a header or a key; `EdDSA` is the older name of Ed25519, distinguished by the key's curve. */
export const parseProviderAlgorithm = (name: unknown): ProviderAlgorithm | undefined => {
  if (name === 'EdDSA') return 'Ed25519'
  return isProviderAlgorithm(name) ? name : undefined
}

const isMember = (value: unknown): boolean =>
  value === undefined || (typeof value === 'string' && value.length <= MEMBER_CHARACTERS_MAX)

const importKey = (publicMembers: JsonObject): ReadKey => {
  try {
    const key = createPublicKey({ key: { ...publicMembers }, format: 'jwk' })
    const weakness = rsaWeakness(key)
    return weakness === undefined ? { key } : { wrong: weakness }
  } catch {
    return { wrong: 'no public key of its kind' }
  }
}

const readOnce = (publicMembers: JsonObject): (() => ReadKey) => {
  let read: ReadKey | undefined
  return () => (read ??= importKey(publicMembers))
}

/** Whether `use` and `key_ops` permit verifying signatures (RFC 7517 §4.2, §4.3). Both are optional. */
const isForVerifying = (
  { use = 'sig', key_ops: operations = ['verify'] }: JsonObject,
  uses: readonly unknown[],
): boolean => uses.includes(use) && Array.isArray(operations) && operations.includes('verify')

/** A member of a key set; undefined for what says that it is no public key for signatures. A set may hold others. */
export const parseProviderKey = (jwk: unknown, uses: readonly string[] = ['sig']): ProviderKey | undefined => {
  if (!isJsonObject(jwk) || !isForVerifying(jwk, uses)) return undefined
  const { kid, kty, crv, alg } = jwk
  if (hasPrivateMember(jwk)) return undefined
  if (kid !== undefined && typeof kid !== 'string') return undefined
  const algorithm = parseProviderAlgorithm(alg)
  if (alg !== undefined && algorithm === undefined) return undefined
  const kind = kty === 'RSA' ? 'RSA' : `${String(kty)} ${String(crv)}`
  if (algorithm !== undefined && KEY_KINDS[algorithm] !== kind) return undefined
  const members = PUBLIC_MEMBERS.map(name => [name, jwk[name]] as const)
  if (!KINDS.has(kind) || !members.every(([, value]) => isMember(value))) return undefined
  const given = Object.fromEntries(members.filter(([, value]) => value !== undefined))
  return { kid, kind, algorithm, read: readOnce(given) }
}

/** A member of a key set of which several may have no `kid`: its thumbprint (RFC 7638) stands for that. */
export const parseMemberKey = (jwk: unknown, uses?: readonly string[]): ProviderKey | undefined => {
  const key = parseProviderKey(jwk, uses)
  return key && isJsonObject(jwk) ? { ...key, kid: key.kid ?? thumbprintOf(jwk) } : undefined
}

const TEXT_MEMBERS = new Set(['kid', 'alg', 'use', ...PUBLIC_MEMBERS])

const memberToKeep = (name: string, value: unknown): unknown => {
  if (TEXT_MEMBERS.has(name)) return isMember(value) ? value : null
  if (name !== 'key_ops') return null
  return Array.isArray(value) ? value.filter(operation => operation === 'verify').slice(0, 1) : null
}

const READ_MEMBERS = [...TEXT_MEMBERS, 'key_ops', ...PRIVATE_MEMBERS]

/**
 * What {@link parseProviderKey} looks at, and nothing else: the rest may be large, or nested too deep to be handed to another
 * thread. What has the wrong form is null, and of private members only their presence is kept.
 */
export const bareMembersOf = (jwk: unknown): JsonObject | null =>
  isJsonObject(jwk)
    ? Object.fromEntries(
        READ_MEMBERS.filter(name => Object.hasOwn(jwk, name)).map(name => [name, memberToKeep(name, jwk[name])]),
      )
    : null

/** Whether a header with this algorithm and key id can be signed with the key. Without `kid` any key of the kind can. */
export const permits = (key: ProviderKey, algorithm: ProviderAlgorithm, kid: string | undefined): boolean =>
  key.kind === KEY_KINDS[algorithm] &&
  (key.algorithm === undefined || key.algorithm === algorithm) &&
  (kid === undefined || key.kid === kid)

/** The one good key among those that fit. Without `kid` there is one only where it is plain which is meant. */
export const pickKey = (fitting: readonly ProviderKey[], owner: string): ReadKey => {
  let found: ReadKey | undefined
  let wrong = `${owner} has no key that fits kid and alg`
  for (const { read } of fitting) {
    const one = read()
    if ('wrong' in one) wrong = `the key of ${owner} that fits kid and alg is ${one.wrong}`
    else if (found !== undefined) return { wrong: `more than one key of ${owner} fits` }
    else found = one
  }
  return found ?? { wrong }
}
