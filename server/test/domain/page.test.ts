// Cursors: what is written is read again by its list and with its filters, and nothing else is.
import assert from 'node:assert/strict'
import { isUuid } from '../../../api/values/uuid.ts'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCodePoint } from '../../../testkit/parsers/hostile-inputs.ts'
import {
  fingerprintText,
  formatCursor,
  formatKeyCursor,
  type KeyedList,
  parseCursor,
  parseKeyCursor,
  type PositionedList,
} from '../../src/domain/lists/page.ts'

const PRINT = 'f'.repeat(32)
const TOKEN = '019aa5b0-1234-7abc-8def-0123456789ab'

const IDS: Readonly<Record<PositionedList, string>> = {
  tokens: TOKEN,
  history: TOKEN,
  lineage: TOKEN,
  audit: '17',
  refusals: '1',
  uses: '1',
  late_uses: '1',
}
const POSITIONED = Object.keys(IDS) as readonly PositionedList[]

test('a position comes back from its cursor, and from that of no other list or other filters', () => {
  for (const list of POSITIONED) {
    for (const at of [0, 1, 999_999_999_999_999]) {
      const position = { at, id: IDS[list] }
      const cursor = formatCursor(list, PRINT, position)
      assert.deepEqual(parseCursor(list, PRINT, cursor), position)
      assert.equal(parseCursor(list, 'e'.repeat(32), cursor), undefined)
      for (const other of POSITIONED) if (other !== list) assert.equal(parseCursor(other, PRINT, cursor), undefined)
    }
  }
})

test('a cursor with a time or an id that no row can have is none', () => {
  const times = ['', '00', '01', '-1', '1.5', ' 1', '1 ', '1e3', '1000000000000000', 'x']
  for (const at of times) assert.equal(parseCursor('tokens', PRINT, `1.tokens.${PRINT}.${at}.${TOKEN}`), undefined, at)
  const noTokens = ['', '1', `${TOKEN}\0`, TOKEN.toUpperCase(), TOKEN.replace('-7', '-4'), `${TOKEN}.`, `x${TOKEN}`]
  const noNumbers = ['', '0', '01', '-1', '1.5', '1\0', ' 1', '1000000000000000', TOKEN]
  for (const list of POSITIONED) {
    const wrong = IDS[list] === TOKEN ? noTokens.filter(id => list !== 'lineage' || !isUuid(id)) : noNumbers
    for (const id of wrong) {
      assert.equal(parseCursor(list, PRINT, `1.${list}.${PRINT}.7.${id}`), undefined, `${list} ${id}`)
    }
  }
})

test('a cursor of another version, with a part more or less, is none', () => {
  const cursor = formatCursor('audit', PRINT, { at: 7, id: '1' })
  assert.equal(cursor, `1.audit.${PRINT}.7.1`)
  for (const other of [`2${cursor.slice(1)}`, `${cursor}.1`, `${cursor}.`, cursor.slice(0, -2), '', '.']) {
    assert.equal(parseCursor('audit', PRINT, other), undefined, other)
  }
})

const KEYS: Readonly<Record<KeyedList, readonly [good: readonly string[], bad: readonly string[]]>> = {
  agents: [
    ['', 'a', 'web . 7%', 'ä🙃', '..'],
    ['a\0', '\0', '\ud800'],
  ],
  credentials: [[TOKEN], ['', 'a', `${TOKEN}0`, '7']],
  api_keys: [[TOKEN], ['', 'a', `${TOKEN}0`, '7']],
  issuers: [
    ['a', 'entra-2', '7'],
    ['', 'A', 'a.b', 'a'.repeat(33), 'ä'],
  ],
  managed: [
    ['issuer entra', `agent ${TOKEN}`, `credential ${TOKEN}`],
    ['', 'agent', 'agent ', `token ${TOKEN}`, `agent ${TOKEN} `, 'agent A'],
  ],
  subjects: [
    ['a', 'A.b:c/d?%', '~'.repeat(255)],
    ['', 'a b', 'a'.repeat(256), 'ä'],
  ],
  sessions: [[TOKEN], ['', 'a', `${TOKEN}0`, '7']],
  verifiers: [
    ['', 'a', `${TOKEN}orders 7`, `${TOKEN}ä🙃`],
    ['a\0', '\0', '\ud800'],
  ],
  signing_keys: [
    ['1', '999999999999999'],
    ['', '0', '01', 'a', TOKEN, '1000000000000000'],
  ],
}

test('a key comes back from its cursor where its list may have it, and a NUL never does', () => {
  for (const [list, [good, bad]] of Object.entries(KEYS) as readonly [KeyedList, (typeof KEYS)[KeyedList]][]) {
    for (const key of good) {
      const cursor = formatKeyCursor(list, PRINT, key)
      assert.equal(parseKeyCursor(list, PRINT, cursor), key)
      assert.equal(parseKeyCursor(list, 'e'.repeat(32), cursor), undefined)
      assert.equal(parseKeyCursor(list, PRINT, `x${cursor}`), undefined)
    }
    for (const key of bad) {
      const written = key === '\ud800' ? '%ED%A0%80' : encodeURIComponent(key)
      assert.equal(parseKeyCursor(list, PRINT, `1.${list}.${PRINT}.${written}`), undefined, JSON.stringify(key))
    }
  }
  for (const broken of ['%', '%ff', '%C3']) {
    assert.equal(parseKeyCursor('agents', PRINT, `1.agents.${PRINT}.${broken}`), undefined)
  }
})

test('whatever the text, reading a cursor gives a position or nothing, and never throws', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCodePoint }), text => {
      for (const list of POSITIONED) assert.equal(parseCursor(list, PRINT, text), undefined)
      for (const list of Object.keys(KEYS) as readonly KeyedList[]) {
        assert.equal(parseKeyCursor(list, PRINT, text), undefined)
      }
    }),
  )
})

test('filters and audiences have one text, in whatever order their names come, with and without those that are not used', () => {
  const filters = { b: 1, a: null, c: 'x' }
  assert.equal(fingerprintText({ filters, audiences: null }), '[[["b",1],["c","x"]],null]')
  assert.equal(fingerprintText({ filters: { c: 'x', b: 1 }, audiences: ['y'] }), '[[["b",1],["c","x"]],["y"]]')
})
