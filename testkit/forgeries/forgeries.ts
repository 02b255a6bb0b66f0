// How a JWT is made other than it should be: the parts from which the table of weaknesses is put together.
import { createCipheriv, createHmac, createPrivateKey, createPublicKey, type KeyObject, randomBytes } from 'node:crypto'
import type { JWK } from 'jose'
import { encodeJson, type ProofKey, signParts } from '../keys/dpop.ts'
import { fixedKey } from '../keys/fixed-keys.ts'
import { PRIVATE_KEY } from '../keys/loopback-certificate.ts'

type Members = Readonly<Record<string, unknown>>

/** A JWT that is taken where the table is tried, and what it is made of. */
export type Genuine = {
  readonly text: string
  /** Signs with an algorithm that is taken there. */
  readonly key: ProofKey
  readonly header: Members
  readonly claims: Members
  /** The URL of a listener that counts who connects. */
  readonly trap: string
}

export type Forge = (genuine: Genuine) => string

export type Forgeries = Readonly<Record<string, Forge>>

/** A forgery for each value, under a name. */
export const each = <T>(values: readonly T[], name: (value: T) => string, forge: (value: T) => Forge): Forgeries =>
  Object.fromEntries(values.map(value => [name(value), forge(value)]))

export const show = (value: unknown): string => (value === undefined ? 'left out' : JSON.stringify(value))

const certified = createPrivateKey(PRIVATE_KEY)

/** A forger has a key of each kind; for one of them there is a certificate. */
const ATTACKERS: Readonly<Record<string, ProofKey>> = {
  ES256: { alg: 'ES256', jwk: createPublicKey(certified).export({ format: 'jwk' }) as JWK, privateKey: certified },
  RS256: fixedKey('attacker', 'RS256'),
}

/** Returns the attacker's key for the accepted algorithm. */
export const attackerOf = ({ key }: Genuine): ProofKey => {
  const attacker = ATTACKERS[key.alg]
  if (attacker === undefined) throw new Error(`No forgeries are made for ${key.alg}.`)
  return attacker
}

export const ATTACKER_JWKS = Object.values(ATTACKERS).map(({ alg, jwk }) => ({ ...jwk, alg, kid: 'attacker' }))

const encode = (text: string | Uint8Array): string => Buffer.from(text).toString('base64url')

/** Returns a token with members changed, undefined ones omitted, signed by the genuine key: as if its owner had been confused. */
export const resigned = ({ key, header, claims }: Genuine, changed: { header?: Members; claims?: Members }): string =>
  signParts(key, JSON.stringify({ ...header, ...changed.header }), JSON.stringify({ ...claims, ...changed.claims }))

/** Returns such a token, signed by a key of the attacker's. */
export const signedByAttacker = (genuine: Genuine, header: Members): string =>
  resigned({ ...genuine, key: attackerOf(genuine) }, { header })

/** The three parts of the genuine JWT. */
export const partsOf = (genuine: Genuine): readonly [string, string, string] => {
  const [header = '', payload = '', signature = ''] = genuine.text.split('.')
  return [header, payload, signature]
}

export const withSignature = (genuine: Genuine, change: (signature: string) => string): string => {
  const [header, payload, signature] = partsOf(genuine)
  return `${header}.${payload}.${change(signature)}`
}

/** The header as text, changed, with the genuine payload, and any text in the place of a signature. */
export const unsigned = (genuine: Genuine, header: Members, signature: string): string =>
  `${encodeJson({ ...genuine.header, ...header })}.${encodeJson(genuine.claims)}.${signature}`

/** The texts of header and claims changed as texts, and signed by the genuine key. */
export const respelled = (
  { key, header, claims }: Genuine,
  change: { header?: (json: string) => string; claims?: (json: string) => string },
): string => {
  const [before, after] = [JSON.stringify(header), JSON.stringify(claims)]
  return signParts(key, change.header?.(before) ?? before, change.claims?.(after) ?? after)
}

const publicKeyOf = ({ jwk }: ProofKey): KeyObject => createPublicKey({ key: jwk, format: 'jwk' })

