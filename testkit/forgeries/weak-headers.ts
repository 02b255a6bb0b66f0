// Weaknesses in the header of a JWT: algorithms, keys that it brings along, key ids, extensions, kinds.
import { createHash } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { signedText } from '../keys/dpop.ts'
import {
  attackerOf,
  each,
  type Forgeries,
  type Genuine,
  hmacSigned,
  resigned,
  SECRETS,
  show,
  signedByAttacker,
  unsigned,
} from './forgeries.ts'
import { CERTIFICATE } from '../keys/loopback-certificate.ts'

const NONES = [
  'none',
  'None',
  'NONE',
  'nOnE',
  ' none',
  'none ',
  'none\u0000',
  '',
  null,
  0,
  false,
  [],
  ['none'],
  undefined,
]

const none: Forgeries = {
  ...each(
    NONES,
    alg => `alg ${show(alg)} and no signature`,
    alg => genuine => unsigned(genuine, { alg }, ''),
  ),
  ...each(
    NONES,
    alg => `alg ${show(alg)} and a signature by the genuine key`,
    alg => genuine => resigned(genuine, { header: { alg } }),
  ),
  'alg none and two parts': genuine => unsigned(genuine, { alg: 'none' }, '').slice(0, -1),
  'alg none and the bytes of nothing': genuine => unsigned(genuine, { alg: 'none' }, 'AA'),
}

const OTHER_ALGORITHMS = [
  'es256',
  'ES256K',
  'ES512',
  'RS1',
  'RSA1_5',
  'HS256',
  'constructor',
  '__proto__',
  ['ES256'],
  {},
]

const confusion: Forgeries = {
  ...Object.fromEntries(
    Object.entries(SECRETS).flatMap(([what, secretOf]) =>
      ['HS256', 'HS384', 'HS512'].map(alg => [
        `${alg} with ${what} as its secret`,
        (genuine: Genuine) => hmacSigned(genuine, { alg }, secretOf(genuine)),
      ]),
    ),
  ),
  ...each(
    OTHER_ALGORITHMS,
    alg => `alg ${show(alg)} over a signature by the genuine key`,
    alg => genuine => resigned(genuine, { header: { alg } }),
  ),
  'the algorithm of a key of another kind': genuine =>
    resigned(genuine, { header: { alg: genuine.key.alg === 'ES256' ? 'RS256' : 'ES256' } }),
}

const CERTIFICATE_BASE64 = CERTIFICATE.replace(/-----.*?-----|\s/g, '')

/** Headers that bring a key, or name where one is to be had (RFC 7515 §4.1.2 to §4.1.8). */
const BROUGHT_KEYS: Readonly<Record<string, (genuine: Genuine) => Readonly<Record<string, unknown>>>> = {
  'a key of its own in jwk': genuine => ({ jwk: attackerOf(genuine).jwk }),
  'a key of its own in jwk, and no kid': genuine => ({ jwk: attackerOf(genuine).jwk, kid: undefined }),
  'a key of its own in jwk, under the genuine kid': genuine => ({
    jwk: { ...attackerOf(genuine).jwk, kid: genuine.header['kid'] },
  }),
  'a key set in jwks': genuine => ({ jwks: { keys: [attackerOf(genuine).jwk] } }),
  'a key set at jku': ({ trap }) => ({ jku: `${trap}/jwks` }),
  'a key set at jku, and its kid': ({ trap }) => ({ jku: `${trap}/jwks`, kid: 'attacker' }),
  'a key set at jku, and no kid': ({ trap }) => ({ jku: `${trap}/jwks`, kid: undefined }),
  'a certificate in x5c': () => ({ x5c: [CERTIFICATE_BASE64] }),
  'a certificate in x5c, and no kid': () => ({ x5c: [CERTIFICATE_BASE64], kid: undefined }),
  'a certificate at x5u': ({ trap }) => ({ x5u: `${trap}/certificate.pem` }),
  'the thumbprint of a certificate in x5t': () => ({
    x5t: createHash('sha1').update(CERTIFICATE_BASE64, 'base64').digest('base64url'),
    'x5t#S256': createHash('sha256').update(CERTIFICATE_BASE64, 'base64').digest('base64url'),
  }),
  'the address of an issuer in iss of the header': ({ trap }) => ({ iss: trap }),
}

