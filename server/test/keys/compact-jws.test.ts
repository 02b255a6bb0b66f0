// The strict reader: one spelling passes, everything else does not, and nothing throws.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { COMPACT_CHARACTERS_MAX, isCanonical } from '../../../packages/verify/src/readers/compact-jws.ts'
import { decodeCanonical, readProvablePayload } from '../../src/keys/tokens/token-codec.ts'
import { readCompactJws } from '../../src/keys/verify-signature.ts'
import { withSurplusBit } from '../../../testkit/forgeries/forgeries.ts'
import { anyCodePoint } from '../../../testkit/parsers/hostile-inputs.ts'

const parse = (json: string): unknown => JSON.parse(json)
const encode = (text: string | Uint8Array): string => Buffer.from(text).toString('base64url')
const SIGNATURE = 'signature.'.padEnd(64, '.')
const HEADER = '{"alg":"ES256","kid":"k"}'
const PAYLOAD = '{"iss":"https://issuer.test","sub":"a","aud":["x","y"],"exp":1}'
const compact = (header: string | Uint8Array, payload: string | Uint8Array = PAYLOAD): string =>
  `${encode(header)}.${encode(payload)}.${encode(SIGNATURE)}`

const TOKEN = compact(HEADER)
const [H = '', P = '', S = ''] = TOKEN.split('.')
const nested = (depth: number): string => `{"a":${'['.repeat(depth - 1)}1${']'.repeat(depth - 1)}}`

test('a compact JWS in its canonical form is read in all its parts', () => {
  assert.deepEqual(readCompactJws(TOKEN), {
    header: parse(HEADER),
    payload: parse(PAYLOAD),
    signingInput: `${H}.${P}`,
    signature: new Uint8Array(Buffer.from(SIGNATURE)),
    text: TOKEN,
  })
  assert.equal(readProvablePayload(TOKEN), PAYLOAD)
})

const inEachPart = (name: string, spell: (part: string) => string): readonly (readonly [string, string])[] => [
  [`${name} in the header`, `${spell(H)}.${P}.${S}`],
  [`${name} in the payload`, `${H}.${spell(P)}.${S}`],
  [`${name} in the signature`, `${H}.${P}.${spell(S)}`],
]

const SPELLINGS: readonly (readonly [string, string])[] = [
  ...inEachPart('one character of padding', part => `${part}=`),
  ...inEachPart('two characters of padding', part => `${part}==`),
  ...inEachPart('a space inside', part => `${part.slice(0, 4)} ${part.slice(4)}`),
  ...inEachPart('a line feed inside', part => `${part.slice(0, 4)}\n${part.slice(4)}`),
  ...inEachPart('a space before', part => ` ${part}`),
  ...inEachPart('a space after', part => `${part} `),
  ...inEachPart('a tab after', part => `${part}\t`),
  ...inEachPart('a NUL after', part => `${part}\0`),
  ...inEachPart('one character too many', part => `${part.slice(0, part.length - (part.length % 4))}A`),
  ...inEachPart('a character outside the alphabet', part => `${part.slice(0, 4)}*${part.slice(4)}`),
  ...inEachPart('a character beyond Latin-1', part => `${part.slice(0, 4)}\u0141${part.slice(5)}`),
  ...inEachPart('nothing', () => ''),
  ['surplus bits in the header', `${withSurplusBit(encode(`${HEADER} `))}.${P}.${S}`],
  ['surplus bits in the payload', `${H}.${withSurplusBit(encode(`${PAYLOAD} `))}.${S}`],
  ['surplus bits in the signature', `${H}.${P}.${withSurplusBit(S)}`],
  ["the other alphabet's characters", `${H}.${P}.${encode(Uint8Array.of(0xff, 0xff, 0xfe)).replaceAll('_', '/')}`],
  ['two parts', `${H}.${P}`],
  ['four parts', `${TOKEN}.${S}`],
  ['an empty fourth part', `${TOKEN}.`],
  ['a dot before', `.${TOKEN}`],
  ['no dot', H + P + S],
  ['nothing but dots', '..'],
  ['nothing', ''],
]

for (const [name, text] of SPELLINGS) {
  test(`a token spelled with ${name} is refused`, () => {
    assert.equal(readCompactJws(text), undefined)
    assert.equal(readProvablePayload(text), undefined)
  })
}

test('the payload of a token is taken with a signature of 64 bytes or more, of any bytes in their one spelling', () => {
  const withSignature = (bytes: number, byte: number) => `${H}.${P}.${encode(Buffer.alloc(bytes, byte))}`
  for (const byte of [0x00, 0x01, 0x7f, 0xfe, 0xff]) {
    for (const bytes of [1, 63]) assert.equal(readProvablePayload(withSignature(bytes, byte)), undefined)
    // As ES256 and EdDSA have it, then RS256 with keys of 2048 and 3072 bits, then ML-DSA-65.
    for (const bytes of [64, 256, 384, 3309]) {
      const text = withSignature(bytes, byte)
      assert.equal(readProvablePayload(text), PAYLOAD)
      assert.equal(readProvablePayload(`${text}=`), undefined)
      if (bytes % 3 !== 0) assert.equal(readProvablePayload(withSurplusBit(text)), undefined)
    }
  }
})

test('of headers that come in turn each is refused in another spelling', () => {
  for (const header of [HEADER, `${HEADER} `, HEADER]) {
    const text = compact(header)
    assert.equal(readProvablePayload(text), PAYLOAD)
    assert.equal(readProvablePayload(text.replace('.', '=.')), undefined)
    assert.equal(readProvablePayload(` ${text}`), undefined)
  }
})

