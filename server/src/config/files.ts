// Parsers of settings that name a file.
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { withoutByteOrderMark } from '../domain/text/text.ts'
import { type Parser, wrong } from './values.ts'

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
const parseFile = parseFileAs(bytes => withoutByteOrderMark(bytes.toString('utf8')))

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
