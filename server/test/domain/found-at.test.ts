// Where a leaked secret was found, as the audit log keeps it: without credentials, bounded, and printable.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCodePoint } from '../../../testkit/parsers/hostile-inputs.ts'
import { cleanFoundAt } from '../../src/domain/text/found-at.ts'

const SECRET = `mmc_${'A1b2'.repeat(12)}x`
const TOKEN = 'eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJodHRwcyJ9.c2lnbmF0dXJlMTIz-_'

for (const [what, text, kept] of [
  [
    'an address without credentials',
    'https://git.example/a/b.ts?plain=1#L3-L9',
    'https://git.example/a/b.ts?plain=1#L3-L9',
  ],
  ['nothing', '', ''],
  ['a client secret', `https://x.example/${SECRET}/y`, 'https://x.example/[secret]/y'],
  ['an API key', `see mma_abc123 there`, 'see [secret] there'],
  ['a secret whose underscore is escaped', 'https://x.example/mmc%5Fabc123', 'https://x.example/[secret]'],
  ['the same in lower case', 'https://x.example/mma%5fabc123', 'https://x.example/[secret]'],
  ['an access token', `https://x.example/${TOKEN}#a`, 'https://x.example/[secret]#a'],
  [
    'a token whose points are escaped',
    `https://x.example/${TOKEN.replaceAll('.', '%2E')}`,
    'https://x.example/[secret]',
  ],
  ['a name with short parts', 'https://a.b.c.example/v1.2.3', 'https://a.b.c.example/v1.2.3'],
  ['parts of nine characters', 'abcdefghi.abcdefghi.abcdefghi', 'abcdefghi.abcdefghi.abcdefghi'],
  ['parts of ten characters', 'abcdefghij.abcdefghij.abcdefghij', '[secret]'],
  ['a user and a password', 'https://ada:hunter2@git.example/x', 'https://[secret]@git.example/x'],
  ['a password with @', 'https://ada:p@ss@git.example/x?y=1', 'https://[secret]@git.example/x?y=1'],
  ['an @ in the path', 'https://git.example/@ada/x@y', 'https://git.example/@ada/x@y'],
  ['an address of mail', 'mailto:ada@git.example', 'mailto:ada@git.example'],
  ['a token by name', 'https://x.example/?access_token=ghp_1&id=7', 'https://x.example/?access_token=[secret]&id=7'],
  ['a signature in the fragment', 'https://x.example/#sig=abc;v=2', 'https://x.example/#sig=[secret];v=2'],
  [
    'a signed address',
    'https://s3.example/k?X-Amz-Signature=ab&x=1',
    'https://s3.example/k?X-Amz-Signature=[secret]&x=1',
  ],
  ['an author, who is no credential', 'https://x.example/?author=ada', 'https://x.example/?author=ada'],
  ['what comes with a key', 'https://x.example/?monkey=1&key=2', 'https://x.example/?monkey=1&key=[secret]'],
  ['a value with =', 'https://x.example/?password=a=b&pass=c', 'https://x.example/?password=[secret]&pass=[secret]'],
  [
    'NUL, escape, right to left and half a character',
    'a\0b\u001B[2Jc\u202Ed\uD800e\u2028f',
    'a\uFFFDb\uFFFD[2Jc\uFFFDd\uFFFDe\uFFFDf',
  ],
  ['a secret that a control character cuts', 'mmc_abc\u200Bdef', '[secret]\uFFFDdef'],
] as const) {
  test(`${what} is kept as ${JSON.stringify(kept)}`, () => assert.equal(cleanFoundAt(text), kept))
}

test('1000 characters are kept, and no half of one', () => {
  assert.equal(cleanFoundAt('x'.repeat(1001)).length, 1000)
  assert.equal(cleanFoundAt('x'.repeat(1000)), 'x'.repeat(1000))
  assert.equal(cleanFoundAt(`${'x'.repeat(999)}\u{1F600}`), `${'x'.repeat(999)}\uFFFD`)
})

test('a secret beyond the first 1000 characters makes no room for what follows one that stands there', () => {
  assert.equal(cleanFoundAt(`${'x'.repeat(990)}/${SECRET}`), `${'x'.repeat(990)}/[secret]`)
})

test('whatever is reported, what is kept is printable, bounded and without secrets', () => {
  const piece = fc.oneof(
    fc.string({ unit: anyCodePoint }),
    fc.constantFrom(SECRET, TOKEN, '//', '@', '?key=', '&', '=', '#', ';', '%5f', 'mmc', '\0', '\uD800'),
  )
  fc.assert(
    fc.property(fc.array(piece), pieces => {
      const kept = cleanFoundAt(pieces.join(''))
      assert.ok(kept.length <= 1000 && kept.isWellFormed() && !/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(kept))
      assert.ok(!kept.includes(SECRET) && !kept.includes(TOKEN), kept)
    }),
  )
})
