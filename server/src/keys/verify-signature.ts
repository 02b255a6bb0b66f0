// Compact JWS of others, read but not verified; how each JWS algorithm signs; and the one function that verifies a signature: of a
// token of this service, of an identity provider or of a client.
import { constants, type KeyObject, type SigningOptions, verify } from 'node:crypto'
import { promisify } from 'node:util'
import {
  type CompactJws as ReadJws,
  decodeBase64url,
  makeCompactReader,
} from '../../../packages/verify/src/readers/compact-jws.ts'
import type { SigningAlgorithm } from '../../../api/values/algorithms.ts'
import type { ProviderAlgorithm } from './providers/provider-key.ts'

export type CompactJws = Pick<ReadJws, 'header' | 'payload'> & {
  readonly signingInput: string
  readonly signature: Uint8Array
  readonly text: string
}

const read = makeCompactReader()

/** A foreign JWS, read but not verified; undefined where the text is not one in its only allowed form. */
export const readCompactJws = (text: string): CompactJws | undefined => {
  const jws = read(text)
  if (jws === undefined) return undefined
  const { header, payload, parts } = jws
  return { header, payload, signingInput: `${parts[0]}.${parts[1]}`, signature: decodeBase64url(parts[2]), text }
}

/** The `typ` of a header without what may be left out of it (RFC 7515 §4.1.9), in lower case; what is no text as it is. */
export const bareType = (typ: unknown): unknown =>
  typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : typ

type JwsAlgorithm = SigningAlgorithm | ProviderAlgorithm

export type SignatureForm = {
  /** What is hashed before it is signed; null where the algorithm does that itself. */
  readonly digest: 'sha256' | 'sha384' | null
  readonly options: SigningOptions
}

// RFC 7518 §3.4: r and s side by side, not DER.
const ECDSA: SigningOptions = { dsaEncoding: 'ieee-p1363' }
// RFC 7518 §3.5: a salt as long as the hash.
const PSS: SigningOptions = {
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
}
const ITSELF: SignatureForm = { digest: null, options: {} }

/** The form of each algorithm, by the names of RFC 7518 §3.1, RFC 8037 §3.1 and RFC 9864 §2. */
export const SIGNATURE_FORMS: Readonly<Record<JwsAlgorithm, SignatureForm>> = {
  RS256: { digest: 'sha256', options: { padding: constants.RSA_PKCS1_PADDING } },
  PS256: { digest: 'sha256', options: PSS },
  ES256: { digest: 'sha256', options: ECDSA },
  ES384: { digest: 'sha384', options: ECDSA },
  Ed25519: ITSELF,
  EdDSA: ITSELF,
  'ML-DSA-65': ITSELF,
}

// On libuv's threads: up to 0.1 ms of computation that no other request waits for.
const verifyAside = promisify(verify)

/** Whether `key`, which must be one for the algorithm, made the signature. Does not block the thread. */
export const verifySignature = (
  { signingInput, signature }: Pick<CompactJws, 'signingInput' | 'signature'>,
  algorithm: JwsAlgorithm,
  key: KeyObject,
): Promise<boolean> => {
  const { digest, options } = SIGNATURE_FORMS[algorithm]
  return verifyAside(digest, Buffer.from(signingInput), { ...options, key }, signature)
}
