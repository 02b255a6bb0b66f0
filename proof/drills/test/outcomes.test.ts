// What the drills make of the answers that clients got about a token, and of what the store holds in the end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeOutcome } from '../cluster/check-outcomes.ts'
import { holdMs, pickFault } from '../cluster/faults.ts'
import { makeRandom } from '../random.ts'
import { makeTableMemory, openTokenTable, type TokenOutcome } from '../linear/token-table.ts'

const JTI = '0191d5c0-0000-7000-8000-000000000001'
const TEXT = `h.${Buffer.from(JSON.stringify({ jti: JTI, iat: 0, exp: 300 })).toString('base64url')}.s`

const outcome = (reported: Partial<TokenOutcome>): TokenOutcome => ({
  text: TEXT,
  shortLived: false,
  revocation: 'none',
  seenInactive: false,
  ...reported,
})

type Side = 'live' | 'ended' | 'both' | 'neither'

const judge = (reported: Partial<TokenOutcome>, side: Side, reason = 'manual_revocation'): string => {
  const record = new Map([[JTI, { id: JTI, termination_reason: reason }]])
  const lists = {
    live: side === 'live' || side === 'both' ? record : new Map(),
    ended: side === 'ended' || side === 'both' ? record : new Map(),
  }
  return judgeOutcome(outcome(reported), lists)
    .map(found => found.slice(0, 2))
    .join(' ')
}

test('a token that nobody asked to end is live, and one whose revocation was acknowledged is in history', () => {
  assert.equal(judge({}, 'live'), '')
  assert.equal(judge({ revocation: 'acknowledged', seenInactive: true }, 'ended'), '')
  assert.equal(judge({ revocation: 'acknowledged' }, 'ended', 'self_revocation'), '')
})

test('a revocation of unknown outcome may have happened or not', () => {
  assert.equal(judge({ revocation: 'sent' }, 'live'), '')
  assert.equal(judge({ revocation: 'sent' }, 'ended'), '')
})

test('a token in no list, or in both, is a violation', () => {
  assert.equal(judge({}, 'neither'), 'P3')
  assert.equal(judge({}, 'both'), 'P6')
})

test('an acknowledged revocation that is lost is a violation, and so is an end that was seen and is undone', () => {
  assert.equal(judge({ revocation: 'acknowledged' }, 'live'), 'P3')
  assert.equal(judge({ revocation: 'sent', seenInactive: true }, 'live'), 'P2')
})

test('an end that nobody asked for is a violation', () => {
  assert.equal(judge({}, 'ended'), 'P5')
  assert.equal(judge({ revocation: 'sent' }, 'ended', 'agent_disabled'), 'P6')
  assert.equal(judge({}, 'ended', 'expired'), 'P6')
  assert.equal(judge({ shortLived: true, seenInactive: true }, 'ended', 'expired'), '')
})

test('the table returns of a token what its clients noted', () => {
  const table = openTokenTable(makeTableMemory(1))
  assert.equal(table.outcome(0), undefined)
  assert.ok(table.take(0))
  table.fill(0, { text: TEXT, shortLived: true, surelyAliveUntil: 0n, expiresAtMs: 0 })
  assert.deepEqual(table.outcome(0), outcome({ shortLived: true }))
  table.noteRevokeSent(0, 1n)
  assert.deepEqual(table.outcome(0), outcome({ shortLived: true, revocation: 'sent' }))
  table.noteRevoked(0, 2n)
  table.noteInactive(0, 3n)
  assert.deepEqual(table.outcome(0), outcome({ shortLived: true, revocation: 'acknowledged', seenInactive: true }))
  table.retire(0)
  assert.ok(table.take(0))
  table.fill(0, undefined)
  assert.equal(table.outcome(0), undefined)
})

test('faults are picked by their weight, and hold for 10 ms to 20 s', () => {
  const random = makeRandom(1)
  const strike = (): Promise<string> => Promise.resolve('')
  const faults = [
    { name: 'never', weight: 0, strike },
    { name: 'often', weight: 9, strike },
    { name: 'seldom', weight: 1, strike },
  ]
  const picked = Array.from({ length: 1000 }, () => pickFault(faults, random).name)
  assert.ok(!picked.includes('never'))
  const seldom = picked.filter(name => name === 'seldom').length
  assert.ok(seldom > 50 && seldom < 200, `seldom: ${seldom}`)
  const holds = Array.from({ length: 1000 }, () => holdMs(random)).toSorted((a, b) => a - b)
  assert.ok((holds[0] ?? 0) >= 10 && (holds.at(-1) ?? 0) <= 20_000)
  assert.ok((holds[500] ?? 0) > 200 && (holds[500] ?? 0) < 1000, 'short ones are as often as long ones')
})
