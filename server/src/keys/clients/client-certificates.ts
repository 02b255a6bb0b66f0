// Certificates of TLS clients (RFC 5280): OpenSSL says whether bytes are one and how long it is valid; the names are read
// from its DER, because a name in a text of OpenSSL's may look like two.
import { hash, type KeyObject, X509Certificate } from 'node:crypto'
import type { ClientCertificate } from '../../domain/clients/client-certificate.ts'
import type { SubjectKind } from '../../../../api/values/credentials.ts'
import { canonicalName, type NameAttribute } from '../../../../api/values/distinguished-name.ts'
import { normalSubject } from '../../../../api/values/subject-name.ts'
import type { ClientCertificates } from '../../ports/client-keys.ts'
import { orUndefined } from '../or-undefined.ts'
import { type Element, Malformed, readElements, readInside, readObjectIdentifier } from './der.ts'
import { KEY_KINDS_TAKEN } from '../providers/provider-key.ts'
import { rsaWeakness } from '../providers/rsa-strength.ts'

const [SEQUENCE, SET, OCTET_STRING] = [0x30, 0x31, 0x04]
const [VERSION, EXTENSIONS] = [0xa0, 0xa3]
const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17'
/** The subject, after the serial number, the signature's algorithm, the issuer and the validity (RFC 5280 §4.1). */
const SUBJECT_PLACE = 4

const strict = (encoding: string): ((bytes: Uint8Array) => string) => {
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true })
  return bytes => decoder.decode(bytes)
}

const utf8 = strict('utf-8')

const ascii = (bytes: Uint8Array): string => {
  if (bytes.some(byte => byte > 0x7f)) throw new Malformed('A text is not ASCII.')
  return utf8(bytes)
}

/** The string types whose characters are beyond doubt: UTF8String, PrintableString, IA5String, BMPString. */
const STRINGS: Readonly<Record<number, (bytes: Uint8Array) => string>> = {
  0x0c: utf8,
  0x13: ascii,
  0x16: ascii,
  0x1e: strict('utf-16be'),
}

// A TextDecoder throws TypeErrors.
const isMalformed = (error: unknown): boolean => error instanceof Malformed || error instanceof TypeError

const attributeOf = (element: Element): NameAttribute => {
  const [type, value, ...rest] = readInside(element, SEQUENCE)
  const decode = value === undefined ? undefined : STRINGS[value.tag]
  if (type === undefined || value === undefined || decode === undefined || rest.length > 0) {
    throw new Malformed('An attribute of the subject is of a type that is not taken.')
  }
  return { type: readObjectIdentifier(type), value: decode(value.content) }
}

/** The subject in its canonical form; nothing where it is empty, or holds what cannot be compared. */
const subjectOf = (subject: Element | undefined): readonly string[] => {
  try {
    const name = readInside(subject, SEQUENCE).map(part => readInside(part, SET).map(attributeOf))
    return name.length === 0 ? [] : [canonicalName(name)]
  } catch (error) {
    if (isMalformed(error)) return []
    throw error
  }
}

const ipOf = (bytes: Uint8Array): string => {
  if (bytes.length === 4) return bytes.join('.')
  if (bytes.length !== 16) return ''
  return Buffer.from(bytes).toString('hex').match(/.{4}/g)?.join(':') ?? ''
}

/** GeneralName (RFC 5280 §4.2.1.6): the kinds by which an agent may be known. */
const GENERAL_NAMES: Readonly<Record<number, readonly [SubjectKind, (bytes: Uint8Array) => string]>> = {
  0x81: ['san_email', ascii],
  0x82: ['san_dns', ascii],
  0x86: ['san_uri', ascii],
  0x87: ['san_ip', ipOf],
}

const alternativeOf = ({ tag, content }: Element): readonly (readonly [SubjectKind, string])[] => {
  const known = GENERAL_NAMES[tag]
  if (known === undefined) return []
  const [kind, decode] = known
  const name = normalSubject(kind, decode(content))
  return name === undefined ? [] : [[kind, name]]
}

const alternativesOf = (extensions: readonly Element[]): readonly (readonly [SubjectKind, string])[] =>
  extensions.flatMap(extension => {
    const [type, ...rest] = readInside(extension, SEQUENCE)
    if (type === undefined || readObjectIdentifier(type) !== SUBJECT_ALTERNATIVE_NAME) return []
    const value = rest.at(-1)
    if (value?.tag !== OCTET_STRING) throw new Malformed('An extension has no value.')
    const [names] = readElements(value.content)
    return readInside(names, SEQUENCE).flatMap(alternativeOf)
  })

