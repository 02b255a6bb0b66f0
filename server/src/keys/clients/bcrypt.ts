// bcrypt (Provos and Mazières, "A Future-Adaptable Password Scheme", 1999), only to verify hashes that another server
// made: docs/decisions/0015-imported-secrets.md says why it is here. It takes 50 ms and more: not for a serving thread.
import { timingSafeEqual } from 'node:crypto'

const ALPHABET = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const FORM = /^\$2[aby]\$(\d\d)\$([./A-Za-z0-9]{22})([./A-Za-z0-9]{31})$/
/** What is beyond is ignored, by the program that made the hash and here. */
const KEY_BYTES_MAX = 72
const SALT_BYTES = 16
const HASH_BYTES = 23
const SUBKEYS = 18
const BOX_WORDS = 256
const TEXT = 'OrpheanBeholderScryDoubt'
const TEXT_ROUNDS = 64
const QUOTA_BITS = 64n

/** Of 1/x, as an integer over `one`. */
const arcTangent = (x: bigint, one: bigint): bigint => {
  let power = one / x
  let sum = power
  for (let n = 3n; power !== 0n; n += 2n) {
    power /= -x * x
    sum += power / n
  }
  return sum
}

/** The first words of the fraction of pi, by Machin's formula: the subkeys and boxes that Blowfish begins with. */
const wordsOfPi = (count: number): Int32Array => {
  const bits = BigInt(32 * count)
  const one = 1n << (bits + QUOTA_BITS)
  const pi = 16n * arcTangent(5n, one) - 4n * arcTangent(239n, one)
  const fraction = (pi - 3n * one) >> QUOTA_BITS
  const hex = fraction.toString(16).padStart(8 * count, '0')
  return Int32Array.from({ length: count }, (_, n) => Number.parseInt(hex.slice(8 * n, 8 * n + 8), 16))
}

let initial: Int32Array | undefined

/** Subkeys and boxes of Blowfish, in one array. */
const initialState = (): Int32Array => (initial ??= wordsOfPi(SUBKEYS + 4 * BOX_WORDS)).slice()

const at = (words: Int32Array, n: number): number => words[n] ?? 0

/** Blowfish, sixteen rounds, on the two words of a block where they stand. */
const encipher = (state: Int32Array, block: Int32Array, from: number): void => {
  let left = at(block, from) ^ at(state, 0)
  let right = at(block, from + 1)
  for (let round = 1; round <= 16; round += 1) {
    const mixed =
      (((at(state, SUBKEYS + (left >>> 24)) + at(state, SUBKEYS + BOX_WORDS + ((left >>> 16) & 0xff))) ^
        at(state, SUBKEYS + 2 * BOX_WORDS + ((left >>> 8) & 0xff))) +
        at(state, SUBKEYS + 3 * BOX_WORDS + (left & 0xff))) |
      0
    const next = right ^ mixed ^ at(state, round)
    right = left
    left = next
  }
  block[from] = right ^ at(state, SUBKEYS - 1)
  block[from + 1] = left
}

/** Words of the bytes read round and round. */
const cyclicWords = (bytes: Uint8Array, count: number): Int32Array =>
  Int32Array.from({ length: count }, (_, n) =>
    [0, 1, 2, 3].reduce((word, k) => (word << 8) | (bytes[(4 * n + k) % bytes.length] ?? 0), 0),
  )

/** ExpandKey of the paper: `key` is 18 words; `salt` four, or none for the rounds in which it is zero. */
const expandKey = (state: Int32Array, key: Int32Array, salt?: Int32Array): void => {
  for (let n = 0; n < SUBKEYS; n += 1) state[n] = at(state, n) ^ at(key, n)
  const block = new Int32Array(2)
  for (let n = 0; n < state.length; n += 2) {
    if (salt !== undefined) {
      block[0] = at(block, 0) ^ at(salt, n % 4)
      block[1] = at(block, 1) ^ at(salt, (n + 1) % 4)
    }
    encipher(state, block, 0)
    state.set(block, n)
  }
}

const keySchedule = (cost: number, salt: Uint8Array, key: Uint8Array): Int32Array => {
  const state = initialState()
  const [keyWords, saltWords] = [cyclicWords(key, SUBKEYS), cyclicWords(salt, SUBKEYS)]
  expandKey(state, keyWords, saltWords)
  for (let rounds = 2 ** cost; rounds > 0; rounds -= 1) {
    expandKey(state, keyWords)
    expandKey(state, saltWords)
  }
  return state
}

const decode = (text: string, length: number): Uint8Array => {
  const bits = Array.from(text, character => ALPHABET.indexOf(character).toString(2).padStart(6, '0')).join('')
  return Uint8Array.from({ length }, (_, n) => Number.parseInt(bits.slice(8 * n, 8 * n + 8), 2))
}

const hashOf = (secret: string, cost: number, salt: Uint8Array): Uint8Array => {
  const key = Buffer.from(`${secret}\0`, 'utf8').subarray(0, KEY_BYTES_MAX)
  const state = keySchedule(cost, salt, key)
  const text = cyclicWords(Buffer.from(TEXT), TEXT.length / 4)
  for (let round = 0; round < TEXT_ROUNDS; round += 1) {
    for (let from = 0; from < text.length; from += 2) encipher(state, text, from)
  }
  const bytes = Buffer.alloc(TEXT.length)
  text.forEach((word, n) => bytes.writeInt32BE(word, 4 * n))
  return bytes.subarray(0, HASH_BYTES)
}

/** Whether the hash is of the secret. A text that is no bcrypt hash is of none. */
export const opensBcrypt = (secret: string, hash: string): boolean => {
  const [, cost = '', salt = '', expected = ''] = FORM.exec(hash) ?? []
  if (expected === '') return false
  return timingSafeEqual(hashOf(secret, Number(cost), decode(salt, SALT_BYTES)), decode(expected, HASH_BYTES))
}
