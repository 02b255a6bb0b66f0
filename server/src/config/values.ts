// Parsers of single configuration values: each returns the typed value, or what is wrong and what was expected.
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { withoutByteOrderMark } from '../domain/text/byte-order-mark.ts'
import { isResource } from '../../../api/values/audience.ts'
import { isLoopback, lacksHost } from '../../../packages/verify/src/readers/web-address.ts'
import { trimCharacters } from '../domain/text/text.ts'

/** A value, or the rest of a sentence that starts with the variable's name. It never quotes a secret. */
export type Parsed<T> = { readonly value: T } | { readonly wrong: string }

export type Parser<T> = ((text: string) => Parsed<T>) & {
  /** The values that it takes, in words, where they are few or a range. */
  readonly bounds?: string
}

const bounded = <T>(bounds: string | undefined, parse: (text: string) => Parsed<T>): Parser<T> =>
  bounds === undefined ? parse : Object.assign(parse, { bounds })

const orWord = (bounds: string | undefined, word: string): string | undefined =>
  bounds === undefined ? undefined : `${bounds}, or ${word}`

const wrong = (sentence: string): { readonly wrong: string } => ({ wrong: sentence })

export const parseText: Parser<string> = text => ({ value: text })

export const parseInteger = (least: number, most: number): Parser<number> =>
  bounded(`${least} to ${most}`, text => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    if (value >= least && value <= most) return { value }
    return wrong(`is ${JSON.stringify(text)}; expected a whole number from ${least} to ${most}`)
  })

/** Accepts what the parser accepts, and `auto`. */
export const parseAutoOr = <T>(parse: Parser<T>): Parser<T | 'auto'> =>
  bounded<T | 'auto'>(orWord(parse.bounds, 'auto'), text => {
    if (text === 'auto') return { value: text }
    const parsed = parse(text)
    return 'wrong' in parsed ? wrong(`${parsed.wrong}, or auto`) : parsed
  })

/** Accepts what the parser accepts, and `off`, which is null. */
export const parseOffOr = <T>(parse: Parser<T>): Parser<T | null> =>
  bounded<T | null>(orWord(parse.bounds, 'off'), text => {
    if (text === 'off') return { value: null }
    const parsed = parse(text)
    return 'wrong' in parsed ? wrong(`${parsed.wrong}, or off`) : parsed
  })

export const parseOneOf = <T extends string>(choices: readonly T[]): Parser<T> =>
  bounded(choices.join(', '), text => {
    const value = choices.find(choice => choice === text)
    return value === undefined ? wrong(`is ${JSON.stringify(text)}; expected one of ${choices.join(', ')}`) : { value }
  })

// The reason why a text cannot be the URL of a server of tokens or keys; undefined if it can.
const flawOfAddress = (text: string): string | undefined => {
  // URL.canParse takes some host names that are too long, for which the constructor throws.
  const url = URL.parse(text)
  if (url === null) return 'is not a URL; expected an address such as https://auth.example.com'
  if (lacksHost(text)) return 'names no host; expected an address such as https://auth.example.com'
  if (url.username !== '' || url.password !== '') return 'holds a user name or a password; expected an address without'
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return `opens with ${url.protocol}; expected https:`
  if (url.protocol === 'http:' && !isLoopback(url)) return 'is http; expected https (http is accepted on loopback only)'
  if (text.includes('#')) return 'holds a fragment; expected an address without #'
  return undefined
}

/** The address of a document: https, or http on loopback. */
export const parseAddress: Parser<string> = text => {
  const flaw = flawOfAddress(text)
  return flaw === undefined ? { value: text } : wrong(flaw)
}

/** An issuer: an address without query and fragment (RFC 8414 §2), kept as written, because `iss` is compared exactly. */
export const parseIssuer: Parser<string> = text => {
  const flaw = flawOfAddress(text)
  if (flaw !== undefined) return wrong(flaw)
  return text.includes('?') ? wrong('holds a query; expected an address without ?') : { value: text }
}

