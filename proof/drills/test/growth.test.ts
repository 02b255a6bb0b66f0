// The measurement of growth, by costs that are computed: it finds the one shape on which a parser is quadratic, and no other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PARSERS } from '../../../testkit/parsers/all-parsers.ts'
import { goodOf, shapesFor } from '../../../testkit/parsers/hostile-inputs.ts'
import { type Cost, EXPONENT_MAX, measureGrowth } from '../fuzz/measure-growth.ts'

const parser = PARSERS.find(({ name }) => name === 'parseScope') ?? assert.fail()
const SHAPES = shapesFor(goodOf(parser), 3)

const costOf =
  (microsFor: (length: number, text: string) => number): Cost =>
  (_parser, input) =>
    microsFor(input.length, String(input))

test('time in proportion to the length, or to its product with its logarithm, is no fault', () => {
  for (const micros of [(n: number) => n, (n: number) => 8000 + n, (n: number) => n * Math.log2(n)]) {
    const { exponent } = measureGrowth(parser, SHAPES, costOf(micros))
    assert.ok(exponent !== null && exponent <= EXPONENT_MAX, String(exponent))
  }
})

test('quadratic time on one shape is found, and the shape is named', () => {
  const cost = costOf((n, text) => (text.endsWith('   !') ? (n * n) / 1000 : n))
  const { exponent, shape } = measureGrowth(parser, SHAPES, cost)
  assert.ok(exponent !== null && exponent > 1.9 && exponent < 2.1, String(exponent))
  assert.match(shape, /a run of " ", "!"$/)
})

test('a time that is too short shows nothing', () => {
  assert.equal(
    measureGrowth(
      parser,
      SHAPES,
      costOf(() => 10),
    ).exponent,
    null,
  )
})

test('one reading that is slow by chance is measured again', () => {
  let spikes = 1
  const cost = costOf(n => (n > 900_000 && (spikes -= 1) >= 0 ? 100 * n : n))
  const { exponent } = measureGrowth(parser, SHAPES.slice(0, 1), cost)
  assert.ok(exponent !== null && exponent <= EXPONENT_MAX, String(exponent))
})
