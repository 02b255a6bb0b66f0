// Test vectors of key sets: which answers of `/.well-known/jwks.json` are believed, and which of their keys are used.
import type { RefusalCode } from '../../packages/verify/src/refusals.ts'
import { KEY_SET_BYTES_MAX, KEYS_MAX } from '../../packages/verify/src/tokens/key-set.ts'
import type { ForgedAlgorithm } from './weaknesses.ts'

type Jwk = Readonly<Record<string, unknown>>

export type KeySetVector = {
  readonly name: string
  /** Which of the genuine tokens is asked about. */
  readonly alg: ForgedAlgorithm
  /** The body of the answer. */
  readonly body: string
  /** Spaces follow the body up to so many bytes. */
  readonly filled_to?: number
  readonly refusal: RefusalCode | null
}

export type PublishedKeys = Readonly<Record<ForgedAlgorithm, Jwk>>

/** What becomes of the key of the token. The other key of the set stays as it is. */
const CHANGES: Readonly<Record<string, readonly [refusal: RefusalCode | null, change: (jwk: Jwk) => readonly Jwk[]]>> =
  {
    'both keys': [null, jwk => [jwk]],
    'the other key alone': ['unknown_key', () => []],
    'a key without use': [null, jwk => [{ ...jwk, use: undefined }]],
    'a key with members that nobody knows': [null, jwk => [{ ...jwk, x5t: 'a', 'urn:example': { a: 1 } }]],
    'a key for encryption': ['unknown_key', jwk => [{ ...jwk, use: 'enc' }]],
    'a key whose use is null': ['unknown_key', jwk => [{ ...jwk, use: null }]],
    'a key without alg': ['unknown_key', jwk => [{ ...jwk, alg: undefined }]],
    'a key with an algorithm of another kind': ['unknown_key', jwk => [{ ...jwk, alg: 'Ed25519' }]],
    'a key with an algorithm of objects': ['unknown_key', jwk => [{ ...jwk, alg: 'constructor' }]],
    'a key without kid': ['unknown_key', jwk => [{ ...jwk, kid: undefined }]],
    'a key whose kid ends with a line feed': ['unknown_key', jwk => [{ ...jwk, kid: `${String(jwk['kid'])}\n` }]],
    'a key whose kid is a number': ['unknown_key', jwk => [{ ...jwk, kid: 1 }]],
    'a key whose alg is a number': ['unknown_key', jwk => [{ ...jwk, alg: 1 }]],
    'a key to sign': ['unknown_key', jwk => [{ ...jwk, key_ops: ['sign'] }]],
    'a key to verify': [null, jwk => [{ ...jwk, key_ops: ['verify'] }]],
    'a key to verify, said twice': ['unknown_key', jwk => [{ ...jwk, key_ops: ['verify', 'verify'] }]],
    'a key for no operation': ['unknown_key', jwk => [{ ...jwk, key_ops: [] }]],
    'a key of another kty': ['unknown_key', jwk => [{ ...jwk, kty: 'oct' }]],
    'a key with a private member': ['unknown_key', jwk => [{ ...jwk, d: 'AA' }]],
    'a key with a secret': ['unknown_key', jwk => [{ ...jwk, k: 'AA' }]],
    'one kid twice': ['keys_unavailable', jwk => [jwk, jwk]],
    'one kid twice, the second with a key that is not used': [null, jwk => [jwk, { ...jwk, use: 'enc' }]],
    'the most keys allowed': [null, jwk => [...Array.from({ length: KEYS_MAX - 2 }, () => ({ kty: 'oct' })), jwk]],
    'one key too many': [
      'keys_unavailable',
      jwk => [...Array.from({ length: KEYS_MAX - 1 }, () => ({ kty: 'oct' })), jwk],
    ],
  }

const EC_CHANGES: typeof CHANGES = {
  'a curve of another size': ['unknown_key', jwk => [{ ...jwk, crv: 'P-384' }]],
  'a point that is not on the curve': ['unknown_key', jwk => [{ ...jwk, y: jwk['x'] }]],
  'a point whose x has padding': ['unknown_key', jwk => [{ ...jwk, x: `${String(jwk['x'])}=` }]],
  'a point without y': ['unknown_key', jwk => [{ ...jwk, y: undefined }]],
}

const RSA_CHANGES: typeof CHANGES = {
  'an exponent of 1': ['unknown_key', jwk => [{ ...jwk, e: 'AQ' }]],
  'an exponent of 3': ['unknown_key', jwk => [{ ...jwk, e: 'Aw' }]],
  'a modulus that is too short': ['unknown_key', jwk => [{ ...jwk, n: String(jwk['n']).slice(0, 340) }]],
  'a key with a curve': [null, jwk => [{ ...jwk, crv: 'P-256' }]],
}

const BODIES: Readonly<Record<string, (keys: string) => string>> = {
  'no body': () => '',
  'a body that is no JSON': () => '<html>',
  'an array of keys': keys => keys,
  'no keys': () => '{}',
  'an empty array of keys': () => '{"keys":[]}',
  'keys in an object': keys => `{"keys":{"0":${keys}}}`,
  'the member keys twice': keys => `{"keys":[],"keys":${keys}}`,
  'a member of a key twice': keys => `{"keys":${keys.replace('{', '{"kid":"a",')}}`,
  'a byte order mark before it': keys => `\uFEFF{"keys":${keys}}`,
  'only what is no key': () => '{"keys":[null,1,"a",[],{}]}',
}

/** The key sets, as answers to a verifier that is asked about a genuine token. */
export const keySetsOf = (keys: PublishedKeys): readonly KeySetVector[] => {
  const changed = (alg: ForgedAlgorithm, table: typeof CHANGES): readonly KeySetVector[] =>
    Object.entries(table).map(([name, [refusal, change]]) => ({
      name,
      alg,
      body: JSON.stringify({ keys: [keys[alg === 'ES256' ? 'RS256' : 'ES256'], ...change(keys[alg])] }),
      refusal,
    }))
  const all = JSON.stringify([keys.ES256, keys.RS256])
  const filled = (bytes: number) => ({ body: `{"keys":${all}}`, filled_to: bytes })
  return [
    ...changed('ES256', { ...CHANGES, ...EC_CHANGES }),
    ...changed('RS256', RSA_CHANGES),
    ...Object.entries(BODIES).map(
      ([name, bodyOf]): KeySetVector => ({ name, alg: 'ES256', body: bodyOf(all), refusal: 'keys_unavailable' }),
    ),
    { name: 'a key set of the most bytes allowed', alg: 'ES256', ...filled(KEY_SET_BYTES_MAX), refusal: null },
    {
      name: 'a key set of one byte too many',
      alg: 'ES256',
      ...filled(KEY_SET_BYTES_MAX + 1),
      refusal: 'keys_unavailable',
    },
    { name: 'a member beside the keys', alg: 'ES256', body: `{"keys":${all},"more":1}`, refusal: null },
    { name: 'what is no key beside them', alg: 'ES256', body: `{"keys":[null,1,[],{},${all.slice(1)}}`, refusal: null },
  ]
}
