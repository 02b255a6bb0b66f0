// Compact JWS as the service reads them: foreign ones by the strict reader of packages/verify, and the payloads of its own
// tokens on the hot path, where nothing is parsed.
import {
  type CompactJws as ReadJws,
  decodeBase64url,
  makeCompactReader,
  splitCompact,
} from '../../../../packages/verify/src/readers/compact-jws.ts'

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
