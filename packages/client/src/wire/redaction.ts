// Keeps secrets out of what is printed: of objects that hold one, and of texts that a server or a library made.

export const REDACTED = '[redacted]'

/** The method by which `util.inspect` and `console.log` of Node and Bun ask an object for its text. */
export const INSPECT: unique symbol = Symbol.for('nodejs.util.inspect.custom') as never
/** The method that Deno asks. */
export const INSPECT_DENO: unique symbol = Symbol.for('Deno.customInspect') as never

const DESCRIPTION_CHARACTERS_MAX = 500

/** `application/x-www-form-urlencoded`, as forms and HTTP Basic hold it (RFC 6749 §2.3.1). */
export const formEncode = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1)

/** The secret, and how else it may be written. */
const spellingsOf = (secret: string): readonly string[] => [
  ...new Set([secret, formEncode(secret), encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]),
]

/**
 * A text of others, such as `error_description`, as it may stand in a message: one line of printable ASCII, of at most 500
 * characters, without these secrets: a server may repeat what it was sent.
 */
export const harmless = (text: string, secrets: readonly string[] = []): string => {
  let clean = text
  for (const spelling of secrets.filter(secret => secret !== '').flatMap(spellingsOf)) {
    clean = clean.replaceAll(spelling, REDACTED)
  }
  return clean
    .slice(0, DESCRIPTION_CHARACTERS_MAX)
    .replaceAll(/[^\x20-\x7E]+/g, ' ')
    .trim()
}
