// Texts: which can be stored unchanged, the hashes (in lower-case hex) of those that must not be stored, which a terminal shows,
// and the target of a request.

// The byte order mark with which some editors and servers begin a text in UTF-8. One is passed over in front of a document
// (RFC 8259 §8.1 allows it), and refused by name where a value would silently become another one.

export const BYTE_ORDER_MARK = '\u{FEFF}'

/** Its three bytes as a header shows them, each as a character. */
export const HEADER_BYTE_ORDER_MARK = '\u{EF}\u{BB}\u{BF}'

export const withoutByteOrderMark = (text: string): string =>
  text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text

/** `what` is what begins with it. */
export const formatByteOrderMark = (what: string): string =>
  `${what} begins with a byte order mark (U+FEFF): send it without one.`

/**
 * PostgreSQL refuses a NUL in a text, and with it the whole statement. Half of a surrogate pair is not UTF-8: it would be
 * stored as U+FFFD, which is another text.
 */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** SHA-256 of a text in UTF-8: 64 characters. */
export type Sha256 = string

/** The first 16 bytes of the SHA-256 of a token's exact text: 32 characters. */
export type Digest = string

export const SHA256_CHARACTERS = 64
export const DIGEST_CHARACTERS = 32

export const digestIn = (hash: Sha256): Digest => hash.slice(0, DIGEST_CHARACTERS)

/**
 * The text without these characters around it. A regular expression for the end of a text starts again at each of them, and
 * takes quadratic time.
 */
export const trimCharacters = (text: string, characters: string): string => {
  let [from, to] = [0, text.length]
  while (from < to && characters.includes(text.charAt(from))) from += 1
  while (to > from && characters.includes(text.charAt(to - 1))) to -= 1
  return text.slice(from, to)
}

// Texts for a terminal, or for a file that somebody shows on one: without the characters that a terminal obeys or hides.

/**
 * Control characters, of eight bits too; format characters, which turn the direction of writing or have no width; line
 * breaks of Unicode; halves of surrogate pairs, for which U+FFFD would be written.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu

/** Escapes a character as JSON does: above U+FFFF as two units (RFC 8259 §7). */
const escape = (character: string): string =>
  character
    .split('')
    .map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')

/** The text with each such character as its JSON escape. */
export const printable = (text: string): string => text.replaceAll(UNPRINTABLE, escape)

/** Makes each line printable of a text that the program itself makes. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n')

// The target of a request (RFC 9112 §3.2), in either form that an origin server may be sent.

// RFC 9110 §4.2: a host has to be named, and no user before it.
const ABSOLUTE = /^https?:\/\/([^/?#@]+)/i

type Target = {
  /** A path and its query. */
  readonly path: string
  /** The host and port of an absolute target; they replace `Host` (RFC 9112 §3.2.2). */
  readonly host?: string
}

/** Returns undefined for any text that is not a request target. */
export const parseTarget = (target: string): Target | undefined => {
  // No target has a fragment, which the router would take for a query.
  if (target.includes('#')) return undefined
  const [origin = '', host] = ABSOLUTE.exec(target) ?? []
  const path = target.slice(origin.length)
  const named = host === undefined ? {} : { host }
  if (path.startsWith('/')) return { path, ...named }
  // RFC 9112 §3.2.1: an empty path is sent as "/".
  return host !== undefined && (path === '' || path.startsWith('?')) ? { path: `/${path}`, ...named } : undefined
}
