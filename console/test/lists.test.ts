// What is new in a list and what is chosen in it, which filters a revocation can express, and what was pasted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepOrder } from '../src/overview/keep-order.ts'
import { compareRows } from '../src/reading/changes.ts'
import { pageWithRows } from '../src/reading/read-page.ts'
import { type Chosen, NONE_CHOSEN, toggleRows } from '../src/reading/selection.ts'
import { staleFirst } from '../src/verifiers/stale-first.ts'
import { wrongIn } from '../src/lists/filter-forms.ts'
import { isMatch } from '../src/settings/match-setting.ts'
import { commandOf, conditionsOf, isWholeAgent } from '../src/tokens/revocation-of.ts'

const compare = (known: string, newest: string, { isWhole = false, hasMore = true } = {}) => {
  const { added, isMore, gone } = compareRows({
    known: known.split(''),
    isWhole,
    newest: { data: newest.split(''), next_cursor: hasMore ? 'x' : null },
    idOf: (id: string) => id,
  })
  return [added, isMore, [...gone].join('')]
}

test('rows above those that are shown are new, those that move up from below are not', () => {
  assert.deepEqual(compare('defg', 'defg'), [0, false, ''])
  assert.deepEqual(compare('defg', 'bcde'), [2, false, ''])
  assert.deepEqual(compare('defg', 'dfgh'), [0, false, ''])
  assert.deepEqual(compare('defghi', 'dfgh'), [0, false, 'e'])
  assert.deepEqual(compare('defg', 'wxyz'), [4, true, ''])
})

test('an empty page of a list that goes on reaches no row that is shown', () => {
  assert.deepEqual(compare('de', ''), [0, false, ''])
})

const pagesOf =
  (rows: readonly string[]) =>
  async (cursor = '0') => {
    const n = Number(cursor)
    return { data: (rows[n] ?? '').split(''), next_cursor: n + 1 < rows.length ? String(n + 1) : null }
  }

test('a list is read on over empty pages, to the first row or to its end', async () => {
  const { signal } = new AbortController()
  const read = (rows: readonly string[], cursor?: string) => pageWithRows(pagesOf(rows), cursor, signal)
  assert.deepEqual(await read(['', '', 'ab', 'c']), { data: ['a', 'b'], next_cursor: '3' })
  assert.deepEqual(await read(['ab', '', 'c'], '1'), { data: ['c'], next_cursor: null })
  assert.deepEqual(await read(['', '']), { data: [], next_cursor: null })
})

const choose = (chosen: Chosen<string>, rows: string, row: string, isRange = false): Chosen<string> =>
  toggleRows(chosen, { rows: rows.split(''), idOf: id => id, index: rows.indexOf(row), isRange })

const namesOf = ({ rows }: Chosen<string>): string => [...rows.keys()].join('')

test('a range of chosen rows begins at the row that was chosen last, wherever that stands by now', () => {
  const first = choose(NONE_CHOSEN, 'defgh', 'e')
  assert.equal(namesOf(choose(first, 'defgh', 'g', true)), 'efg')
  assert.equal(namesOf(choose(first, 'abcdefgh', 'g', true)), 'efg')
  assert.equal(namesOf(choose(first, 'wxyz', 'y', true)), 'ey')
  assert.equal(namesOf(choose(NONE_CHOSEN, 'defgh', 'f', true)), 'f')
  assert.equal(namesOf(choose(choose(first, 'defgh', 'g', true), 'cdefgh', 'f', true)), 'e')
})

test('of a list that was read to its end every row that was not known is new', () => {
  assert.deepEqual(compare('de', 'cdef', { isWhole: true, hasMore: false }), [2, false, ''])
  assert.deepEqual(compare('de', '', { isWhole: true, hasMore: false }), [0, false, 'de'])
})

