// Test vectors of texts: how a token may be spelled and how not, where readers of JSON and base64 in other languages take more.
import { COMPACT_CHARACTERS_MAX } from '../../packages/verify/src/readers/compact-jws.ts'
import { DEPTH_MAX } from '../../packages/verify/src/readers/json.ts'
import { encodeJson, signedText } from '../keys/dpop.ts'
import {
  each,
  type Forge,
  type Genuine,
  partsOf,
  resigned,
  respelled,
  show,
  uneven,
  withSignature,
  withSurplusBit,
} from './forgeries.ts'
import { byAttacker, NOW_SECONDS, padded, PARTS, type RowTable, spelled, withClaims, withHeader } from './vector.ts'

/** Signed by the genuine key over a payload of any bytes. */
const signedBytes =
  (payloadOf: (json: string) => Uint8Array): Forge =>
  ({ key, header, claims }) => {
    const payload = Buffer.from(payloadOf(JSON.stringify(claims))).toString('base64url')
    return signedText(key, `${encodeJson(header)}.${payload}`)
  }

/** With one member more, whose value is written as it is. */
const withMember = (value: string, name = 'tenant'): Forge =>
  signedBytes(json => Buffer.from(json.replace(/}$/, `,"${name}":${value}}`)))

const withBytesInText = (...bytes: readonly number[]): Forge =>
  signedBytes(json =>
    Buffer.concat([Buffer.from(json.replace(/}$/, ',"tenant":"')), Buffer.from(bytes), Buffer.from('"}')]),
  )

const claimsAs = (change: (json: string) => string): Forge => signedBytes(json => Buffer.from(change(json)))

/** The claim written anew in its place. */
const number =
  (name: string, value: string): Forge =>
  genuine =>
    claimsAs(json => json.replace(`"${name}":${String(genuine.claims[name])}`, `"${name}":${value}`))(genuine)

/** The tokens with one claim longer and longer around the most characters that a text may have. */
const around = (genuine: Genuine): readonly string[] => {
  const lengthOf = (count: number): string => resigned(genuine, { claims: { filling: 'x'.repeat(count) } })
  const most = Math.floor(((COMPACT_CHARACTERS_MAX - lengthOf(0).length) * 3) / 4) + 2
  return Array.from({ length: 6 }, (_, n) => lengthOf(most - 4 + n))
}

const MANY_DIGITS = '1'.repeat(5000)
const EXP = String(NOW_SECONDS + 300)

/** Other spellings that are accepted. */
export const GOOD_TEXTS: RowTable = {
  'white space in the header and in the claims': [
    null,
    genuine => respelled(genuine, { header: json => ` ${json}\n`, claims: json => json.replaceAll(',', ' ,\r\n\t') }),
  ],
  'the header in another order': [
    null,
    ({ key, header, claims }) => {
      const turned = Object.fromEntries(Object.entries(header).toReversed())
      return signedText(key, `${encodeJson(turned)}.${encodeJson(claims)}`)
    },
  ],
  'the name of a claim escaped': [null, claimsAs(json => json.replace('"sub"', String.raw`"\u0073ub"`))],
  'a slash escaped': [null, claimsAs(json => json.replaceAll('/', String.raw`\/`))],
  'exp with a fraction of zero': [null, number('exp', `${EXP}.0`)],
  'exp with an exponent': [null, number('exp', `${Number(EXP) / 100}e2`)],
  'seq of minus zero': [null, number('seq', '-0')],
  'a text with colons and quotation marks in it': [null, withMember(String.raw`"a\": \" :{\"b\":"`)],
  'one name in two objects': [null, withMember('[{"sub":"a"},{"sub":"b"}]')],
  'the longest text': [null, genuine => around(genuine).findLast(text => text.length <= COMPACT_CHARACTERS_MAX) ?? ''],
}

