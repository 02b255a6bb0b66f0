// Comma-separated values: quoting by RFC 4180, and formulas that no spreadsheet runs.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Columns, csvHeader, csvLine } from '../../src/domain/lists/csv.ts'
import { parseCsv } from '../../../testkit/callers/csv.ts'

type Pair = { readonly a: string | number | null; readonly b: string | number | null }

const COLUMNS: Columns<Pair> = { a: pair => pair.a, b: pair => pair.b }

const line = (a: Pair['a'], b: Pair['b'] = 'b'): string => csvLine(COLUMNS, { a, b })

/** As docs/manage/exports.md gives it. */
const undo = (cell: string): string =>
  cell.replaceAll(/^'(?='*[=+\-@\t\r\n＝＋－＠])|(?<=[;\t\r\n])'(?='*[=+\-@＝＋－＠])/g, '')

const FORMULAS = ['=', '+', '-', '@', '＝', '＋', '－', '＠']
const SPACES = ['\t', '\r', '\n']

const cellOf = (text: string): string | undefined => parseCsv(line(text))[0]?.[0]

suite('a line', () => {
  test('the names of the columns stand first; cells are separated by commas and a line ends in CR LF', () => {
    assert.equal(csvHeader(COLUMNS), 'a,b\r\n')
    assert.equal(line('x', 'y'), 'x,y\r\n')
  })

  test('null is an empty cell; a number is written as it is, a negative one too', () => {
    assert.equal(line(null, null), ',\r\n')
    assert.equal(line(0, -12), '0,-12\r\n')
  })

  for (const [text, quoted] of [
    ['a,b', '"a,b"'],
    ['say "yes"', '"say ""yes"""'],
    ['"', '""""'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['a\nb', '"a\nb"'],
    ['a\rb', '"a\rb"'],
    [' around ', '" around "'],
  ] as const) {
    test(`${JSON.stringify(text)} is written ${JSON.stringify(quoted)}`, () => {
      assert.equal(line(text), `${quoted},b\r\n`)
    })
  }

  test('a text of any language is written as it is', () => {
    for (const text of ['Ärger', '日本語', 'שלום', '👩‍🚀', 'a\u0301', '\u202E'])
      assert.equal(line(text), `${text},b\r\n`)
  })
})

suite('formulas', () => {
  for (const character of [...FORMULAS, ...SPACES]) {
    test(`a cell that begins with ${JSON.stringify(character)} is given an apostrophe in front`, () => {
      assert.equal(cellOf(`${character}1+1`), `'${character}1+1`)
    })
  }

  for (const character of FORMULAS) {
    test(`${character} behind a semicolon, a tab or a line break has an apostrophe before it, and elsewhere none`, () => {
      for (const separator of [';', ...SPACES]) {
        assert.equal(cellOf(`x${separator}${character}1`), `x${separator}'${character}1`)
      }
      for (const before of ['x', ' ', ',', '"', '|'])
        assert.equal(cellOf(`x${before}${character}1`), `x${before}${character}1`)
    })
  }

  test('every one of several is defused', () => {
    assert.equal(cellOf('=1;+2\r\n@3\t-4'), "'=1;'+2\r\n'@3\t'-4")
    assert.equal(cellOf('\t=1'), "'\t'=1")
  })

  test('no two texts come to one cell, none begins a formula, and undoing it gives back what was there', () => {
    const pieces = ['', "'", "''", ';', 'x', ...FORMULAS, ...SPACES]
    const texts = new Set(pieces.flatMap(a => pieces.flatMap(b => pieces.flatMap(c => pieces.map(d => a + b + c + d)))))
    const cells = new Set<string>()
    for (const text of texts) {
      const cell = cellOf(text) ?? ''
      assert.equal(undo(cell), text, JSON.stringify({ text, cell }))
      assert.doesNotMatch(cell, /^[=+\-@\t\r\n＝＋－＠]|[;\t\r\n][=+\-@＝＋－＠]/)
      cells.add(cell)
    }
    assert.equal(cells.size, texts.size)
  })
})