/** RSA has a form of its own (PKCS#1); of an elliptic curve it is the point. */
const ownForm = (key: ProofKey): Buffer =>
  key.jwk.kty === 'RSA'
    ? publicKeyOf(key).export({ type: 'pkcs1', format: 'der' })
    : Buffer.concat([Buffer.of(4), ...[key.jwk.x, key.jwk.y].map(part => Buffer.from(part ?? '', 'base64url'))])

const pem = (key: ProofKey): string => publicKeyOf(key).export({ type: 'spki', format: 'pem' })
const der = (key: ProofKey): Buffer => publicKeyOf(key).export({ type: 'spki', format: 'der' })
const first = ({ jwk }: ProofKey): string => jwk.n ?? jwk.x ?? ''
const sorted = ({ jwk }: ProofKey): string =>
  JSON.stringify(Object.fromEntries(Object.entries(jwk).toSorted(([a], [b]) => (a < b ? -1 : 1))))
const inPem = (type: string, bytes: Buffer): string =>
  `-----BEGIN ${type}-----\n${bytes.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END ${type}-----\n`

/** What a public key may be taken for, where a verifier takes it for the secret of an HMAC. */
export const SECRETS: Readonly<Record<string, (genuine: Genuine) => string | Uint8Array>> = {
  'nothing at all': () => '',
  'the key in PEM': ({ key }) => pem(key),
  'the key in PEM without its last line feed': ({ key }) => pem(key).trimEnd(),
  'the key in PEM with CRLF': ({ key }) => pem(key).replaceAll('\n', '\r\n'),
  'the key in PEM on one line': ({ key }) => pem(key).replaceAll('\n', ''),
  'the base64 between the lines of PEM': ({ key }) => der(key).toString('base64'),
  'the key in base64url': ({ key }) => encode(der(key)),
  'the key in DER': ({ key }) => der(key),
  'the key in hex': ({ key }) => der(key).toString('hex'),
  'the form of its kind in PEM': ({ key }) => inPem('RSA PUBLIC KEY', ownForm(key)),
  'the form of its kind in DER': ({ key }) => ownForm(key),
  'the form of its kind in base64': ({ key }) => ownForm(key).toString('base64'),
  'the JWK': ({ key }) => JSON.stringify(key.jwk),
  'the JWK with its members in order': ({ key }) => sorted(key),
  'the JWK, indented': ({ key }) => JSON.stringify(key.jwk, null, 2),
  'the JWK in base64url': ({ key }) => encodeJson(key.jwk),
  'the key set': ({ key }) => JSON.stringify({ keys: [key.jwk] }),
  'the first number of the key as text': ({ key }) => first(key),
  'the first number of the key as bytes': ({ key }) => Buffer.from(first(key), 'base64url'),
  'the kid': ({ header }) => JSON.stringify(header['kid'] ?? '').slice(1, -1),
}

export const hmacSigned = (
  genuine: Genuine,
  header: Members & { alg: string },
  secret: string | Uint8Array,
): string => {
  const input = `${encodeJson({ ...genuine.header, ...header })}.${encodeJson(genuine.claims)}`
  return `${input}.${createHmac(header.alg.replace('HS', 'sha'), secret).update(input).digest('base64url')}`
}

/** JWE (RFC 7516 §7.1), encrypted for a party with the secret, or one that takes the public key for it. */
export const encrypted = (header: Members, secret: Uint8Array, plain: string): string => {
  const protectedHeader = encodeJson({ alg: 'dir', enc: 'A256GCM', ...header })
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', secret, nonce).setAAD(Buffer.from(protectedHeader))
  const text = Buffer.concat([cipher.update(plain), cipher.final()])
  return [protectedHeader, '', ...[nonce, text, cipher.getAuthTag()].map(encode)].join('.')
}

/** The last character of a part spelled with a surplus bit that decoders drop. */
export const withSurplusBit = (part: string): string => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  if (part.length % 4 === 0) throw new Error('This part has no surplus bits.')
  return part.slice(0, -1) + alphabet.charAt(alphabet.indexOf(part.slice(-1)) + 1)
}

/** JSON of a length that is no multiple of three, so that its base64url has surplus bits. */
export const uneven = (json: string): string => (Buffer.byteLength(json) % 3 === 0 ? `${json} ` : json)
