// Texts in the store: which can be stored unchanged, and the hashes (in lower-case hex) of those that must not be stored.

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
