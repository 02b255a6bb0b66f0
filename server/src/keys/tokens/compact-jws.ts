// The strict reader of compact JWS (RFC 7515 §3.1, §7.1): a text that passes has one spelling and one meaning.
// JWT libraries accept some twenty spellings of one token (padding, white space, surplus bits); here there is one.

/**
 * Longer texts are not read; a form with one still fits in the 16 KiB of a body. The longest token that the limits on scope,
 * audience, client id, kid and depth allow is below, but for one under ML-DSA-65 that was got by exchanges: its signature
 * alone takes 4,412 characters. Without ancestors it has some 13,400 there, and some 9,000 under ES256.
 */
export const COMPACT_CHARACTERS_MAX = 16_000
const JSON_DEPTH_MAX = 16
// Each would change what is signed or how it is read (RFC 7515 §4.1.11, RFC 7797 §3, RFC 7516 §4.1.3).
const FORBIDDEN_HEADERS = ['crit', 'b64', 'zip'] as const

export type JsonObject = Readonly<Record<string, unknown>>

export type CompactJws = {
  readonly header: JsonObject
  readonly payload: JsonObject
  readonly signingInput: string
  readonly signature: Uint8Array
  readonly text: string
}

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The three parts as they are written, none empty; undefined where there are not three or the text is too long. */
export const splitCompact = (text: string): readonly [string, string, string] | undefined => {
  if (text.length > COMPACT_CHARACTERS_MAX) return undefined
  const first = text.indexOf('.')
  const second = text.indexOf('.', first + 1)
  if (first < 1 || second <= first + 1 || second === text.length - 1) return undefined
  if (text.includes('.', second + 1)) return undefined
  return [text.slice(0, first), text.slice(first + 1, second), text.slice(second + 1)]
}

/** The bytes of base64url without padding, white space or surplus bits; what is not spelled so does not come back. */
export const decodeCanonical = (part: string): Buffer | undefined => {
  const bytes = Buffer.from(part, 'base64url')
  return bytes.toString('base64url') === part ? bytes : undefined
}

const parseJson = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
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

// A byte order mark is kept, so that JSON.parse refuses it (RFC 8259 §8.1).
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const decodeUtf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

// An unclosed one, which valid JSON has not, goes on to the end: the search never starts again inside of it.
const JSON_STRING = /"(?:[^"\\]|\\[^])*(?:"|\\?$)/g

/** Members in a valid JSON text: outside strings, a colon stands in each and nowhere else. */
const membersWritten = (json: string): number => json.replace(JSON_STRING, '').split(':').length - 1

/** Members that JSON.parse kept, in all objects together; not a number where the value is nested too deep. */
const membersKept = (value: unknown, depth: number): number => {
  if (typeof value !== 'object' || value === null) return 0
  if (depth > JSON_DEPTH_MAX) return Number.NaN
  const members: unknown[] = Object.values(value)
  const own = Array.isArray(value) ? 0 : members.length
  return members.reduce((sum: number, member) => sum + membersKept(member, depth + 1), own)
}

// Of two members of one name JSON.parse keeps the last, others the first: both must be refused (RFC 7515 §4).
const parseObject = (bytes: Uint8Array): JsonObject | undefined => {
  const json = decodeUtf8(bytes)
  if (json === undefined) return undefined
  const value = parseJson(json)
  return isJsonObject(value) && membersKept(value, 1) === membersWritten(json) ? value : undefined
}

/** A foreign JWS, read but not verified; undefined where the text is not one in its only allowed form. */
export const readCompactJws = (text: string): CompactJws | undefined => {
  const parts = splitCompact(text)
  if (parts === undefined) return undefined
  const [headerBytes, payloadBytes, signature] = parts.map(decodeCanonical)
  if (headerBytes === undefined || payloadBytes === undefined || signature === undefined) return undefined
  const header = parseObject(headerBytes)
  if (header === undefined || FORBIDDEN_HEADERS.some(name => Object.hasOwn(header, name))) return undefined
  const payload = parseObject(payloadBytes)
  return payload && { header, payload, signingInput: text.slice(0, text.lastIndexOf('.')), signature, text }
}
