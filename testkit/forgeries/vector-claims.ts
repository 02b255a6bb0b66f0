// Test vectors of claims, times and scopes, and of which refusal comes first where a token is wrong in two ways. Some hold what
// languages read differently: a number with a fraction of zero, true as a number, a line feed at the end, characters beyond 16 bits.
import { DEPTH_MAX } from '../../packages/verify/src/readers/json.ts'
import {
  ANCESTORS_MAX,
  AUDIENCES_MAX,
  CLOCK_TOLERANCE_SECONDS,
  SCOPE_ITEMS_MAX,
  TEXT_CHARACTERS_MAX,
} from '../../packages/verify/src/tokens/claims.ts'
import { CLAIMS, makeId, TAIL } from '../feed/case.ts'
import { show } from './forgeries.ts'
import { AUDIENCE, byAttacker, NOW_SECONDS as NOW, type RowTable, shorten, withClaims, withHeader } from './vector.ts'

const OTHER = 'https://other.example'
const others = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `${OTHER}/${n}`)
const scopeOf = (items: number): string => Array.from({ length: items }, (_, n) => `db:${n}`).join(' ')
const actorOf = (depth: number): object => (depth === 0 ? { sub: 'a' } : { sub: 'a', act: actorOf(depth - 1) })
const arraysIn = (depth: number): unknown => (depth === 0 ? 'x' : [arraysIn(depth - 1)])

const ANCESTOR = {
  id: makeId(NOW * 1000 - 1000, TAIL),
  exp: NOW + 300,
  seq: 890,
  agent_id: '3f0e2d1c-0000-4000-8000-000000000002',
  credential_id: 'credential-2',
  kid: 'key-0',
}
const lineageOf = (count: number): { readonly lineage: unknown } => ({
  lineage: Array.from({ length: count }, () => ANCESTOR),
})
/** One character of two UTF-16 units: the limits on characters count units. */
const PAIR = '\u{1F600}'
const LONGEST = 's'.repeat(TEXT_CHARACTERS_MAX)
const LONGEST_PAIRS = PAIR.repeat(TEXT_CHARACTERS_MAX / 2)
const SAFE_MAX = Number.MAX_SAFE_INTEGER

const GOOD: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'the audience in an array': { aud: [AUDIENCE] },
  'several audiences': { aud: [OTHER, AUDIENCE] },
  'the most audiences allowed': { aud: [...others(AUDIENCES_MAX - 1), AUDIENCE] },
  'no scope': { scope: undefined },
  'an empty scope': { scope: '' },
  'the most scope items allowed': { scope: scopeOf(SCOPE_ITEMS_MAX) },
  'every kind of character in a scope item': { scope: "!#$%&'()*+,-./09:;<=>?@AZ[]^_`az{|}~" },
  'an actor': { act: { sub: CLAIMS.sub } },
  'an actor of another issuer': { act: { sub: CLAIMS.sub, act: { iss: OTHER, sub: 'somebody' } } },
  'the most actors allowed': { act: actorOf(ANCESTORS_MAX) },
  'a lineage': { ...lineageOf(1), act: { sub: CLAIMS.sub } },
  'the most ancestors allowed': lineageOf(ANCESTORS_MAX),
  'claims of its own': { tenant: { id: 7, names: ['a', 'b'] }, admin: false, limit: 0.5, none: null },
  'characters that are not ASCII': { sub: `gr\u00f6\u00dfe \u4e16 ${PAIR}`, tenant: '\u2028' },
  'a lone surrogate, which JSON escapes': { tenant: '\ud800' },
  'a claim of the greatest depth allowed': { tenant: arraysIn(DEPTH_MAX - 1) },
  'no seq and no credential_id': { seq: undefined, credential_id: undefined },
  'a seq of 0': { seq: 0 },
  'the largest seq': { seq: SAFE_MAX },
  'the largest exp': { exp: SAFE_MAX },
  'a subject of the greatest length allowed': { sub: LONGEST },
  'a subject of the greatest length allowed, in characters of two units': { sub: LONGEST_PAIRS },
  'a client_id of the greatest length allowed': { client_id: LONGEST },
  'a credential_id of the greatest length allowed': { credential_id: LONGEST_PAIRS },
  'an audience of the greatest length allowed': { aud: [AUDIENCE, LONGEST] },
  'a claim of 2^53': { tenant: 2 ** 53 },
}

/** Tokens that are accepted. */
export const GOOD_CLAIMS: RowTable = Object.fromEntries(
  Object.entries(GOOD).map(([name, claims]) => [name, [null, withClaims(claims)]]),
)

const without = (name: keyof typeof ANCESTOR): unknown => [{ ...ANCESTOR, [name]: undefined }]
const ancestorWith = (changed: object): unknown => [{ ...ANCESTOR, ...changed }]
const J = 'A'.repeat(43)
const WRONG_COUNTS = [null, true, -1, 0.5, String(NOW), SAFE_MAX + 1, [NOW], {}]