const namesOf = (der: Uint8Array): ClientCertificate['names'] => {
  const [certificate] = readElements(der)
  const [signed] = readInside(certificate, SEQUENCE)
  const [first, ...others] = readInside(signed, SEQUENCE)
  // The version is the first, where it is there.
  const parts = first?.tag === VERSION ? others : [first, ...others]
  const wrapped = parts.find(part => part?.tag === EXTENSIONS)
  const [extensions] = wrapped === undefined ? [] : readInside(wrapped, EXTENSIONS)
  const alternatives = extensions === undefined ? [] : alternativesOf(readInside(extensions, SEQUENCE))
  const namesOfKind = (kind: SubjectKind) => alternatives.filter(([of]) => of === kind).map(([, name]) => name)
  return {
    subject_dn: subjectOf(parts[SUBJECT_PLACE]),
    san_dns: namesOfKind('san_dns'),
    san_uri: namesOfKind('san_uri'),
    san_ip: namesOfKind('san_ip'),
    san_email: namesOfKind('san_email'),
  }
}

const NAMELESS: ClientCertificate['names'] = { subject_dn: [], san_dns: [], san_uri: [], san_ip: [], san_email: [] }

/** Returns no names where OpenSSL accepts what is not strict DER: then only the thumbprint and the times count. */
const namesIfStrict = (der: Uint8Array): ClientCertificate['names'] => {
  try {
    return namesOf(der)
  } catch (error) {
    if (isMalformed(error)) return NAMELESS
    throw error
  }
}

/** A key of a kind that Node does not know is for the program that verified the connection to judge. */
const publicKeyOf = (certificate: X509Certificate): KeyObject | undefined => orUndefined(() => certificate.publicKey)

const weaknessOf = (certificate: X509Certificate): string | null => {
  const key = publicKeyOf(certificate)
  return (key && rsaWeakness(key)) ?? null
}

const read = (der: Uint8Array): ClientCertificate | undefined => {
  const certificate = orUndefined(() => new X509Certificate(der))
  // OpenSSL also takes PEM, and passes over what follows.
  if (certificate === undefined || Buffer.compare(certificate.raw, der) !== 0) return undefined
  return {
    thumbprint: hash('sha256', der, 'base64url'),
    names: namesIfStrict(der),
    weakness: weaknessOf(certificate),
    notBefore: certificate.validFromDate.getTime(),
    notAfter: certificate.validToDate.getTime(),
  }
}

const [BEGIN, END] = ['-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----']

/** What stands in base64 between the lines; undefined where the text is something else (RFC 7468 §3, "lax"). */
const bytesIn = (pem: string): Uint8Array | undefined => {
  const text = pem.trim()
  if (!text.startsWith(BEGIN) || !text.endsWith(END)) return undefined
  const base64 = text.slice(BEGIN.length, -END.length)
  // One class of characters, without a choice: linear, whatever the text is.
  return /^\s[A-Za-z0-9+/=\s]*$/.test(base64) ? Buffer.from(base64, 'base64') : undefined
}

const readPem = (text: string): ClientCertificate | undefined => {
  const der = bytesIn(text)
  return der && read(der)
}

const CURVES: readonly unknown[] = ['prime256v1', 'secp384r1']
const KINDS: readonly unknown[] = ['rsa', 'rsa-pss', 'ed25519']

/** The kinds of `private_key_jwt`. Of others some cannot sign (X25519), some not in TLS (P-224), some not for every proxy (P-521). */
const isOfKindTaken = (key: KeyObject | undefined): boolean =>
  key?.asymmetricKeyType === 'ec'
    ? CURVES.includes(key.asymmetricKeyDetails?.namedCurve)
    : KINDS.includes(key?.asymmetricKeyType)

const pin: ClientCertificates['pin'] = text => {
  const der = bytesIn(text)
  const certificate = der && read(der)
  if (der === undefined || certificate === undefined)
    return { wrong: 'holds something other than one certificate in PEM' }
  const { thumbprint, weakness } = certificate
  if (weakness !== null) return { wrong: `holds a certificate whose key is ${weakness}` }
  return isOfKindTaken(publicKeyOf(new X509Certificate(der)))
    ? { thumbprint }
    : { wrong: `holds a certificate whose key is of a kind that is not taken: ${KEY_KINDS_TAKEN}` }
}

export const clientCertificates: ClientCertificates = { read, readPem, pin }