/** The base URL: an issuer in normal form, without a trailing slash, so that comparisons succeed everywhere. */
export const parseBaseUrl: Parser<string> = text => {
  const issuer = parseIssuer(text)
  if ('wrong' in issuer) return issuer
  const normal = trimCharacters(new URL(text).href, '/')
  if (text !== normal) return wrong(`is ${JSON.stringify(text)}; expected it written as ${normal}`)
  return isResource(text) ? issuer : wrong('is longer than 512 characters; expected a shorter address')
}

export const parseAudience: Parser<string> = text =>
  isResource(text)
    ? { value: text }
    : wrong('is not an absolute URI without a fragment; expected https://api.example.com')

const RANGES_MAX = 64

const isRange = (range: string): boolean => {
  const [, address = '', bits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(range) ?? []
  const version = isIP(address)
  // A zone would be passed over: the address would be allowed on every interface.
  return version !== 0 && !address.includes('%') && Number(bits) <= (version === 4 ? 32 : 128)
}

/** Networks as address/bits, separated by commas. */
export const parseRanges: Parser<readonly string[]> = text => {
  const ranges = text.split(',').map(range => range.trim())
  return ranges.length <= RANGES_MAX && ranges.every(isRange)
    ? { value: ranges }
    : wrong(`is ${JSON.stringify(text)}; expected at most ${RANGES_MAX} networks such as 10.0.0.0/8,fd00::/8`)
}

/** Returns the text; keys/ turns it into a key. The message must not contain any of it. */
export const parseKeyEncryptionKeyText: Parser<string> = text =>
  /^[A-Za-z0-9+/]{43}=$/.test(text) && Buffer.from(text, 'base64').toString('base64') === text
    ? { value: text }
    : wrong('is not 32 bytes in base64; expected what `openssl rand -base64 32` prints')

const NOT_UTF8 = 'ERR_ENCODING_INVALID_ENCODED_DATA'

const parseFileAs =
  (decode: (bytes: Buffer) => string): Parser<string> =>
  path => {
    try {
      return { value: decode(readFileSync(path)) }
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
      return wrong(
        code === NOT_UTF8
          ? `names ${JSON.stringify(path)}, which is not in UTF-8; expected it saved as UTF-8`
          : `names ${JSON.stringify(path)}, which cannot be read (${code}); expected a readable file`,
      )
    }
  }

/** The content of a file in UTF-8. Of another encoding some letters would silently become U+FFFD. */
export const parseUtf8File = parseFileAs(bytes => new TextDecoder('utf-8', { fatal: true }).decode(bytes))

/** The content of a file in PEM, in which names stand between the blocks in any encoding. */
export const parseFile = parseFileAs(bytes => withoutByteOrderMark(bytes.toString('utf8')))

/** A certificate or a key in PEM. */
export const parsePemFile =
  (label: RegExp, kind: string): Parser<string> =>
  path => {
    const file = parseFile(path)
    if ('wrong' in file || label.test(file.value)) return file
    return wrong(`names ${JSON.stringify(path)}, which holds no ${kind}; expected a PEM file`)
  }

const BEGIN = '-----BEGIN CERTIFICATE-----'

/** Each as OpenSSL has it, which reads the first of a text. Throws where one cannot be read. */
export const certificatesIn = (pem: string): readonly X509Certificate[] =>
  pem
    .split(BEGIN)
    .slice(1)
    .map(rest => new X509Certificate(BEGIN + rest))

/** A file of certificates in PEM, each of which can be read and fits. */
export const parseCertificatesFile =
  (fits: (certificate: X509Certificate) => boolean, expected: string): Parser<string> =>
  path => {
    const file = parseFile(path)
    if ('wrong' in file) return file
    try {
      const found = certificatesIn(file.value)
      if (found.length > 0 && found.every(fits)) return file
    } catch {
      // One cannot be read.
    }
    return wrong(`names ${JSON.stringify(path)}; expected ${expected}`)
  }
