// The rules of a token's end, number by number and millisecond by millisecond.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type CutOff,
  type CutOffConditions,
  type EndedSeqs,
  NOTHING_ENDED,
  isDead as isDeadOf,
  type LedgerToken,
  NO_CONDITION,
  ownCause,
} from '../../src/domain/ledger/ledger.ts'
import { makeTokenId } from '../../src/domain/ledger/claims.ts'

/** In the midst of a second: exp counts from its beginning. */
const ISSUED = Date.UTC(2026, 10, 1) + 700
const EXPIRES = ISSUED - 700 + 300_000
const TOKEN: LedgerToken = {
  id: makeTokenId(ISSUED, new Uint8Array(10)),
  lifetimeSeconds: 300,
  agent: 1,
  credential: 2,
  key: 3,
  scope: ['db:read', 'mail:send'],
  audience: ['https://one.example', 'https://two.example'],
  seq: 10,
  principal: 4,
  issuer: 5,
  ancestors: [],
}

const isDead = (token: LedgerToken, ended: EndedSeqs, openCutOffs: readonly CutOff[], now: number): boolean =>
  isDeadOf({ token, ended, openCutOffs, now }, [])

const cutOff = (seq: number, conditions: Partial<CutOffConditions> = {}, at = ISSUED + 1000): CutOff => ({
  ...NO_CONDITION,
  ...conditions,
  seq,
  at,
  reason: 'bulk_revocation',
  act: seq,
})

test('a token lives to the millisecond before its exp and expired from it on', () => {
  for (const [now, dead] of [
    [ISSUED, false],
    [EXPIRES - 1, false],
    [EXPIRES, true],
    [EXPIRES + 1, true],
  ] as const) {
    assert.equal(isDead(TOKEN, NOTHING_ENDED, [], now), dead)
    assert.equal(ownCause(TOKEN, [], now), dead ? 'expired' : undefined)
  }
})

test('a number ends the tokens of smaller numbers, whichever it is of, and a token of the same number lives', () => {
  for (const name of ['service', 'agent', 'credential', 'key'] as const) {
    for (const [seq, dead] of [
      [9, false],
      [10, false],
      [11, true],
    ] as const) {
      assert.equal(isDead(TOKEN, { ...NOTHING_ENDED, [name]: seq }, [], ISSUED), dead, `${name} ${seq}`)
    }
  }
})

test('a cut-off ends the tokens of smaller numbers, and a token of the same number lives', () => {
  for (const [seq, dead] of [
    [9, false],
    [10, false],
    [11, true],
  ] as const) {
    const one = cutOff(seq)
    assert.equal(isDead(TOKEN, NOTHING_ENDED, [one], ISSUED), dead)
    assert.equal(ownCause(TOKEN, [one], ISSUED), dead ? one : undefined)
  }
})

test('a cut-off ends a token where each of its conditions holds', () => {
  const one = { agent: 1, credential: 2, key: 3, scope: 'db:*', audience: 'https://one.example', before: ISSUED + 1 }
  const keeping = { keepScopes: ['db:*'], keepAudiences: ['https://one.example'] }
  const all: Partial<CutOffConditions> = { ...one, ...keeping, issuers: [6, 5], principals: [4] }
  assert.ok(isDead(TOKEN, NOTHING_ENDED, [cutOff(11, all)], ISSUED))
  const others: readonly Partial<CutOffConditions>[] = [
    { agent: 2 },
    { credential: 1 },
    { key: 1 },
    { scope: 'db:write' },
    { scope: 'mail:read' },
    { audience: 'https://three.example' },
    { keepScopes: ['db:*', 'mail:send'] },
    { keepScopes: ['mail:*', 'db:read', 'file:read'] },
    { keepAudiences: ['https://two.example', 'https://one.example'] },
    { before: ISSUED },
    { issuers: [4, 6] },
    { principals: [] },
  ]
  for (const other of others) {
    assert.equal(isDead(TOKEN, NOTHING_ENDED, [cutOff(11, { ...all, ...other })], ISSUED), false, JSON.stringify(other))
    assert.ok(!isDead(TOKEN, NOTHING_ENDED, [cutOff(11, other)], ISSUED), JSON.stringify(other))
  }
  for (const [name, value] of Object.entries(all)) {
    assert.ok(isDead(TOKEN, NOTHING_ENDED, [cutOff(11, { [name]: value })], ISSUED), name)
  }
  const bare = { ...TOKEN, scope: [], audience: [], issuer: null, principal: null }
  assert.ok(isDead(bare, NOTHING_ENDED, [cutOff(11)], ISSUED))
  assert.ok(!isDead(bare, NOTHING_ENDED, [cutOff(11, { issuers: [5], principals: null })], ISSUED))
  assert.ok(!isDead(bare, NOTHING_ENDED, [cutOff(11, { principals: [4] })], ISSUED))
  assert.ok(!isDead(bare, NOTHING_ENDED, [cutOff(11, { keepScopes: [] })], ISSUED))
  assert.ok(!isDead(bare, NOTHING_ENDED, [cutOff(11, { keepAudiences: [] })], ISSUED))
  assert.ok(isDead(TOKEN, NOTHING_ENDED, [cutOff(11, { keepScopes: [] })], ISSUED))
  assert.ok(isDead(TOKEN, NOTHING_ENDED, [cutOff(11, { keepAudiences: [] })], ISSUED))
})

test('one of several cut-offs suffices, and the first by its number is the cause, in whatever order they come', () => {
  const [none, first, second] = [cutOff(11, { agent: 9 }), cutOff(12), cutOff(13)]
  for (const open of [
    [none, first, second],
    [second, none, first],
    [first, second, none],
  ]) {
    assert.ok(isDead(TOKEN, NOTHING_ENDED, open, ISSUED))
    assert.equal(ownCause(TOKEN, open, ISSUED), first)
    assert.equal(ownCause(TOKEN, open, EXPIRES + 1000), first)
  }
  assert.equal(ownCause(TOKEN, [none], ISSUED), undefined)
  assert.equal(ownCause(TOKEN, [none], EXPIRES), 'expired')
})

test('a token that had expired before a cut-off expired; one that the cut-off met a millisecond before did not', () => {
  const [late, inTime] = [cutOff(11, {}, EXPIRES), cutOff(11, {}, EXPIRES - 1)]
  assert.equal(ownCause(TOKEN, [late], EXPIRES), 'expired')
  assert.equal(ownCause(TOKEN, [inTime], EXPIRES), inTime)
})

test('without a condition a cut-off names nothing', () => {
  assert.deepEqual(NO_CONDITION, {
    root: null,
    fromAnother: null,
    selected: null,
    agent: null,
    credential: null,
    key: null,
    scope: null,
    keepScopes: null,
    audience: null,
    keepAudiences: null,
    before: null,
    issuers: null,
    principals: null,
  })
})