test('a revocation takes all filters or none', () => {
  assert.deepEqual(conditionsOf({ agent_id: 'a', scope: 'db:read' }), { agent_id: 'a', scope: 'db:read' })
  assert.deepEqual(conditionsOf({ root_id: 't' }), { lineage: 't' })
  assert.deepEqual(conditionsOf({ label: 'team=a=b', owner: 'Ada' }), { labels: { team: 'a=b' }, owner: 'Ada' })
  assert.deepEqual(conditionsOf({ subject: 'acme:a:b' }), { subject: 'acme:a:b' })
  assert.deepEqual(commandOf({ subject: 'acme:a:b' }).slice(3), ['--subject', 'acme:a:b'])
  assert.equal(conditionsOf({ subject: '01a20ab7-9544-7e03-9e33-b64a4ac6a715' }), undefined)
  assert.deepEqual(commandOf({ labels: { team: 'a=b' } }).slice(3), ['--label', 'team=a=b'])
  assert.equal(conditionsOf({ agent_id: 'a', issued_after: '2026-11-22T12:00:00.000Z' }), undefined)
  assert.equal(conditionsOf({ constructor: 'a' }), undefined)
  assert.equal(conditionsOf({}), undefined)
  assert.deepEqual([isWholeAgent({ agent_id: 'a' }), isWholeAgent({ agent_id: 'a', scope: 'db:read' })], [true, false])
})

test('a label that the service refuses is wrong at its field, and is no condition of a revocation', () => {
  for (const label of ['team', '=data', 'a team=data', 'team=', 'team= data', 'team=da\u200Dta']) {
    assert.equal(wrongIn('label', label), 'This is not a label, such as team=payments.', label)
    assert.equal(conditionsOf({ label }), undefined, label)
  }
  assert.equal(wrongIn('label', 'team=a=b'), undefined)
})

test('a subject of an issuer may hold any sign, and a text without an alias or with a space is none', () => {
  for (const subject of [
    'acme:alice',
    `acme:${String.fromCharCode(...Array.from({ length: 94 }, (_, n) => n + 0x21))}`,
  ])
    assert.equal(wrongIn('subject', subject), undefined, subject)
  for (const text of ['alice', 'acme:', ':alice', 'Acme:alice', 'acme:a b', 'acme:\u00e4', `acme:${'a'.repeat(256)}`])
    assert.match(
      wrongIn('subject', text) ?? '',
      /^This is not ALIAS:SUB, a subject of a trusted issuer, such as entra:/,
    )
})

const keep = (known: string, rows: string): string =>
  keepOrder(known.split(''), rows.split(''), (id: string) => id).join('')

test('while somebody points at a table its rows keep their places, and new ones stand last', () => {
  assert.equal(keep('abc', 'cab'), 'abc')
  assert.equal(keep('abc', 'xcyb'), 'bcxy')
  assert.equal(keep('', 'cab'), 'cab')
})

type State = 'silent' | 'behind' | 'current'

const verifierOf = (name: string, state: State, staleSeconds: number) => ({ name, state, stale_seconds: staleSeconds })

test('silent verifiers stand before those that are behind, and those that were not heard of for longer before the others', () => {
  const verifiers = [
    verifierOf('a', 'current', 9),
    verifierOf('b', 'behind', 1),
    verifierOf('c', 'silent', 40),
    verifierOf('d', 'silent', 90),
    verifierOf('e', 'behind', 3),
  ]
  assert.equal(
    staleFirst(verifiers)
      .map(({ name }) => name)
      .join(''),
    'dceba',
  )
})

test('a setting is found by words of its name, its value and its meaning, in any order and case', () => {
  const setting = {
    name: 'PORT',
    group: 'service',
    value: '8080',
    secret: false,
    source: 'default',
    variable: null,
    unit: null,
    bounds: null,
    default: '8080',
    example: null,
    meaning: 'the port to listen on',
  } as const
  for (const text of ['', 'port', 'LISTEN 80', ' on  port ']) assert.equal(isMatch(setting, text, false), true, text)
  for (const text of ['ports', '81']) assert.equal(isMatch(setting, text, false), false, text)
  assert.equal(isMatch(setting, '', true), false)
  assert.equal(isMatch({ ...setting, source: 'environment' }, '', true), true)
})