const WRONG_VALUES: Readonly<Record<string, readonly unknown[]>> = {
  sub: [true, `${LONGEST}s`, `${LONGEST_PAIRS}${PAIR}`],
  aud: [
    [AUDIENCE, 1],
    [AUDIENCE, ''],
    [AUDIENCE, null],
    [...others(AUDIENCES_MAX), AUDIENCE],
    [AUDIENCE, `${LONGEST}s`],
    true,
  ],
  client_id: [undefined, '', null, 1, ['a'], `${LONGEST}s`],
  iat: [undefined, ...WRONG_COUNTS],
  exp: [true, 0.5, NOW + 0.5, SAFE_MAX + 1, NOW, NOW - 1],
  nbf: WRONG_COUNTS,
  jti: [
    undefined,
    '',
    null,
    1,
    '01a20846-fe7b-4abc-a1b2-c3d4e5f60718',
    '01a20846-fe7b-7abc-c1b2-c3d4e5f60718',
    CLAIMS.jti.toUpperCase(),
    CLAIMS.jti.replaceAll('-', ''),
    `{${CLAIMS.jti}}`,
    `urn:uuid:${CLAIMS.jti}`,
    `${CLAIMS.jti}\n`,
    CLAIMS.jti.replace('0', '\u0660'),
  ],
  scope: [
    null,
    1,
    ['db:read'],
    ' ',
    ' db:read',
    'db:read ',
    'db:read\n',
    'db:read  db:write',
    'db:read\tdb:write',
    'db:read\ndb:write',
    'db:read\u00a0db:write',
    'db:"read"',
    'db:\\read',
    'db:r\u00e9ad',
    'db:\u007f',
    scopeOf(SCOPE_ITEMS_MAX + 1),
  ],
  seq: WRONG_COUNTS,
  credential_id: ['', null, 1, true, `${LONGEST_PAIRS}s`],
  act: [null, 'a', [], [{ sub: 'a' }], {}, { sub: '' }, { sub: 1 }, { sub: 'a', act: null }, { sub: 'a', act: {} }],
  lineage: [
    null,
    [],
    {},
    [null],
    [[]],
    ancestorWith({ id: 'a' }),
    ancestorWith({ exp: true }),
    ancestorWith({ seq: -1 }),
    ancestorWith({ kid: '' }),
    ancestorWith({ agent_id: null }),
    [ANCESTOR, 1],
  ],
  cnf: [
    null,
    '',
    [],
    {},
    { jkt: 1 },
    { jkt: J.slice(1) },
    { jkt: `${J}A` },
    { jkt: `${J}\n` },
    { jkt: `${J.slice(1)}=` },
    { jkt: `${J.slice(1)}+` },
    { jkt: '\u00e9'.repeat(43) },
    { jkt: J, 'x5t#S256': J },
    { jkt: J, kid: 'a' },
    { jwk: { kty: 'oct', k: 'AA' } },
    { x5t: J },
    { 'x5t#S256': [J] },
    { JKT: J },
  ],
}

const badRow = (name: string, value: unknown): readonly [string, RowTable[string]] => [
  `${name} ${shorten(show(value))}`,
  ['bad_claims', withClaims({ [name]: value })],
]

/** Tokens with a claim that is missing or of another form. */
export const BAD_CLAIMS: RowTable = Object.fromEntries([
  ...Object.entries(WRONG_VALUES).flatMap(([name, values]) => values.map(value => badRow(name, value))),
  ['one actor too many', ['bad_claims', withClaims({ act: actorOf(ANCESTORS_MAX + 1) })]],
  ['one ancestor too many', ['bad_claims', withClaims(lineageOf(ANCESTORS_MAX + 1))]],
  ...(Object.keys(ANCESTOR) as (keyof typeof ANCESTOR)[]).map(name => [
    `an ancestor without ${name}`,
    ['bad_claims', withClaims({ lineage: without(name) })],
  ]),
]) as RowTable

/** Tokens for others, and tokens of others. */
export const FOREIGN_CLAIMS: RowTable = {
  'another issuer': ['wrong_issuer', withClaims({ iss: OTHER })],
  'no claims at all': ['wrong_issuer', genuine => withClaims({})({ ...genuine, claims: {} })],
  'another audience': ['wrong_audience', withClaims({ aud: OTHER })],
  'several other audiences': ['wrong_audience', withClaims({ aud: others(3) })],
  'the audience in capital letters': ['wrong_audience', withClaims({ aud: AUDIENCE.toUpperCase() })],
  'the beginning of the audience': ['wrong_audience', withClaims({ aud: AUDIENCE.slice(0, -1) })],
  'the audience and more': ['wrong_audience', withClaims({ aud: `${AUDIENCE}/orders` })],
  'two audiences in one text': ['wrong_audience', withClaims({ aud: `${AUDIENCE} ${OTHER}` })],
  'the audience and a line feed': ['wrong_audience', withClaims({ aud: `${AUDIENCE}\n` })],
}

const EARLIER = { iat: NOW - 100 }
const LATER = NOW + CLOCK_TOLERANCE_SECONDS + 1

