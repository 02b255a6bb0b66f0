// Distinguished names as text (RFC 4514): which are one, and which two spellings are the same name.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalName, parseName } from '../../../api/values/distinguished-name.ts'

const canonical = (text: string): string => {
  const name = parseName(text)
  assert.ok(name !== undefined, `${text} is refused`)
  return canonicalName(name)
}

test('the examples of RFC 4514 §4 are read, the last part of the encoding first', () => {
  assert.deepEqual(parseName('UID=jsmith,DC=example,DC=net'), [
    [{ type: '0.9.2342.19200300.100.1.25', value: 'net' }],
    [{ type: '0.9.2342.19200300.100.1.25', value: 'example' }],
    [{ type: '0.9.2342.19200300.100.1.1', value: 'jsmith' }],
  ])
  assert.deepEqual(parseName('OU=Sales+CN=J.  Smith,DC=example')?.at(-1), [
    { type: '2.5.4.11', value: 'Sales' },
    { type: '2.5.4.3', value: 'J.  Smith' },
  ])
  const [, [james] = []] = parseName('CN=James \\"Jim\\" Smith\\, III,DC=net') ?? []
  assert.equal(james?.value, 'James "Jim" Smith, III')
  assert.equal(parseName('CN=Before\\0dAfter')?.[0]?.[0]?.value, 'Before\rAfter')
  assert.equal(parseName('CN=Lu\\C4\\8Di\\C4\\87')?.[0]?.[0]?.value, 'Lučić')
})

const SAME: readonly (readonly [string, string])[] = [
  ['CN=a,O=b', 'cn=a, o = b'],
  ['CN=a,O=b', '2.5.4.3=a,2.5.4.10=b'],
  ['OU=x+CN=a,O=b', 'CN=a+OU=x,O=b'],
  ['CN=a\\,b', 'CN=a\\2Cb'],
  ['CN=Lučić', 'CN=Lu\\c4\\8di\\c4\\87'],
  ['CN=\\ a\\ ', 'CN=\\20a\\20'],
  ['CN=a\\\\', 'CN=a\\5C'],
  ['CN=\\#a', 'CN=\\23a'],
]

for (const [one, other] of SAME) {
  test(`${one} and ${other} are one name`, () => assert.equal(canonical(one), canonical(other)))
}

const DIFFERENT: readonly (readonly [string, string])[] = [
  ['CN=a,O=b', 'O=b,CN=a'],
  ['CN=a,O=b', 'CN=a+O=b'],
  ['CN=a,O=b', 'CN=a\\,O=b'],
  ['CN=a', 'CN=A'],
  ['CN=a b', 'CN=a  b'],
  ['CN=a', 'CN=a,CN=a'],
  ['CN=a', 'OU=a'],
  ['CN=a+CN=b', 'CN=a\\+CN=b'],
  // Not even letters that look and mean the same: é in one code point, and in two.
  ['CN=\u00e9', 'CN=e\u0301'],
]

for (const [one, other] of DIFFERENT) {
  test(`${one} and ${other} are two names`, () => assert.notEqual(canonical(one), canonical(other)))
}

const MALFORMED = [
  '',
  ' ',
  'a',
  'CN=',
  'CN=a,',
  'CN=a,,O=b',
  ',CN=a',
  'CN=a+',
  'CN=a;O=b',
  'CN=a ',
  'CN=a ,O=b',
  'CN="a"',
  'CN=a\\',
  'CN=a\\x',
  'CN=\\ff',
  'CN=\\C4',
  'CN=#0c0161',
  'CN=a\0',
  'CN=\ud800',
  'XX=a',
  'constructor=a',
  '2.5.4.=a',
  '2.5.04.3=a',
  '3.5.4.3=a',
  '=a',
  '/CN=a/O=b',
]

for (const text of MALFORMED) {
  test(`${JSON.stringify(text)} is no name`, () => assert.equal(parseName(text), undefined))
}

test('a long text is refused or read at once, whatever is in it', () => {
  for (const text of ['CN=a+', 'CN=\\', ' ', 'CN= ', 'CN=a,']) assert.equal(parseName(text.repeat(100_000)), undefined)
  assert.equal(parseName(Array.from({ length: 100 }, () => 'CN=a').join(','))?.length, 100)
})
