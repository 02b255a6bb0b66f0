// A token, or its id, as people paste it: out of a header, a command, a file, an answer or a mail. For the command line and the console.
import { SIGNATURE_BYTES } from './algorithms.ts'
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

/** The characters of a signature of this service: base64url without padding. */
const SIGNATURE_CHARACTERS = Object.values(SIGNATURE_BYTES).flatMap(lengths => lengths.map(n => Math.ceil((4 * n) / 3)))

/** Whether a text has the form of a whole token: one that lacks its end, or goes on with another word, has another length. */
const isWhole = (text: string): boolean =>
  isCompactJws(text) && SIGNATURE_CHARACTERS.includes(text.length - text.lastIndexOf('.') - 1)

/** Whether a word may go on in the next line: then it is perhaps not whole. */
const mayGoOn = (text: string, end: number): boolean => {
  const rest = text.slice(end)
  const next = rest.trimStart()
  return /^[\w-]/.test(next) && /[\r\n]/.test(rest.slice(0, rest.length - next.length))
}

/** The tokens that stand in a text: in quotes, behind `token=`, or at the end of a sentence. */
function* tokensAmong(text: string): Generator<string, void> {
  for (const { 0: part, index } of text.matchAll(/[\w.=-]+/g)) {
    const word = part.slice(part.indexOf('=') + 1).replace(/\.$/, '')
    if (isWhole(word) || (isCompactJws(word) && !mayGoOn(text, index + part.length))) yield word
  }
}

/** The first two that differ. */
const firstTwo = (words: Iterable<string>): readonly string[] => {
  const found = new Set<string>()
  for (const word of words) {
    found.add(word)
    if (found.size === 2) break
  }
  return [...found]
}

/** Where a mail or a shell has broken a word: the sign at the end of a line, and the one of quotation before the next. */
const BROKEN = /(?:^|[\\=]?[\r\n])(?:[ \t]*>)*/g

/** Without white space and characters that nobody sees, without the header and the scheme before it, and without quotes around it. */
const wordOf = (pasted: string): { readonly word: string; readonly isOneWord: boolean } => {
  let text = pasted.replaceAll(BROKEN, '\n')
  for (let n = 0; n < LAYERS; n += 1) text = unwrap(text)
  return { word: text.replaceAll(UNSEEN, ''), isOneWord: !/\s/.test(text) }
}

/** The form of what was broken into lines: a JWS or a JWE, whole or not, and an id. */
const MAY_BE_BROKEN = /^[\w-]+(?:\.[\w-]*){2,4}$|^[\da-f-]{36}$/i

const PASTED_WRONG = {
  secret: 'is a client secret or an API key, which is sent nowhere',
  several: 'holds more than one token',
  words: 'holds several words, and none of them is a token',
} as const

type PastedWrong = keyof typeof PASTED_WRONG

type Pasted = { readonly text: string; readonly not?: PastedWrong }

/** The one token that stands whole in a text; else the text without what it was copied with, and why it is none. */
const takeToken = (pasted: string): Pasted => {
  const [found, ...more] = firstTwo(tokensAmong(pasted.replaceAll(/\p{Cf}/gu, '')))
  if (found !== undefined && more.length === 0 && isWhole(found)) return { text: found }
  const { word, isOneWord } = wordOf(pasted)
  if (isCompactJws(word)) return { text: word }
  if (more.length > 0) return { text: word, not: 'several' }
  if (found !== undefined) return { text: found }
  return isOneWord || MAY_BE_BROKEN.test(word) ? { text: word } : { text: word, not: 'words' }
}

/** What a shell, a mail, a page or a terminal puts into a secret: escapes, signs of quotation, and what nobody sees. */
const BETWEEN = /[\s\p{C}\p{Mn}\\>\u2800\u3164]/gu

/** A client secret or an API key, or most of one: alone, in quotes, or in the variable or the command that it was copied with. */
const SECRET = /mm[ac]_[0-9A-Za-z]{16,}/i
const SECRET_WORD = /(?:^|[^\w.-])mm[ac]_[0-9A-Za-z]{16,}/i
/** The header of a client's secret, and private keys: PEM, and a JWK. */
const OTHER_SECRET = /\bBasic\s+[\w+/=-]{16,}|PRIVATE KEY-----|"[dk]"\s*:\s*"/i

const isSecret = (pasted: string, { text }: Pasted): boolean => {
  // A token may have the characters of a secret by chance.
  const isToken = isCompactJws(text) && !(SECRET_WORD.test(pasted) && SECRET.test(text))
  if (isToken) return false
  return OTHER_SECRET.test(pasted) || SECRET.test(pasted.replaceAll(/%5f/gi, '_').replaceAll(BETWEEN, ''))
}

/** What a person pasted for a token, and why it is not sent. */
export const readPasted = (pasted: string): Pasted => {
  const taken = takeToken(pasted)
  return isSecret(pasted, taken) ? { text: taken.text, not: 'secret' } : taken
}

/** The same for a reader of the command line. */
export const parsePasted = (pasted: string): { readonly value: string } | { readonly wrong: string } => {
  const { text, not } = readPasted(pasted)
  return not === undefined ? { value: text } : { wrong: PASTED_WRONG[not] }
}

/** Where a secret begins, the one before it has ended. */
const SECRETS = /mm[ac]_(?:(?!mm[ac]_)[0-9A-Za-z]){16,64}/g

function* foundIn(text: string, mayBeOurs: (found: string) => boolean): Generator<string, void> {
  for (const [secret] of text.matchAll(SECRETS)) if (mayBeOurs(secret)) yield secret
  for (const token of tokensAmong(text)) if (mayBeOurs(token)) yield token
}

/**
 * What was found in the open: the client secrets, API keys and tokens in a text that may be ours, at most two that differ; if there is
 * none, the text without what it was copied with. A token that was broken into lines is found where nothing else stands beside it.
 */
export const secretsInPasted = (pasted: string, mayBeOurs: (found: string) => boolean): readonly string[] => {
  const found = firstTwo(foundIn(pasted.replaceAll(/\p{Cf}/gu, ''), mayBeOurs))
  const [one] = found
  if (one === undefined) return [takeToken(pasted).text]
  const { text } = takeToken(pasted.replaceAll(one, ' '))
  return found.length === 1 && isCompactJws(text) && mayBeOurs(text) ? [one, text] : found
}
