// Where a leaked secret was found, as the audit log keeps it: an address from a stranger's report, which may carry the
// secret itself, other credentials, or characters that a terminal obeys.

const FOUND_AT_CHARACTERS_MAX = 1000

const REPLACED = '[secret]'

/** Control and format characters, line breaks of Unicode, and halves of surrogate pairs: each becomes U+FFFD. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu

// An address spells "_" as %5F where it spells everything that way.
const SECRET_IN_TEXT = /mm[ac](?:_|%5f)[0-9a-z]+/gi

/** What stands between // and the last @ before the path: a user's name and password (RFC 3986 §3.2.1). */
const USER_INFORMATION = /\/\/[^/?#\\]*@/g

const PARTS_IN_TEXT = /[\w.-]+/g
const TOKEN_PART_CHARACTERS_MIN = 10

/** One expression for the three parts of a token would begin again at each character of a long part. */
const withoutTokens = (text: string): string => {
  const kept: string[] = []
  for (const part of text.split('.')) {
    kept.push(part)
    const last = kept.slice(-3).filter(({ length }) => length >= TOKEN_PART_CHARACTERS_MIN)
    if (last.length === 3) kept.splice(-3, 3, REPLACED)
  }
  return kept.join('.')
}

/** Names of parameters whose value lets somebody in. */
const CREDENTIAL_NAME = /token|secret|passw|pwd|api[-_]?key|signature|credential|session|^(?:sig|key|auth|code|pass)$/i

const BETWEEN_PARAMETERS = /([?&;#])/

const withoutValue = (parameter: string): string => {
  const at = parameter.indexOf('=')
  if (at < 0 || !CREDENTIAL_NAME.test(parameter.slice(0, at))) return parameter
  return `${parameter.slice(0, at)}=${REPLACED}`
}

/** Bounded and printable, without what is a credential by its form or its name. */
export const cleanFoundAt = (text: string): string =>
  text
    .replaceAll(UNPRINTABLE, '\uFFFD')
    .replaceAll(USER_INFORMATION, `//${REPLACED}@`)
    .replaceAll(SECRET_IN_TEXT, REPLACED)
    .replaceAll(/%2e/gi, '.')
    .replaceAll(PARTS_IN_TEXT, withoutTokens)
    .split(BETWEEN_PARAMETERS)
    .map(withoutValue)
    .join('')
    .slice(0, FOUND_AT_CHARACTERS_MAX)
    .toWellFormed()
