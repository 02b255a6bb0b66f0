// Which media type an Accept header gets, of JSON, which stands first, and one other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { anyCodePoint } from '../../../testkit/parsers/hostile-inputs.ts'
import { ACCEPT_CHARACTERS_MAX, makeNegotiator, takesGzip } from '../../src/domain/text/accept.ts'

const JSON_TYPE = 'application/json'
const OTHER = 'application/token-introspection+jwt'
const negotiate = makeNegotiator(JSON_TYPE, OTHER)

const GETS_JSON: readonly (string | undefined)[] = [
  undefined,
  '',
  '*/*',
  'application/*',
  'application/json',
  'text/html',
  'text/html, image/gif, image/jpeg, */*; q=.2',
  `${JSON_TYPE}, ${OTHER}`,
  `${OTHER}, ${JSON_TYPE}`,
  `${OTHER};q=0.5, ${JSON_TYPE}`,
  `${OTHER};q=0.999, ${JSON_TYPE};q=1.0`,
  `${OTHER};q=0.5, */*`,
  `${OTHER};q=0`,
  `${OTHER};q=0.000, ${JSON_TYPE};q=0`,
  `${OTHER};q=0, */*;q=0.1`,
  `${OTHER};q=2`,
  `${OTHER};q=1.001`,
  `${OTHER};q=-1`,
  `${OTHER};q=x`,
  `${OTHER};q=`,
  `${OTHER};q=1e-9`,
  `text/plain; of="${OTHER}"`,
  `text/plain; of=", ${OTHER},"`,
  `text/plain; of="\\", ${OTHER},"`,
  `${OTHER}x`,
  'token-introspection+jwt',
  'application/jwt',
  `x${OTHER}`,
]

const GETS_OTHER: readonly string[] = [
  OTHER,
  'Application/Token-Introspection+JWT',
  `  ${OTHER}  `,
  `${OTHER}, */*`,
  `*/*, ${OTHER}`,
  `application/*, ${OTHER}`,
  `${OTHER}, */*;q=0.1`,
  `${OTHER};q=0.6, ${JSON_TYPE};q=0.5`,
  `${OTHER} ; Q=0.6 , ${JSON_TYPE} ; q=0.5`,
  `${OTHER};q=.6, ${JSON_TYPE};q=.5`,
  `${OTHER};q=0.001`,
  `${OTHER};q=0.1, ${JSON_TYPE};q=0`,
  `${OTHER};v=1;q=0.6, ${JSON_TYPE};v="a,b;q=1";q=0.5`,
  `${JSON_TYPE};q=0, */*`,
  `${JSON_TYPE};q=0, application/*;q=0.1`,
  `text/html, ${OTHER};q=0.3`,
  `,, ${OTHER},`,
]

test('JSON, unless the other is wanted more', () => {
  for (const accept of GETS_JSON) assert.equal(negotiate(accept), JSON_TYPE, String(accept))
})

test('the other one where its weight is greater, or it is named more exactly', () => {
  for (const accept of GETS_OTHER) assert.equal(negotiate(accept), OTHER, accept)
})

test('what one caller wants is not given to the next', () => {
  for (const accept of [OTHER, undefined, OTHER, JSON_TYPE, `${OTHER};q=0`]) {
    assert.equal(negotiate(accept), accept === OTHER ? OTHER : JSON_TYPE)
  }
})

test('a header of the greatest length is read, a longer one gets JSON', () => {
  const ofLength = (length: number): string => `${OTHER}${' '.repeat(length - OTHER.length)}`
  assert.equal(negotiate(ofLength(ACCEPT_CHARACTERS_MAX)), OTHER)
  assert.equal(negotiate(ofLength(ACCEPT_CHARACTERS_MAX + 1)), JSON_TYPE)
})

test('any header gets one of the two', () => {
  const pieces = fc.constantFrom(OTHER, JSON_TYPE, '*/*', ';', 'q', '=', '0.5', ',', '"', '\\', ' ', '\t')
  const headers = fc.oneof(
    fc.string({ unit: anyCodePoint }),
    fc.array(pieces).map(parts => parts.join('')),
  )
  fc.assert(fc.property(headers, accept => assert.ok([JSON_TYPE, OTHER].includes(negotiate(accept)))))
})

test('a compressed body goes to callers that take gzip, and to no others', () => {
  for (const takes of ['gzip', 'GZIP', 'br, gzip', 'deflate, gzip;q=0.5', 'gzip ; q=1.0'])
    assert.ok(takesGzip(takes), takes)
  for (const refuses of ['', 'br', 'gzip;q=0', 'identity, gzip; q=0.000', 'gzipped', 'x;a="gzip"'])
    assert.ok(!takesGzip(refuses), refuses)
  assert.ok(!takesGzip(`gzip${','.repeat(ACCEPT_CHARACTERS_MAX)}`))
})
