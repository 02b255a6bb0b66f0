// Hashes of client secrets in the formats of other servers: which can be verified here, and at what cost.

/** 2^13 rounds take less than a second. */
export const BCRYPT_COST_MAX = 13
/** Iterations, times the blocks of the derived key: less than a second too. */
export const PBKDF2_ROUNDS_MAX = 1_000_000
const PBKDF2_BYTES_MAX = 64

const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/
/** A PBKDF2 hash as Ory Hydra writes it: salt and key in standard base64 without padding (RFC 4648 §4). */
const PBKDF2 = /^\$pbkdf2-(sha256|sha512)\$i=([1-9]\d{0,9}),l=([1-9]\d{0,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/
// RFC 4648 §3.5: unused bits are zero, so that a hash has one text.
const CANONICAL = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048])?$/
/** Prefixes of known password hashes. A secret with such a prefix is treated as a hash. */
const HASH_LIKE = /^\$[a-z0-9]+(?:-[a-z0-9]+)*\$/

const HASH_BYTES = { sha256: 32, sha512: 64 } as const

type Pbkdf2 = {
  readonly digest: keyof typeof HASH_BYTES
  readonly iterations: number
  /** The length of the derived key in bytes. */
  readonly length: number
  /** Base64 without padding. */
  readonly salt: string
  readonly key: string
}

const bytesIn = (base64: string): number => Math.floor((base64.length * 3) / 4)

const isBytes = (base64: string): boolean => CANONICAL.test(base64) && bytesIn(base64) <= PBKDF2_BYTES_MAX

/** The parts of a PBKDF2 hash; undefined if it is not one. */
export const parsePbkdf2 = (hash: string): Pbkdf2 | undefined => {
  const [, digest, iterations, length, salt = '', key = ''] = PBKDF2.exec(hash) ?? []
  if (digest !== 'sha256' && digest !== 'sha512') return undefined
  if (!isBytes(salt) || !isBytes(key) || bytesIn(key) !== Number(length)) return undefined
  return { digest, iterations: Number(iterations), length: Number(length), salt, key }
}

const isTooCostly = (hash: string): boolean => {
  const pbkdf2 = parsePbkdf2(hash)
  if (pbkdf2 === undefined) return Number(BCRYPT.exec(hash)?.[1]) > BCRYPT_COST_MAX
  return pbkdf2.iterations * Math.ceil(pbkdf2.length / HASH_BYTES[pbkdf2.digest]) > PBKDF2_ROUNDS_MAX
}

const isBcrypt = (hash: string): boolean => Number(BCRYPT.exec(hash)?.[1]) >= 4

/** Classifies a text that may be a secret or its hash: `hash` can be verified here. */
export type SecretForm = 'secret' | 'hash' | 'hash_too_costly' | 'hash_unknown'

export const secretFormOf = (text: string): SecretForm => {
  if (!HASH_LIKE.test(text)) return 'secret'
  if (!isBcrypt(text) && parsePbkdf2(text) === undefined) return 'hash_unknown'
  return isTooCostly(text) ? 'hash_too_costly' : 'hash'
}
