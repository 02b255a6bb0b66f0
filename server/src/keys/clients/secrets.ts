// Client secrets and API keys: a prefix that says what leaked, 256 random bits, and a checksum for secret scanners.
// All of it is random, so SHA-256 protects them as well as a slow password hash would. Also the secrets that another server made.
import { type Metrics, NO_METRICS } from '../../ports/metrics.ts'
import { measureWaits } from '../../ports/work-waits.ts'
import { createHmac, hash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { DIGEST_CHARACTERS, SHA256_CHARACTERS } from '../../domain/text/text.ts'
import type { ImportedSecrets } from '../../ports/imports.ts'
import type { Randomness, Secrets } from '../../ports/secrets.ts'
import type { SecretKind } from '../../ports/secret-repositories.ts'
import { deriveKey } from '../at-rest/sealed-bytes.ts'
import type { RestTiming } from './foreign-hash-queue.ts'
import { makeForeignHashCheck } from './check-foreign-hash.ts'

/** Randomness from the operating system's generator. */
export const randomness: Randomness = {
  bytes: count => randomBytes(count),
  uuid: () => randomUUID(),
}

const CLIENT_SECRET_PREFIX = 'mmc_'
const API_KEY_PREFIX = 'mma_'

const SECRET_BYTES = 32
// Only these and `_`, so that no client percent-encodes a part of a secret in form fields or in HTTP Basic.
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
// The shortest lengths that hold 256 and 32 bits in base 62.
const RANDOM_CHARACTERS = 43
const CHECKSUM_CHARACTERS = 6

const base62 = (value: bigint, length: number): string => {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n) text = ALPHABET.charAt(Number(rest % 62n)) + text
  return text
}

/** The last characters of a secret: CRC-32 of all before them, in base 62. */
const secretChecksum = (body: string): string => base62(BigInt(crc32(body)), CHECKSUM_CHARACTERS)

const makeSecret = (prefix: string, random: Uint8Array): string => {
  const body = prefix + base62(BigInt(`0x${Buffer.from(random).toString('hex')}`), RANDOM_CHARACTERS)
  return body + secretChecksum(body)
}

const KINDS: ReadonlyMap<string, SecretKind> = new Map([
  [CLIENT_SECRET_PREFIX, 'client_secret'],
  [API_KEY_PREFIX, 'api_key'],
])
const FORM = new RegExp(`^(mm[ac]_)[0-9A-Za-z]{${RANDOM_CHARACTERS + CHECKSUM_CHARACTERS}}$`)

const kindOf = (text: string): SecretKind | undefined => {
  const [, prefix = ''] = FORM.exec(text) ?? []
  const [body, checksum] = [text.slice(0, -CHECKSUM_CHARACTERS), text.slice(-CHECKSUM_CHARACTERS)]
  return secretChecksum(body) === checksum ? KINDS.get(prefix) : undefined
}

// Buffers for the comparison, a pair for each length: allocating them costs more than comparing.
const pairs = new Map(
  [SHA256_CHARACTERS, DIGEST_CHARACTERS].map(length => [length, [Buffer.alloc(length), Buffer.alloc(length)] as const]),
)

const areEqual = (a: string, b: string): boolean => {
  const pair = a.length === b.length ? pairs.get(a.length) : undefined
  if (pair === undefined) return false
  const [left, right] = pair
  left.write(a, 'latin1')
  right.write(b, 'latin1')
  return timingSafeEqual(left, right)
}

export const makeSecrets = ({ bytes }: Pick<Randomness, 'bytes'>): Secrets => ({
  makeClientSecret: () => makeSecret(CLIENT_SECRET_PREFIX, bytes(SECRET_BYTES)),
  makeSessionSecret: () => Buffer.from(bytes(SECRET_BYTES)).toString('base64url'),
  makeApiKey: () => makeSecret(API_KEY_PREFIX, bytes(SECRET_BYTES)),
  kindOf,
  hash: text => hash('sha256', text, 'hex'),
  areEqual,
})

/** Secrets that another server made: hashed under a key derived for them, and verified against its hashes on another thread. */
export const makeImportedSecrets = (
  keyEncryptionKey: Uint8Array,
  timing: RestTiming,
  metrics: Metrics = NO_METRICS,
): ImportedSecrets => {
  const pepper = deriveKey(keyEncryptionKey, 'mintmark imported secrets 1')
  return {
    hash: secret => createHmac('sha256', pepper).update(secret, 'utf8').digest('hex'),
    verify: makeForeignHashCheck({ timing, waits: measureWaits(metrics, 'imported_secrets') }),
  }
}
