// Access tokens as text: signed at issue, found by the address in them, recognized by the digest of the whole.
import { createPublicKey, hash, sign, type SignKeyObjectInput } from 'node:crypto'
import {
  type AccessTokenClaims,
  addressReader,
  confirmationIn,
  endsPlainly,
  foreignActIn,
  formatClaims,
  ownClaimsIn,
} from '../../domain/ledger/claims.ts'
import { type Digest, digestIn } from '../../domain/text/text.ts'
import type { PublicJwk, SigningKey } from '../../domain/keys/signing-key.ts'
import type { MintedToken, TokenCodec, TokenReference } from '../../ports/token-codec.ts'
import { COMPACT_CHARACTERS_MAX, splitCompact } from '../../../../packages/verify/src/readers/compact-jws.ts'
import { readCompactJws, SIGNATURE_FORMS, type SignatureForm, verifySignature } from '../verify-signature.ts'
import { signatureBytes } from './signing-algorithms.ts'
import { openSigningKey } from './signing-keys.ts'
import type { RevocationDocument } from '../../domain/ledger/revocation-document.ts'

// The payload of a document of the revocation feed as text (docs/apis/feed-protocol.md).

/** JSON. Tails of ids are base64url without padding. */
export const formatRevocations = (document: RevocationDocument): string => {
  const { iss, epoch, now } = document
  if (document.kind === 'snapshot') {
    const { position, segments } = document
    return JSON.stringify({ iss, epoch, now, position, segments })
  }
  const { from, to, ended, cutOffs } = document
  const tails = ended.map(([exp, bytes]): [string, string] => [String(exp), Buffer.from(bytes).toString('base64url')])
  return JSON.stringify({ iss, epoch, now, from, to, ended: Object.fromEntries(tails), cut_offs: cutOffs })
}

/** Replaces a signature in another encoding: 64 bytes, the length for most keys. */
const SOME_SIGNATURE = Buffer.alloc(64).toString('base64url')
/** Private keys that are kept open. One signs at a time; there are more during a rotation. */
const OPEN_KEYS_MAX = 8
// Base64 in either alphabet, padded or not, with white space in it.
const ANY_BASE64 = /^[A-Za-z0-9+/_=\s-]+$/

// RFC 9068 §2.1, RFC 9701 §5. Whatever this service signs for another purpose has another type.
type TokenType = 'at+jwt' | 'token-introspection+jwt' | 'revocations+jwt'

type OpenKey = {
  readonly headers: Readonly<Record<TokenType, string>>
  readonly digest: SignatureForm['digest']
  readonly input: SignKeyObjectInput
}

const encode = (json: string): string => Buffer.from(json).toString('base64url')

const digestOf = (text: string): Digest => digestIn(hash('sha256', text, 'hex'))

const signJson = (json: string, type: TokenType, { headers, digest, input }: OpenKey): string => {
  const signingInput = `${headers[type]}.${encode(json)}`
  return `${signingInput}.${sign(digest, Buffer.from(signingInput), input).toString('base64url')}`
}

const mintOne = (claims: AccessTokenClaims, opened: OpenKey): MintedToken | undefined => {
  const token = signJson(formatClaims(claims), 'at+jwt', opened)
  return token.length > COMPACT_CHARACTERS_MAX ? undefined : { token, digest: digestOf(token) }
}

// Node's decoder accepts both alphabets and drops surplus bits. Others stop at the first padding, or skip it.
const decodingsOf = (spelled: string): readonly Buffer[] => {
  const dense = spelled.replace(/\s+/g, '')
  return [dense.replaceAll('=', ''), dense.replace(/=.*/s, '')].map(text => Buffer.from(text, 'base64'))
}

/** The canonical text in which only the signature may be encoded otherwise, at any length; or undefined. */
const canonicalExceptSignature = (text: string): string | undefined => {
  const end = text.lastIndexOf('.')
  return ANY_BASE64.test(text.slice(end + 1)) ? `${text.slice(0, end)}.${SOME_SIGNATURE}` : undefined
}

/** The encoded header of everything of one type that a key signs. */
const encodedHeader = ({ alg, kid }: PublicJwk, typ: TokenType): string => encode(JSON.stringify({ alg, kid, typ }))

// Opening a key costs a decryption, so it is done once for each kid, which no two keys share.
const makeKeyRing = (keyEncryptionKey: Uint8Array): ((key: SigningKey) => OpenKey) => {
  const ring = new Map<string, OpenKey>()
  return key => {
    const { kid, alg } = key.publicJwk
    const known = ring.get(kid)
    if (known !== undefined) return known
    const { digest, options } = SIGNATURE_FORMS[alg]
    const headers = {
      'at+jwt': encodedHeader(key.publicJwk, 'at+jwt'),
      'token-introspection+jwt': encodedHeader(key.publicJwk, 'token-introspection+jwt'),
      'revocations+jwt': encodedHeader(key.publicJwk, 'revocations+jwt'),
    }
    const opened = { headers, digest, input: { ...options, key: openSigningKey(keyEncryptionKey, key) } }
    const [oldest] = ring.keys()
    if (ring.size >= OPEN_KEYS_MAX && oldest !== undefined) ring.delete(oldest)
    ring.set(kid, opened)
    return opened
  }
}