/** Numbers that languages read differently, where no form is asked of the claim. JSON cannot hold what some become. */
export const NUMBERS: RowTable = {
  'a claim of 5,000 digits': [null, withMember(MANY_DIGITS)],
  'a claim of 1e400': [null, withMember('1e400')],
  'a claim of -1e400': [null, withMember('-1e400')],
  'a claim of 9007199254740993': [null, withMember('9007199254740993')],
  'a claim of 1e-400': [null, withMember('1e-400')],
}

const LITERALS = [
  'NaN',
  'Infinity',
  '-Infinity',
  'undefined',
  'True',
  'None',
  "'x'",
  '01',
  '+1',
  '1.',
  '.5',
  '0x10',
  '1_000',
  '"\t"',
  '"\n"',
  String.raw`"\x41"`,
  String.raw`"\u12"`,
  '[1,]',
  '{"a":1,}',
  '/* */1',
  '',
]

const BYTES: Readonly<Record<string, readonly number[]>> = {
  'a byte that is no UTF-8': [0xff],
  'UTF-8 that is cut off': [0xe2, 0x82],
  'UTF-8 that is longer than it must be': [0xc0, 0xaf],
  'a surrogate in UTF-8': [0xed, 0xa0, 0x80],
  'UTF-8 beyond the last character': [0xf4, 0x90, 0x80, 0x80],
}

const nested = (depth: number, open: string, close: string): Forge =>
  withMember(`${open.repeat(depth)}1${close.repeat(depth)}`)

/** JSON has none of these as white space. Most functions that strip a text remove the first four. */
const NO_SPACES = ['\u000b', '\u000c', '\u00a0', '\u2028', '\u0000']

const PAYLOADS = ['null', 'true', '1', '"x"', '[]', '', ' ', '{', '{}{}', '{}x']

const json = (table: Readonly<Record<string, Forge>>): RowTable =>
  Object.fromEntries(Object.entries(table).map(([name, forge]) => [name, ['malformed', forge]]))

/** Claims that are no JSON with one meaning. */
export const BAD_JSON: RowTable = {
  ...json(
    each(
      LITERALS,
      value => `a claim written as ${show(value)}`,
      value => withMember(value),
    ),
  ),
  ...json(
    each(
      Object.entries(BYTES),
      ([name]) => name,
      ([, bytes]) => withBytesInText(...bytes),
    ),
  ),
  ...json(
    each(
      NO_SPACES,
      space => `${show(space)} after the claims`,
      space => claimsAs(text => text + space),
    ),
  ),
  ...json(
    each(
      PAYLOADS,
      payload => `the payload ${show(payload)}`,
      payload => claimsAs(() => payload),
    ),
  ),
  'UTF-16 claims': ['malformed', signedBytes(text => Buffer.from(text, 'utf16le'))],
  'a byte order mark before the claims': ['malformed', claimsAs(text => `\uFEFF${text}`)],
  'one level of arrays too many': ['malformed', nested(DEPTH_MAX, '[', ']')],
  'one level of objects too many': ['malformed', nested(DEPTH_MAX, '{"a":', '}')],
  'thousands of arrays in each other': ['malformed', nested(5000, '[', ']')],
  'a name twice, far inside': ['malformed', withMember('[[{"a":1,"b":{"c":1,"c":1}}]]')],
  'a name twice, both empty': ['malformed', withMember('{"":1,"":1}')],
  'a name twice, once with its surrogates escaped': [
    'malformed',
    withMember(String.raw`{"${'\u{1F600}'}":1,"\ud83d\ude00":1}`),
  ],
  'exp of thousands of digits': ['bad_claims', number('exp', MANY_DIGITS)],
  'exp beyond all numbers': ['bad_claims', number('exp', '1e400')],
  'exp of one more than the largest number': ['bad_claims', number('exp', '9007199254740993')],
}

const spelledParts: Readonly<Record<string, Forge>> = Object.fromEntries(
  PARTS.flatMap(part =>
    Object.entries({ padding: padded, 'a surplus bit': withSurplusBit }).map(([what, change]) => [
      `${what} in the ${part}, which is signed so`,
      ({ key, header, claims }: Genuine) =>
        spelled(key, [uneven(JSON.stringify(header)), uneven(JSON.stringify(claims))], part, change),
    ]),
  ),
)