/** Each moment at which the answer changes. `exp` has no tolerance, `iat` and `nbf` have 60 s. */
export const TIMES: RowTable = {
  'exp in 1 s': [null, withClaims({ exp: NOW + 1 })],
  'exp now': ['expired', withClaims({ ...EARLIER, exp: NOW })],
  'exp 1 s ago': ['expired', withClaims({ ...EARLIER, exp: NOW - 1 })],
  'exp in 1970': ['expired', withClaims({ iat: 0, exp: 1 })],
  'iat in 60 s': [null, withClaims({ iat: NOW + CLOCK_TOLERANCE_SECONDS })],
  'iat in 61 s': ['not_yet_valid', withClaims({ iat: LATER })],
  'iat in 1970': [null, withClaims({ iat: 0 })],
  'nbf now': [null, withClaims({ nbf: NOW })],
  'nbf in 60 s': [null, withClaims({ nbf: NOW + CLOCK_TOLERANCE_SECONDS })],
  'nbf in 61 s': ['not_yet_valid', withClaims({ nbf: LATER })],
  'nbf of 0': [null, withClaims({ nbf: 0 })],
  'iat in 61 s, nbf now': ['not_yet_valid', withClaims({ iat: LATER, nbf: NOW })],
  'exp now, nbf in 61 s': ['expired', withClaims({ ...EARLIER, exp: NOW, nbf: LATER })],
}

const same = withClaims({})

/** The genuine token has db:read and mail:send. */
export const SCOPES: RowTable = {
  'no scope is asked for': [null, same, { scopes: [] }],
  'a scope that the token has': [null, same, { scopes: ['db:read'] }],
  'all scopes that the token has': [null, same, { scopes: ['mail:send', 'db:read'] }],
  'a scope twice': [null, same, { scopes: ['db:read', 'db:read'] }],
  'a scope the token lacks': ['insufficient_scope', same, { scopes: ['db:write'] }],
  'a scope the token has, and one it lacks': ['insufficient_scope', same, { scopes: ['db:read', 'db:write'] }],
  'the beginning of a scope': ['insufficient_scope', same, { scopes: ['db'] }],
  'a scope in capital letters': ['insufficient_scope', same, { scopes: ['DB:READ'] }],
  'two scopes in one text': ['insufficient_scope', same, { scopes: ['db:read mail:send'] }],
  'a scope without characters': ['insufficient_scope', same, { scopes: [''] }],
  'a scope that no token can have': ['insufficient_scope', same, { scopes: ['gr\u00f6\u00dfe'] }],
  'a token without scope': ['insufficient_scope', withClaims({ scope: undefined }), { scopes: ['db:read'] }],
  'a token with an empty scope': ['insufficient_scope', withClaims({ scope: '' }), { scopes: ['db:read'] }],
  'a token with an empty scope, and a scope without characters': [
    'insufficient_scope',
    withClaims({ scope: '' }),
    { scopes: [''] },
  ],
}

const PAST = { ...EARLIER, exp: NOW }

/** Tokens that are wrong in two ways: what is checked first names the refusal. */
export const ORDER: RowTable = {
  'wrong type and unknown algorithm': ['wrong_type', withHeader({ typ: 'JWT', alg: 'none' })],
  'unknown algorithm and no kid': ['wrong_algorithm', withHeader({ alg: 'none', kid: undefined })],
  'a header member too many and an algorithm that is not accepted': [
    'malformed',
    withHeader({ jku: OTHER }),
    { algorithms: ['PS256'] },
  ],
  'an algorithm that is not accepted and another issuer': [
    'wrong_algorithm',
    withClaims({ iss: OTHER }),
    { algorithms: ['PS256'] },
  ],
  'another issuer and bad claims': ['wrong_issuer', withClaims({ iss: OTHER, sub: 1 })],
  'bad claims and another audience': ['bad_claims', withClaims({ aud: OTHER, jti: 'a' })],
  'exp before iat and another audience': ['bad_claims', withClaims({ aud: OTHER, exp: NOW })],
  'another issuer and an unknown key': ['wrong_issuer', byAttacker({ iss: OTHER }, { kid: 'key-9' })],
  'another audience and a bad signature': ['wrong_audience', byAttacker({ aud: OTHER })],
  'expired and an unknown key': ['unknown_key', byAttacker(PAST, { kid: 'key-9' })],
  'expired and a bad signature': ['bad_signature', byAttacker(PAST)],
  'expired and bound to a key': ['expired', withClaims({ ...PAST, cnf: { jkt: J } })],
  'expired and without the scope': ['expired', withClaims(PAST), { scopes: ['db:write'] }],
  'bound to a key and without the scope': ['wrong_scheme', withClaims({ cnf: { jkt: J } }), { scopes: ['db:write'] }],
  'bound to a certificate and without the scope': [
    'wrong_certificate',
    withClaims({ cnf: { 'x5t#S256': J } }),
    { scopes: ['db:write'] },
  ],
}
