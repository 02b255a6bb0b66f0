// RSA keys that must not be believed: too short, too costly, with an exponent that breaks verifiers, or made so that
// others can compute their private half. Numbers are read from the DER: Node's `asymmetricKeyDetails` takes 25 s for an
// exponent of 190 KiB.
import type { KeyObject } from 'node:crypto'
import { readElements, readInside } from '../clients/der.ts'

const [SEQUENCE, BIT_STRING] = [0x30, 0x03]

export type RsaLimits = {
  readonly bitsMin: number
  readonly bitsMax: number
  readonly exponentMin: bigint
  readonly exponentMax: bigint
}

/** The limits of others' keys: verifying costs more with every bit, and the key is not ours. */
export const FOREIGN_RSA: RsaLimits = {
  bitsMin: 2048,
  bitsMax: 8192,
  exponentMin: 65_537n,
  exponentMax: 0xffff_ffffn,
}

/** Modulus and exponent, each as bytes without leading zeros (RFC 8017 A.1.1, in the SubjectPublicKeyInfo of RFC 5280 §4.1). */
const numbersOf = (key: KeyObject): readonly Uint8Array[] => {
  const [info] = readElements(key.export({ type: 'spki', format: 'der' }))
  const bits = readInside(info, SEQUENCE).find(({ tag }) => tag === BIT_STRING)
  // The first byte counts the unused bits of the last, of which there are none.
  const [numbers] = readElements(bits?.content.subarray(1) ?? new Uint8Array())
  return readInside(numbers, SEQUENCE).map(({ content }) => (content[0] === 0 ? content.subarray(1) : content))
}

const bitsIn = (bytes: Uint8Array): number => 8 * bytes.length - (Math.clz32(bytes[0] ?? 0) - 24)

const integerOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`)

/** The odd primes up to 167, each with the powers of 65537 modulo it. */
const makeTraces = () => {
  const primes: number[] = []
  for (let n = 3; n <= 167; n += 2) if (primes.every(prime => n % prime !== 0)) primes.push(n)
  return primes.map(prime => {
    const residues = new Set<bigint>()
    for (let power = 1; !residues.has(BigInt(power)); power = (power * 65_537) % prime) residues.add(BigInt(power))
    return { prime: BigInt(prime), residues }
  })
}

const TRACES = makeTraces()

/**
 * Whether the modulus bears the fingerprint of ROCA (CVE-2017-15361; Nemec and others, "The Return of Coppersmith's Attack",
 * CCS 2017, §3): both primes are powers of 65537 modulo all small primes, and so is their product. Of other moduli one in
 * 2^30 is too.
 */
export const bearsRocaFingerprint = (modulus: bigint): boolean =>
  TRACES.every(({ prime, residues }) => residues.has(modulus % prime))

const lengthFault = (modulus: Uint8Array, { bitsMin, bitsMax }: RsaLimits): string | undefined => {
  const bits = bitsIn(modulus)
  return bits >= bitsMin && bits <= bitsMax ? undefined : `an RSA key of ${bits} bits, not of ${bitsMin} to ${bitsMax}`
}

const exponentFault = (bytes: Uint8Array, { exponentMin, exponentMax }: RsaLimits): string | undefined => {
  const exponent = bytes.length <= 8 ? integerOf(bytes) : 0n
  if (exponent % 2n === 1n && exponent >= exponentMin && exponent <= exponentMax) return undefined
  return exponentMin === exponentMax
    ? `an RSA key with another exponent than ${exponentMin}`
    : `an RSA key with an exponent other than an odd one from ${exponentMin} to ${exponentMax}`
}

/** Why the key must not be believed, as what it is; undefined where nothing is known against it, or it is none of RSA. */
export const rsaWeakness = (key: KeyObject, limits: RsaLimits = FOREIGN_RSA): string | undefined => {
  if (key.asymmetricKeyType !== 'rsa' && key.asymmetricKeyType !== 'rsa-pss') return undefined
  const [modulus = new Uint8Array(), exponent = new Uint8Array()] = numbersOf(key)
  const fault = lengthFault(modulus, limits) ?? exponentFault(exponent, limits)
  if (fault !== undefined) return fault
  return bearsRocaFingerprint(integerOf(modulus))
    ? 'an RSA key that is known to be weak (ROCA, CVE-2017-15361): make another with another device or library'
    : undefined
}
