// Certificates (RFC 5280), written byte by byte: as authorities make them, and as none should.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

const UTF8 = 0x0c
const DAY_MS = 86_400_000

type Bytes = Uint8Array

export const der = (tag: number, ...parts: readonly Bytes[]): Bytes => {
  const content = Buffer.concat(parts)
  const { length } = content
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content])
  const digits = length < 0x100 ? [length] : [length >> 8, length & 0xff]
  return Buffer.concat([Buffer.of(tag, 0x80 + digits.length, ...digits), content])
}

const sequence = (...parts: readonly Bytes[]): Bytes => der(0x30, ...parts)

export const objectIdentifier = (text: string): Bytes => {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  const bytes = [40 * first + second, ...rest].flatMap(arc => {
    const digits = [arc & 0x7f]
    for (let left = arc >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80)
    return digits
  })
  return der(0x06, Buffer.from(bytes))
}

/** An attribute's type and value, and the tag of its string type; UTF8String unless it is given. */
export type Attribute = readonly [type: string, value: string | Bytes, tag?: number]

/** Parts in the order of the encoding; each the attributes of a set. */
export type Subject = readonly (readonly Attribute[])[]

export const CN = '2.5.4.3'
export const O = '2.5.4.10'
export const OU = '2.5.4.11'
export const C = '2.5.4.6'

const nameOf = (subject: Subject): Bytes =>
  sequence(
    ...subject.map(part =>
      der(
        0x31,
        ...part
          .map(([type, value, tag = UTF8]) => sequence(objectIdentifier(type), der(tag, Buffer.from(value))))
          .toSorted((a, b) => Buffer.compare(a, b)),
      ),
    ),
  )

/** GeneralName by its tag: 0x81 e-mail, 0x82 host, 0x86 URI, 0x87 address. */
export type AlternativeName = readonly [tag: number, value: string | Bytes]

const extension = (type: string, value: Bytes): Bytes => sequence(objectIdentifier(type), der(0x04, value))

const timeOf = (at: number): Bytes => der(0x18, Buffer.from(new Date(at).toISOString().replaceAll(/[-:T]|\.\d+/g, '')))

export type MadeCertificate = {
  readonly subject: Subject
  readonly privateKey: KeyObject
  readonly der: Bytes
  /** PEM, as Node's TLS and curl take them. */
  readonly cert: string
  readonly key: string
  /** The thumbprint as `x5t#S256` has it. */
  readonly thumbprint: string
}

export type CertificateRequest = {
  readonly subject?: Subject
  readonly names?: readonly AlternativeName[]
  /** Signs itself unless it is given. */
  readonly authority?: MadeCertificate
  readonly isAuthority?: boolean
  /** The purpose of a certificate that is no authority; client by default. */
  readonly purpose?: keyof typeof PURPOSES
  readonly notBefore?: number
  readonly notAfter?: number
  /** The key pair; one of P-256 by default. */
  readonly keys?: { readonly publicKey: KeyObject; readonly privateKey: KeyObject }
}

/** Keys of any kind that there is, as Node names it and its options. */
export const generateKeys = (kind: string, options: object = {}): NonNullable<CertificateRequest['keys']> => {
  const generate = generateKeyPairSync as (kind: string, options: object) => NonNullable<CertificateRequest['keys']>
  return generate(kind, options)
}

const ECDSA_WITH_SHA256 = sequence(objectIdentifier('1.2.840.10045.4.3.2'))
const PURPOSES = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const

const extensionsOf = ({ names, isAuthority = false, purpose: use = 'client' }: CertificateRequest): Bytes => {
  const purpose = isAuthority
    ? extension('2.5.29.19', sequence(der(0x01, Buffer.of(0xff))))
    : extension('2.5.29.37', sequence(objectIdentifier(PURPOSES[use])))
  const alternatives = names?.map(([tag, value]) => der(tag, Buffer.from(value)))
  return sequence(purpose, ...(alternatives === undefined ? [] : [extension('2.5.29.17', sequence(...alternatives))]))
}

const pemOf = (bytes: Bytes): string =>
  `-----BEGIN CERTIFICATE-----\n${Buffer.from(bytes)
    .toString('base64')
    .match(/.{1,64}/g)
    ?.join('\n')}\n-----END CERTIFICATE-----\n`

/** Makes a certificate: by default of a self-signed client, valid from an hour ago for ten days. */
export const makeCertificate = (request: CertificateRequest = {}): MadeCertificate => {
  const { subject = [[[CN, 'client']]], authority, notBefore = Date.now() - 3_600_000 } = request
  const { privateKey, publicKey } = request.keys ?? generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signed = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.concat([Buffer.of(1), randomBytes(15)])),
    ECDSA_WITH_SHA256,
    nameOf(authority?.subject ?? subject),
    sequence(timeOf(notBefore), timeOf(request.notAfter ?? notBefore + 10 * DAY_MS)),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensionsOf(request)),
  )
  const signature = sign('sha256', signed, authority?.privateKey ?? privateKey)
  const bytes = sequence(signed, ECDSA_WITH_SHA256, der(0x03, Buffer.of(0), signature))
  return {
    subject,
    privateKey,
    der: bytes,
    cert: pemOf(bytes),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    thumbprint: createHash('sha256').update(bytes).digest('base64url'),
  }
}

export const makeAuthority = (name: string): MadeCertificate =>
  makeCertificate({ subject: [[[CN, name]]], isAuthority: true })
