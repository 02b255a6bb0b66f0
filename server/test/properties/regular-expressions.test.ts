// Every regular expression of the program takes linear time, whatever the text: docs/decisions/archive/0057-regular-expressions.md.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isThorough } from '../../../testkit/loads/thorough.ts'
import { linearity } from '../../../testkit/sources/expression-check.ts'
import { findExpressions, type FoundExpression, recordMade } from '../../../testkit/sources/regular-expressions.ts'
import SLOW_PROOFS from '../../../testkit/sources/slow-proofs.json' with { type: 'json' }
import { nothing } from '../../../testkit/sources/source-files.ts'

/** What the proof said of the expressions that take it longest, three quarters of the time of all: of the same text it says the same. */
const KNOWN = new Map(Object.entries(SLOW_PROOFS))

/** Every distinct one, by how it is written. */
const distinct = (found: readonly FoundExpression[]): ReadonlyMap<string, FoundExpression> =>
  new Map(found.map(one => [`/${one.source}/${one.flags}`, one]))

test('every regular expression takes linear time, and each that is made of a text is made while its module is loaded', async t => {
  const { literals, made } = findExpressions()
  assert.ok(literals.length > 100 && made.length > 5)
  const paths = [...new Set(made.map(at => at.slice(0, at.lastIndexOf(':'))))]
  const recorded = await recordMade(paths)
  nothing(
    made.filter(at => !recorded.some(one => one.at === at)),
    'Made of a text only when it is called, so that nobody has seen it: make it a constant of the module.',
  )
  const expressions = distinct([...literals, ...recorded])
  const checked = [...expressions].map(([written, { at, source, flags }]) => {
    const known = isThorough ? undefined : KNOWN.get(written)
    return { at, written, linear: known ?? linearity(source, flags) }
  })
  nothing(
    checked.flatMap(({ at, written, linear }) =>
      typeof linear === 'string' ? [] : [`${at}: ${written}: ${linear.wrong}`],
    ),
    'Not known to take linear time:',
  )
  const found = new Map(checked.map(({ written, linear }) => [written, linear]))
  nothing(
    [...KNOWN].filter(([written, known]) => found.get(written) !== known).map(([written]) => written),
    'In testkit/sources/slow-proofs.json, and not in the program, or the proof says otherwise:',
  )
  const tried = checked.filter(({ linear }) => linear === 'tried').length
  t.diagnostic(`${checked.length} expressions, of which ${tried} are tried only`)
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
