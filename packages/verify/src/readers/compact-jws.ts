// The strict reader of compact JWS (RFC 7515 §3.1, §7.1), of the service and of resource servers: a text that passes has one
// spelling and one meaning. JWT libraries accept some twenty spellings of one token (padding, white space, surplus bits).
import { type JsonObject, parseObject } from './json.ts'

/**
 * Longer texts are not read; a form with one still fits in the 16 KiB of a body. The longest token that the limits on scope,
 * audience, client id, kid and depth allow is below, but for one under ML-DSA-65 that was got by exchanges: its signature
 * alone takes 4,412 characters. Without ancestors it has some 13,400 there, and some 9,000 under ES256.
 */
export const COMPACT_CHARACTERS_MAX = 16_000

// Each would change what is signed or how it is read (RFC 7515 §4.1.11, RFC 7797 §3, RFC 7516 §4.1.3).
const FORBIDDEN_HEADERS = ['crit', 'b64', 'zip'] as const

export type CompactJws = {
  readonly header: JsonObject
  readonly payload: JsonObject
  /** The three parts as they are written. */
  readonly parts: readonly [header: string, payload: string, signature: string]
}

const BASE64URL = /^[\w-]+$/
// In a last group of two characters the last one carries two bits, in one of three four: the others are zero.
const LAST_OF_TWO = /[AQgw]$/
const LAST_OF_THREE = /[AEIMQUYcgkosw048]$/

/** Whether a text is base64url without padding, white space or surplus bits. */
export const isCanonical = (part: string): boolean => {
  if (!BASE64URL.test(part)) return false
  switch (part.length % 4) {
    case 0:
      return true
    case 2:
      return LAST_OF_TWO.test(part)
    case 3:
      return LAST_OF_THREE.test(part)
    default:
      return false
  }
}

type Decode = (text: string, options: { readonly alphabet: 'base64url' }) => Uint8Array<ArrayBuffer>

/** Node has it since version 25, browsers since 2025. */
const native = (Uint8Array as { readonly fromBase64?: Decode }).fromBase64

const decodeByAtob = (part: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(part.replaceAll('-', '+').replaceAll('_', '/')), character => character.charCodeAt(0))

/** The bytes of what {@link isCanonical}. Not by jose: a command of the service, which reads no token, would load it at its start. */
export const decodeBase64url = (part: string): Uint8Array<ArrayBuffer> =>
  native === undefined ? decodeByAtob(part) : native(part, { alphabet: 'base64url' })

/** The bytes of canonical base64url; undefined for any other text. */
export const decodeCanonical = (part: string): Uint8Array<ArrayBuffer> | undefined =>
  isCanonical(part) ? decodeBase64url(part) : undefined

/** The three parts as they are written, none empty; undefined where there are not three or the text is too long. */
export const splitCompact = (text: string, charactersMax = COMPACT_CHARACTERS_MAX): CompactJws['parts'] | undefined => {
  if (text.length > charactersMax) return undefined
  const first = text.indexOf('.')
  const second = text.indexOf('.', first + 1)
  if (first < 1 || second <= first + 1 || second === text.length - 1) return undefined
  if (text.includes('.', second + 1)) return undefined
  return [text.slice(0, first), text.slice(first + 1, second), text.slice(second + 1)]
}

const decodeObject = (part: string): JsonObject | undefined => {
  const bytes = decodeCanonical(part)
  return bytes === undefined ? undefined : parseObject(bytes)
}

const isPlain = (header: JsonObject): boolean => !FORBIDDEN_HEADERS.some(name => Object.hasOwn(header, name))

/**
 * Makes a reader of texts that nobody has verified; undefined for what is not in the only form that is allowed. It reads a header
 * anew only where it differs from the last one: all tokens of a key have the same.
 */
export const makeCompactReader = (
  charactersMax = COMPACT_CHARACTERS_MAX,
): ((text: string) => CompactJws | undefined) => {
  let last: { readonly text: string; readonly header: JsonObject } | undefined
  const readHeader = (text: string): JsonObject | undefined => {
    if (text === last?.text) return last.header
    const header = decodeObject(text)
    if (header === undefined || !isPlain(header)) return undefined
    last = { text, header }
    return header
  }
  return text => {
    const parts = splitCompact(text, charactersMax)
    if (parts === undefined || !isCanonical(parts[2])) return undefined
    const header = readHeader(parts[0])
    const payload = header && decodeObject(parts[1])
    return payload && { header, payload, parts }
  }
}
