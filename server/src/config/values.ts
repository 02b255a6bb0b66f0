// Parsers of single settings: each returns the typed value, or what is wrong and what was expected.
import { CLAIM_NAMES_MAX, isPlainClaim, isReservedClaim, PLAIN_NAME_FORM } from '../../../api/values/own-claims.ts'
import { parsePasted } from '../../../api/values/pasted-token.ts'

/** A value, or the rest of a sentence that starts with the variable's name. It never quotes a secret. */
export type Parsed<T> = { readonly value: T } | { readonly wrong: string }

export type Parser<T> = ((text: string) => Parsed<T>) & {
  /** The values that it takes, in words, where they are few or a range. */
  readonly bounds?: string
}

const bounded = <T>(bounds: string | undefined, parse: (text: string) => Parsed<T>): Parser<T> =>
  bounds === undefined ? parse : Object.assign(parse, { bounds })

export const wrong = (sentence: string): { readonly wrong: string } => ({ wrong: sentence })

export const parseText: Parser<string> = text => ({ value: text })

export const parseInteger = (least: number, most: number): Parser<number> =>
  bounded(`${least} to ${most}`, text => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    if (value >= least && value <= most) return { value }
    return wrong(`is ${JSON.stringify(text)}; expected a whole number from ${least} to ${most}`)
  })

const orWord = <T, Other>(parse: Parser<T>, word: string, other: Other): Parser<T | Other> =>
  bounded<T | Other>(parse.bounds === undefined ? undefined : `${parse.bounds}, or ${word}`, text => {
    if (text === word) return { value: other }
    const parsed = parse(text)
    return 'wrong' in parsed ? wrong(`${parsed.wrong}, or ${word}`) : parsed
  })

/** Accepts what the parser accepts, and `auto`. */
export const parseAutoOr = <T>(parse: Parser<T>): Parser<T | 'auto'> => orWord(parse, 'auto', 'auto')

/** Accepts what the parser accepts, and `off`, which is null. */
export const parseOffOr = <T>(parse: Parser<T>): Parser<T | null> => orWord(parse, 'off', null)

export const parseOneOf = <const T extends string>(choices: readonly T[]): Parser<T> =>
  bounded(choices.join(', '), text => {
    const value = choices.find(choice => choice === text)
    return value === undefined ? wrong(`is ${JSON.stringify(text)}; expected one of ${choices.join(', ')}`) : { value }
  })

export const parseRatio: Parser<number> = bounded('0 to 1', text => {
  const value = /^\d(?:\.\d{1,15})?$/.test(text) ? Number(text) : Number.NaN
  return value >= 0 && value <= 1
    ? { value }
    : wrong(`is ${JSON.stringify(text)}; expected a number from 0 to 1 such as 0.1`)
})

/** Returns the text; keys/ turns it into a key. The message must not contain any of it. */
export const parseKeyEncryptionKeyText: Parser<string> = text =>
  /^[A-Za-z0-9+/]{43}=$/.test(text) && Buffer.from(text, 'base64').toString('base64') === text
    ? { value: text }
    : wrong('is not 32 bytes in base64; expected what `openssl rand -base64 32` prints')

/** A secret that is sent in a header. The message must not contain any of it. */
export const parseSecretLine: Parser<string> = text =>
  /^[\x21-\x7E]{1,8192}$/.test(text) ? { value: text } : wrong('is not one line of printable ASCII without spaces')

/** A token as people paste it. */
export const parsePastedToken: Parser<string> = text => {
  const pasted = parsePasted(text)
  return 'wrong' in pasted ? pasted : parseSecretLine(pasted.value)
}

export const parsePassword: Parser<string> = text =>
  text.includes('\0') || text.includes('\n') ? wrong('is not one line') : { value: text }

/** Some of the choices, separated by commas. */
export const parseSomeOf = <T extends string>(choices: readonly T[]): Parser<readonly T[]> =>
  bounded(`some of ${choices.join(',')}`, text => {
    const names = text.split(',').map(name => name.trim())
    const known = names.flatMap(name => choices.filter(choice => choice === name))
    return known.length === names.length
      ? { value: known }
      : wrong(`is ${JSON.stringify(text)}; expected some of ${choices.join(',')}`)
  })

/** Names of claims, separated by commas. */
export const parseClaimNames: Parser<readonly string[]> = text => {
  const names = text.split(',').map(name => name.trim())
  const reserved = names.find(isReservedClaim)
  if (reserved !== undefined) return wrong(`names ${reserved}, which means something in tokens already; leave it out`)
  return names.length <= CLAIM_NAMES_MAX && names.every(isPlainClaim)
    ? { value: names }
    : wrong(
        `is ${JSON.stringify(text)}; expected at most ${CLAIM_NAMES_MAX} names such as roles,tenant_id, each ${PLAIN_NAME_FORM}`,
      )
}
