// RSA keys as the library of CVE-2017-15361 made them: each prime is k·M + (65537^a mod M), where M is the product of the first
// primes (Nemec and others, "The Return of Coppersmith's Attack", CCS 2017, §2.1).
import { checkPrimeSync, createPrivateKey, createPublicKey, type KeyObject, randomBytes, randomInt } from 'node:crypto'

const EXPONENT = 65_537n
/** The number of small primes for keys of 1984 to 3936 bits. */
const SMALL_PRIMES = 126

const smallPrimes = (): readonly number[] => {
  const primes: number[] = []
  for (let n = 2; primes.length < SMALL_PRIMES; n += 1) if (primes.every(prime => n % prime !== 0)) primes.push(n)
  return primes
}

const PRODUCT = smallPrimes().reduce((product, prime) => product * BigInt(prime), 1n)

const power = (base: bigint, exponent: number, modulus: bigint): bigint => {
  let [result, square] = [1n, base % modulus]
  for (let left = exponent; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result = (result * square) % modulus
    square = (square * square) % modulus
  }
  return result
}

/** Returns the modular inverse, by Euclid's algorithm. */
const inverse = (value: bigint, modulus: bigint): bigint => {
  let [a, b, x, y] = [value % modulus, modulus, 1n, 0n]
  while (b !== 0n) [a, b, x, y] = [b, a % b, y, x - (a / b) * y]
  return ((x % modulus) + modulus) % modulus
}

/** Returns a prime of 1024 bits, the two highest set, so that the product of two has 2048. */
const rocaPrime = (): bigint => {
  const [least, most] = [(3n << 1022n) / PRODUCT + 1n, (1n << 1024n) / PRODUCT - 1n]
  for (;;) {
    const k = least + (BigInt(`0x${randomBytes(16).toString('hex')}`) % (most - least))
    const prime = k * PRODUCT + power(EXPONENT, randomInt(2 ** 47), PRODUCT)
    if (prime % EXPONENT !== 1n && checkPrimeSync(prime)) return prime
  }
}

const base64url = (value: bigint): string => {
  const hex = value.toString(16)
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('base64url')
}

export const makeRocaPair = (): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } => {
  const [p, q] = [rocaPrime(), rocaPrime()]
  const d = inverse(EXPONENT, (p - 1n) * (q - 1n))
  const values = { n: p * q, e: EXPONENT, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverse(q, p) }
  const members = Object.entries(values).map(([name, value]) => [name, base64url(value)])
  const privateKey = createPrivateKey({ key: { kty: 'RSA', ...Object.fromEntries(members) }, format: 'jwk' })
  return { privateKey, publicKey: createPublicKey(privateKey) }
}