const TEXTS = ['x', '.', '..', '...', 'a.b.c', 'null', '\u0000', '\ud800.\ud800.\ud800', '\u{1F600}', 'Bearer']

/** What is no token, or not in its one spelling. The signature of some is good. */
export const BAD_TEXTS: RowTable = {
  'no characters': ['missing_token', () => ''],
  'three parts that are empty objects': ['wrong_type', () => 'e30.e30.e30'],
  ...json(
    each(
      TEXTS,
      text => `the text ${show(text)}`,
      text => () => text,
    ),
  ),
  ...json(spelledParts),
  'a line feed after it': ['malformed', ({ text }) => `${text}\n`],
  'a space before it': ['malformed', ({ text }) => ` ${text}`],
  'a NUL after it': ['malformed', ({ text }) => `${text}\u0000`],
  'the scheme before it': ['malformed', ({ text }) => `Bearer ${text}`],
  'a letter that is not ASCII in the signature': [
    'malformed',
    genuine => withSignature(genuine, s => `${s.slice(1)}\u00e9`),
  ],
  'a digit that is not ASCII in the signature': [
    'malformed',
    genuine => withSignature(genuine, s => `${s.slice(1)}\u0661`),
  ],
  'a wide letter in the header': ['malformed', genuine => partsOf(genuine).join('.').replace('e', '\uff45')],
  'one character of base64 too many in the payload': [
    'malformed',
    genuine => {
      const [header, payload, signature] = partsOf(genuine)
      return [header, payload.slice(0, payload.length - (payload.length % 4)) + 'A', signature].join('.')
    },
  ],
  'a text that is too long': [
    'malformed',
    genuine => around(genuine).find(text => text.length > COMPACT_CHARACTERS_MAX) ?? '',
  ],
  'sixteen thousand dots': ['malformed', () => '.'.repeat(COMPACT_CHARACTERS_MAX)],
}

const OWN_MEMBERS = ['cty', 'x', '', 'ALG', '__proto__']

/** Headers: exactly alg, kid and typ, and of one type. */
export const HEADERS: RowTable = {
  'typ with application/ before it': ['wrong_type', withHeader({ typ: 'application/at+jwt' })],
  'typ in capital letters': ['wrong_type', withHeader({ typ: 'AT+JWT' })],
  'typ of any JWT': ['wrong_type', withHeader({ typ: 'JWT' })],
  'typ and a line feed': ['wrong_type', withHeader({ typ: 'at+jwt\n' })],
  'no typ': ['wrong_type', withHeader({ typ: undefined })],
  'no kid': ['malformed', withHeader({ kid: undefined })],
  'kid with a space': ['malformed', withHeader({ kid: 'key 9' })],
  'kid and a line feed': ['malformed', genuine => withHeader({ kid: `${String(genuine.header['kid'])}\n` })(genuine)],
  'kid that is not ASCII': ['malformed', withHeader({ kid: 'cl\u00e9' })],
  'kid of 129 characters': ['malformed', withHeader({ kid: 'k'.repeat(129) })],
  'kid of 128 characters': ['unknown_key', withHeader({ kid: 'k'.repeat(128) })],
  'another kid': ['unknown_key', withHeader({ kid: 'key-9' })],
  'kid in capital letters': [
    'unknown_key',
    genuine => withHeader({ kid: String(genuine.header['kid']).toUpperCase() })(genuine),
  ],
  ...Object.fromEntries(
    OWN_MEMBERS.map(name => [
      `a member of its own, ${show(name)}`,
      ['malformed', genuine => respelled(genuine, { header: text => text.replace(/}$/, `,${show(name)}:"x"}`) })],
    ]) satisfies readonly (readonly [string, RowTable[string]])[],
  ),
  'a signature by another key': ['bad_signature', byAttacker({})],
  'an algorithm that the verifier is not set to accept': ['wrong_algorithm', withClaims({}), { algorithms: ['PS256'] }],
  'the one algorithm that the verifier is set to accept': [null, withClaims({}), { algorithms: ['ES256'] }],
}