const brought: Forgeries = Object.fromEntries(
  Object.entries(BROUGHT_KEYS).map(([what, headerOf]) => [
    `${what}, signed with it`,
    (genuine: Genuine) => signedByAttacker(genuine, headerOf(genuine)),
  ]),
)

const KIDS: readonly unknown[] = [
  '../../../../../../dev/null',
  '/dev/null',
  "' OR '1'='1",
  "x' UNION SELECT 'AAAA",
  '$(touch /tmp/x)',
  '__proto__',
  'constructor',
  'key\u0000',
  '\u0130',
  '',
  null,
  0,
  [],
  {},
  { toString: 'x' },
  'k'.repeat(2000),
]

const kid: Forgeries = {
  ...each(
    KIDS,
    value => `kid ${show(value).slice(0, 40)}, signed by another key`,
    value => genuine => signedByAttacker(genuine, { kid: value }),
  ),
  ...each(
    KIDS,
    value => `kid ${show(value).slice(0, 40)}, over a signature by the genuine key`,
    value => genuine => resigned(genuine, { header: { kid: value } }),
  ),
  'an address as kid': genuine => signedByAttacker(genuine, { kid: `${genuine.trap}/jwks` }),
  'a file without content as kid, whose content is the secret': genuine =>
    hmacSigned(genuine, { alg: 'HS256', kid: '/dev/null' }, ''),
  'the genuine kid in an array': genuine => resigned(genuine, { header: { kid: [genuine.header['kid']] } }),
  'the genuine kid and a space': genuine => resigned(genuine, { header: { kid: `${String(genuine.header['kid'])} ` } }),
}

const extensions: Forgeries = {
  'crit with what nobody knows (RFC 7515 appendix E)': genuine =>
    resigned(genuine, {
      header: { crit: ['http://example.com/UNDEFINED'], 'http://example.com/UNDEFINED': true },
    }),
  'crit with what everybody knows': genuine => resigned(genuine, { header: { crit: ['exp'], exp: 1 } }),
  'an empty crit': genuine => resigned(genuine, { header: { crit: [] } }),
  'crit that is null': genuine => resigned(genuine, { header: { crit: null } }),
  'crit that names crit': genuine => resigned(genuine, { header: { crit: ['crit'] } }),
  'b64 true': genuine => resigned(genuine, { header: { b64: true, crit: ['b64'] } }),
  'b64 false': genuine => resigned(genuine, { header: { b64: false, crit: ['b64'] } }),
  'b64 false that is not critical': genuine => resigned(genuine, { header: { b64: false } }),
  'b64 false over a payload that is not encoded': genuine => {
    const input = `${resigned(genuine, { header: { b64: false, crit: ['b64'] } }).split('.')[0] ?? ''}.{"sub":"x"}`
    return signedText(genuine.key, input)
  },
  'zip over a payload as it was': genuine => resigned(genuine, { header: { zip: 'DEF' } }),
  'zip over a payload that is compressed': genuine => {
    const [header = ''] = resigned(genuine, { header: { zip: 'DEF' } }).split('.')
    const input = `${header}.${deflateRawSync(JSON.stringify(genuine.claims)).toString('base64url')}`
    return signedText(genuine.key, input)
  },
}

const KINDS = [
  'dpop+jwt',
  'logout+jwt',
  'secevent+jwt',
  'token-introspection+jwt',
  'application/token-introspection+jwt',
  'oauth-authz-req+jwt',
  'statuslist+jwt',
  'JWE',
  '',
  null,
  ['JWT'],
]

const kinds: Forgeries = each(
  KINDS,
  typ => `typ ${show(typ)}`,
  typ => genuine => resigned(genuine, { header: { typ } }),
)

export const HEADER_WEAKNESSES: Forgeries = { ...none, ...confusion, ...brought, ...kid, ...extensions, ...kinds }