const CONTENTS: readonly (readonly [string, string])[] = [
  ['a header that is not JSON', compact('{')],
  ['a payload that is not JSON', compact(HEADER, 'payload')],
  ['an array as header', compact('[]')],
  ['an array as payload', compact(HEADER, '[{"sub":"a"}]')],
  ['null as payload', compact(HEADER, 'null')],
  ['a string as payload', compact(HEADER, '"sub"')],
  ['a byte order mark', compact(HEADER, `\uFEFF${PAYLOAD}`)],
  ['bytes that are not UTF-8', compact(HEADER, Buffer.from([...Buffer.from('{"a":"'), 0xff, 0x22, 0x7d]))],
  ['an overlong UTF-8 sequence', compact(HEADER, Buffer.from([...Buffer.from('{"a":"'), 0xc0, 0xaf, 0x22, 0x7d]))],
  ['a member twice in the header', compact('{"alg":"none","alg":"ES256"}')],
  ['a member twice in the payload', compact(HEADER, '{"sub":"a","iss":"i","sub":"a"}')],
  ['a member twice, once escaped', compact(HEADER, String.raw`{"sub":"a","\u0073ub":"b"}`)],
  ['a member twice in a nested object', compact(HEADER, '{"a":{"b":[{"c":1,"c":2}]}}')],
  ['a member twice, the first an object', compact(HEADER, '{"a":{"b":1},"a":{"c":1}}')],
  ['__proto__ twice', compact(HEADER, '{"__proto__":1,"__proto__":2}')],
  ['crit', compact('{"alg":"ES256","crit":["exp"],"exp":1}')],
  ['b64', compact('{"alg":"ES256","b64":true}')],
  ['zip', compact('{"alg":"ES256","zip":"DEF"}')],
  ['a payload nested too deep', compact(HEADER, nested(17))],
  ['thousands of brackets', compact(HEADER, nested(2500))],
]

for (const [name, text] of CONTENTS) {
  test(`a token with ${name} is refused`, () => assert.equal(readCompactJws(text), undefined))
}

test('quotes, colons and braces inside strings are not taken for members', () => {
  const payload = { 'a":{"b': '":"\\', '\\': ':::', c: [{ a: 1 }, { a: 1 }], d: { a: '{}' }, __proto__: null, '': 1 }
  assert.deepEqual(readCompactJws(compact(HEADER, JSON.stringify(payload)))?.payload, { ...payload })
  assert.notEqual(readCompactJws(compact(HEADER, nested(16))), undefined)
})

test('a token of the greatest length is read, one character more is refused', () => {
  const before = `${H}.${P}.`
  const ofLength = (length: number): string => before + 'A'.repeat(length - before.length)
  // Four characters are three bytes, so every length but one in four has a canonical spelling.
  const lengths = [0, 1, 2, 3].map(less => COMPACT_CHARACTERS_MAX - less)
  const read = lengths.filter(length => readCompactJws(ofLength(length)) !== undefined)
  assert.equal(read[0], COMPACT_CHARACTERS_MAX)
  for (const more of [1, 2, 3, 4]) {
    assert.equal(readCompactJws(ofLength(COMPACT_CHARACTERS_MAX + more)), undefined)
    assert.equal(readProvablePayload(ofLength(COMPACT_CHARACTERS_MAX + more)), undefined)
  }
})

test('the readers never throw, and what passes is spelled as it would be written', () => {
  const token = fc
    .tuple(fc.constantFrom(...SPELLINGS, ...CONTENTS), fc.nat(), fc.string())
    .map(([[, text], at, junk]) => {
      const index = at % (text.length + 1)
      return text.slice(0, index) + junk + text.slice(index + junk.length)
    })
  const bytes = fc.uint8Array({ maxLength: 64 }).map(encode)
  const threeParts = fc.tuple(bytes, bytes, bytes).map(parts => parts.join('.'))
  const json = fc.tuple(fc.json(), fc.json()).map(([header, payload]) => compact(header, payload))
  const texts = fc.oneof(fc.string({ unit: anyCodePoint }), token, threeParts, json)
  fc.assert(
    fc.property(texts, text => {
      readProvablePayload(text)
      const read = readCompactJws(text)
      if (read === undefined) return
      assert.equal(`${read.signingInput}.${encode(read.signature)}`, text)
    }),
    { numRuns: 2000 },
  )
})

test('a part is canonical on the hot path where it is for the strict reader', () => {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 9 }).map(encode)
  const spelled = fc.tuple(bytes, fc.nat(9), fc.constantFrom('', '=', 'A', '-', '+', ' ', '.', '\u0141'))
  const parts = spelled.map(([part, at, junk]) => `${part.slice(0, at)}${junk}${part.slice(at + junk.length)}`)
  fc.assert(
    fc.property(
      parts.filter(part => part !== ''),
      part => assert.equal(decodeCanonical(part) !== undefined, isCanonical(part)),
    ),
    { numRuns: 2000 },
  )
})

test('any JSON object with unique names is read as JSON.parse reads it', () => {
  const objects = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }))
  fc.assert(
    fc.property(objects, payload => {
      const json = JSON.stringify(payload)
      assert.deepEqual(readCompactJws(compact(HEADER, json))?.payload, parse(json))
    }),
  )
})
