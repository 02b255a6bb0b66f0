// Weaknesses of a signature as a number: the kinds of Wycheproof's vectors for JWS, ECDSA and RSASSA, made anew over each
// genuine JWT, because Wycheproof's own texts hold no claims and would be refused for that.
import { constants, createHash, privateEncrypt, sign } from 'node:crypto'
import { encodeJson } from '../keys/dpop.ts'
import { each, type Forge, type Forgeries, type Genuine, partsOf, withSignature } from './forgeries.ts'

type Sign = (genuine: Genuine, input: string) => Buffer

const withBytes =
  (make: (genuine: Genuine, signature: Buffer) => Buffer): Forge =>
  genuine =>
    withSignature(genuine, signature => make(genuine, Buffer.from(signature, 'base64url')).toString('base64url'))

const inputOf = (genuine: Genuine): string => partsOf(genuine).slice(0, 2).join('.')

/** What another algorithm makes with the genuine key, under its own name and under the genuine one. */
const byAnother = (alg: string, make: Sign): Forgeries => ({
  [`${alg} by the genuine key`]: genuine => {
    const input = `${encodeJson({ ...genuine.header, alg })}.${encodeJson(genuine.claims)}`
    return `${input}.${make(genuine, input).toString('base64url')}`
  },
  [`${alg} by the genuine key under the genuine name`]: withBytes(genuine => make(genuine, inputOf(genuine))),
})

const ecSign =
  (hash: string, dsaEncoding: 'ieee-p1363' | 'der'): Sign =>
  ({ key }, input) =>
    sign(hash, Buffer.from(input), { key: key.privateKey, dsaEncoding })

export const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
const P256_PRIME = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn

const toBytes = (number: bigint, length: number): Buffer =>
  Buffer.from(number.toString(16).padStart(2 * length, '0'), 'hex')

const P256_EDGES = {
  '0': 0n,
  '1': 1n,
  'n - 1': P256_ORDER - 1n,
  n: P256_ORDER,
  'n + 1': P256_ORDER + 1n,
  p: P256_PRIME,
}

const ecEdges = Object.entries(P256_EDGES).flatMap(([name, number]) => {
  const edge = toBytes(number, 32)
  return [
    [`r of ${name}`, withBytes((_, signature) => Buffer.concat([edge, signature.subarray(32)]))],
    [`s of ${name}`, withBytes((_, signature) => Buffer.concat([signature.subarray(0, 32), edge]))],
    [`r and s of ${name}`, withBytes(() => Buffer.concat([edge, edge]))],
  ] as const
})

const EC_SIGNATURES: Forgeries = {
  ...byAnother('ES384', ecSign('sha384', 'ieee-p1363')),
  'a signature in DER': withBytes(genuine => ecSign('sha256', 'der')(genuine, inputOf(genuine))),
  ...Object.fromEntries(ecEdges),
}

const RSA_BYTES = 256

const modulusOf = ({ key }: Genuine): bigint => BigInt(`0x${Buffer.from(key.jwk.n ?? '', 'base64url').toString('hex')}`)

const RSA_EDGES: Readonly<Record<string, (modulus: bigint) => bigint>> = {
  '1': () => 1n,
  'the modulus - 1': modulus => modulus - 1n,
  'the modulus': modulus => modulus,
  'the modulus + 1': modulus => modulus + 1n,
}

/** `DigestInfo` of SHA-256 (RFC 8017 §9.2, note 1), and without the parameters of its algorithm. */
const INFO = Buffer.from('3031300d060960864801650304020105000420', 'hex')
const INFO_WITHOUT_NULL = Buffer.from('302f300b06096086480165030402010420', 'hex')

type Block = { readonly type?: number; readonly padding: Buffer; readonly info?: Buffer; readonly after?: Buffer }

const fill = (bytes: number, byte = 0xff): Buffer => Buffer.alloc(bytes, byte)

/** Blocks that a lenient reader takes for the one of RFC 8017 §9.2. */
const BLOCKS: Readonly<Record<string, Block>> = {
  'the block type of encryption': { type: 2, padding: fill(202) },
  'block type 0': { type: 0, padding: fill(202) },
  'padding of zeros': { padding: fill(202, 0) },
  'one other byte in the padding': { padding: Buffer.concat([fill(100), Buffer.of(0xfe), fill(101)]) },
  'bytes after the digest': { padding: fill(8), after: fill(194, 0) },
  'no padding, and bytes after the digest': { padding: fill(0), after: fill(202, 0) },
  'an algorithm without NULL': { padding: fill(204), info: INFO_WITHOUT_NULL },
  'no algorithm': { padding: fill(221), info: Buffer.alloc(0) },
}

const signBlock = ({ type = 1, padding, info = INFO, after = Buffer.alloc(0) }: Block): Forge =>
  withBytes(genuine => {
    const digest = createHash('sha256').update(inputOf(genuine)).digest()
    const block = Buffer.concat([Buffer.of(0, type), padding, Buffer.of(0), info, digest, after])
    return privateEncrypt({ key: genuine.key.privateKey, padding: constants.RSA_NO_PADDING }, block)
  })

const rsaSign =
  (hash: string, padding: number): Sign =>
  ({ key }, input) =>
    sign(hash, Buffer.from(input), { key: key.privateKey, padding })

const RSA_SIGNATURES: Forgeries = {
  ...byAnother('PS256', rsaSign('sha256', constants.RSA_PKCS1_PSS_PADDING)),
  ...byAnother('RS384', rsaSign('sha384', constants.RSA_PKCS1_PADDING)),
  ...each(
    Object.entries(RSA_EDGES),
    ([name]) => `a signature of ${name}`,
    ([, edge]) => withBytes(genuine => toBytes(edge(modulusOf(genuine)), RSA_BYTES)),
  ),
  ...each(
    Object.entries(BLOCKS),
    ([what]) => `a block with ${what}`,
    ([, block]) => signBlock(block),
  ),
}

/** The forgeries of a signature by keys of this algorithm. */
export const signatureNumbersOf = (alg: string): Forgeries => (alg === 'RS256' ? RSA_SIGNATURES : EC_SIGNATURES)
