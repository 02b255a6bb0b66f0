// A token, or its id, as people paste it: out of a header, a command, a file, an answer or a mail. For the command line and the console.
import { COMPACT_CHARACTERS_MAX } from '../../packages/verify/src/readers/compact-jws.ts'

/** How many of these parts may stand around one another: `'Authorization: Bearer "TOKEN"'` has four. */
const LAYERS = 8

const QUOTE_BEFORE = /^["'`“”‘’]/
const QUOTE_AFTER = /["'`“”‘’]$/
const HEADER = /^authorization\s*:/i
const SCHEME = /^(?:bearer|dpop)\s/i

const unwrap = (text: string): string =>
  [QUOTE_BEFORE, QUOTE_AFTER, HEADER, SCHEME].reduce((left, part) => left.replace(part, ''), text.trim())

/** The compact form of a JWS (RFC 7515 §7.1); what it holds is the service's to judge. */
const COMPACT_JWS = /^eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}$/

/** False for a text that is longer than any token: on millions of characters the expression itself fails. */
export const isCompactJws = (text: string): boolean => text.length <= COMPACT_CHARACTERS_MAX && COMPACT_JWS.test(text)

const UNSEEN = /[\s\p{Cf}]/gu

/** Whether the word may go on in the next line: then it is not whole. */
const isCut = (text: string, word: string): boolean => {
  const rest = text.slice(text.indexOf(word) + word.length)
  const next = rest.trimStart()
  return /^[\w-]/.test(next) && /[\r\n]/.test(rest.slice(0, rest.length - next.length))
}

/** The tokens that stand whole in a text: in quotes, behind `token=`, or at the end of a sentence. */
const tokensAmong = (text: string): readonly string[] => {
  const words = text.split(/[^\w.=-]/).map(word => word.slice(word.indexOf('=') + 1).replace(/\.$/, ''))
  return [...new Set(words)].filter(word => isCompactJws(word) && !isCut(text, word))
}

/**
 * The text without white space and characters that nobody sees, without the header and the scheme before it, and without quotes
 * around it; or the one token that stands whole in a longer text.
 */
export const tokenInPasted = (pasted: string): string => {
  let text = pasted
  for (let n = 0; n < LAYERS; n += 1) text = unwrap(text)
  const word = text.replaceAll(UNSEEN, '')
  if (isCompactJws(word)) return word
  const [found, ...more] = tokensAmong(pasted.replaceAll(/\p{Cf}/gu, ''))
  return found === undefined || more.length > 0 ? word : found
}

/** A client secret or an API key, or most of one: alone, in quotes, or in the header, the variable or the command that it was copied with. */
const SECRET = /mm[ac]_[0-9A-Za-z]{16,}/

/** A text that is sent nowhere. A token may have the characters of a secret by chance. */
export const isSecretText = (text: string): boolean =>
  SECRET.test(text.replaceAll(UNSEEN, '')) && !isCompactJws(tokenInPasted(text))
