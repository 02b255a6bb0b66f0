// Every regular expression of the program takes linear time, whatever the text: docs/decisions/0057-regular-expressions.md.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linearity } from '../../../testkit/sources/expression-check.ts'
import { findExpressions, recordMade } from '../../../testkit/sources/regular-expressions.ts'
import { nothing } from '../../../testkit/sources/source-files.ts'

test('every regular expression takes linear time, and each that is made of a text is made while its module is loaded', async t => {
  const { literals, made } = findExpressions()
  assert.ok(literals.length > 100 && made.length > 5)
  const paths = [...new Set(made.map(at => at.slice(0, at.lastIndexOf(':'))))]
  const recorded = await recordMade(paths)
  nothing(
    made.filter(at => !recorded.some(one => one.at === at)),
    'Made of a text only when it is called, so that nobody has seen it: make it a constant of the module.',
  )
  const checked = [...literals, ...recorded].map(one => ({ ...one, linear: linearity(one.source, one.flags) }))
  nothing(
    checked.flatMap(({ at, source, flags, linear }) =>
      typeof linear === 'string' ? [] : [`${at}: /${source}/${flags}: ${linear.wrong}`],
    ),
    'Not known to take linear time:',
  )
  t.diagnostic(
    `${checked.length} expressions, of which ${checked.filter(one => one.linear === 'tried').length} are tried only`,
  )
})

const SLOW: Readonly<Record<string, readonly [source: string, flags: string]>> = {
  'two ways to take a letter': ['^(?:a|a)*$', ''],
  'a repetition of a repetition': ['^([a-z]+)+$', ''],
  'two repetitions that overlap': ['^\\s*=\\s*([^"]+)"$', ''],
  'spaces at the end of a text': [' +$', ''],
  'a quoted text that need not be closed': ['"(?:[^"\\\\]|\\\\.)*"', 'g'],
  'the same behind an assertion': ['(?=[a-z])([a-z]+)+$', ''],
}

for (const [what, [source, flags]] of Object.entries(SLOW)) {
  test(`an expression that is slow on some text is found: ${what}`, () => {
    const found = linearity(source, flags)
    assert.ok(typeof found !== 'string', `It is ${JSON.stringify(found)}.`)
  })
}