const isSignedBy = async (text: string, jwk: PublicJwk): Promise<boolean> => {
  const trimmed = text.trim()
  const canonical = canonicalExceptSignature(trimmed)
  const parts = canonical === undefined ? undefined : splitCompact(canonical)
  if (parts === undefined) return false
  const [header, payload] = parts
  // A text that the key signed under another header is no access token, whatever its payload.
  if (header !== encodedHeader(jwk, 'at+jwt') || decodeCanonical(payload) === undefined) return false
  const signingInput = `${header}.${payload}`
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  for (const signature of decodingsOf(trimmed.slice(trimmed.lastIndexOf('.') + 1))) {
    // ECDSA itself accepts n−s for s.
    const isLong = signature.length === signatureBytes(jwk)
    if (isLong && (await verifySignature({ signingInput, signature }, jwk.alg, key))) return true
  }
  return false
}

/** Whether a header and a payload can be read, whatever key signed them, and however the signature is encoded. */
const isJws = (text: string): boolean => {
  const canonical = canonicalExceptSignature(text.trim())
  return canonical !== undefined && readCompactJws(canonical) !== undefined
}

/** What only some tokens say. */
const furtherIn = (payload: string): Pick<TokenReference, 'cnf' | 'foreignAct' | 'ownClaims'> => {
  const [cnf, foreignAct, ownClaims] = [confirmationIn(payload), foreignActIn(payload), ownClaimsIn(payload)]
  return {
    ...(cnf !== undefined && { cnf }),
    ...(foreignAct !== undefined && { foreignAct }),
    ...(ownClaims !== undefined && { ownClaims }),
  }
}

/** Reads tokens; it needs no key. */
export const makeTokenReader = (
  issuer: string,
): Omit<TokenCodec, 'mint' | 'signIntrospections' | 'signRevocations'> => {
  const readAddress = addressReader(issuer)
  // All of it is done for any text, so that the time does not say whether the text can be one of ours.
  const reference = (canonical: string, exact: string): TokenReference | undefined => {
    const payload = readProvablePayload(canonical)
    const searched = payload ?? canonical
    const address = readAddress(searched)
    const further = endsPlainly(searched) ? undefined : furtherIn(searched)
    const digest = digestOf(exact)
    if (payload === undefined || address === undefined) return undefined
    return further === undefined ? { ...address, digest } : { ...address, digest, ...further }
  }
  const readLenient = (text: string): TokenReference | undefined => {
    const trimmed = text.trim()
    const canonical = canonicalExceptSignature(trimmed)
    return canonical === undefined ? undefined : reference(canonical, trimmed)
  }
  return {
    read: text => reference(text, text),
    isSignedBy,
    readLenient,
    classify: text => {
      const exact = reference(text, text)
      if (exact !== undefined) return { reference: exact, isExact: true }
      const lenient = readLenient(text)
      if (lenient !== undefined) return { reference: lenient, isExact: false }
      return isJws(text) ? 'foreign' : 'malformed'
    },
  }
}

export const makeTokenCodec = (options: {
  readonly issuer: string
  readonly keyEncryptionKey: Uint8Array
}): TokenCodec => {
  const open = makeKeyRing(options.keyEncryptionKey)
  return {
    ...makeTokenReader(options.issuer),
    mint: (claims, key) => {
      const opened = open(key)
      return claims.map(each => mintOne(each, opened))
    },
    signIntrospections: (claims, key) => {
      const opened = open(key)
      return claims.map(each => signJson(JSON.stringify(each), 'token-introspection+jwt', opened))
    },
    signRevocations: (documents, key) => {
      const opened = open(key)
      return documents.map(each => signJson(formatRevocations(each), 'revocations+jwt', opened))
    },
  }
}

// Tokens on the hot path, where nothing is parsed.

/**
 * The bytes of base64url without padding, white space or surplus bits; what is not spelled so does not come back. It decides as
 * `isCanonical` of the strict reader does, and takes half the time on the payload of a token, of which the bytes are needed anyway.
 */
export const decodeCanonical = (part: string): Buffer | undefined => {
  const bytes = Buffer.from(part, 'base64url')
  return bytes.toString('base64url') === part ? bytes : undefined
}

// 64 bytes in their one spelling: of the six bits in the last character two are used.
const SHORT_SIGNATURE = /^[\w-]{85}[AQgw]$/
const SHORT_SIGNATURE_CHARACTERS = 86

/** ES256 and EdDSA have the short ones, and no algorithm shorter ones. The digest decides the rest. */
const isCanonicalSignature = (signature: string): boolean =>
  SHORT_SIGNATURE.test(signature) ||
  (signature.length > SHORT_SIGNATURE_CHARACTERS && decodeCanonical(signature) !== undefined)

// All tokens of a key have one header, so the last one is recognized by its text.
let lastHeader = ''

const isCanonicalHeader = (header: string): boolean => {
  if (header === lastHeader) return true
  const bytes = decodeCanonical(header)
  // Written anew: a part of the token would keep the whole of it in memory.
  if (bytes !== undefined) lastHeader = bytes.toString('base64url')
  return bytes !== undefined
}

/**
 * The payload, as text, of a token that a digest will prove; undefined where the form cannot be ours. The hot
 * path: it is not even parsed, since nothing in it is believed before the whole text is known to be ours.
 */
export const readProvablePayload = (text: string): string | undefined => {
  const parts = splitCompact(text)
  if (parts === undefined) return undefined
  const [header, payload, signature] = parts
  // Decoded in any case: the time does not say which part it was.
  const bytes = decodeCanonical(payload)
  if (!isCanonicalSignature(signature) || !isCanonicalHeader(header)) return undefined
  return bytes?.toString('utf8')
}
