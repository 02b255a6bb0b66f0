// How many token requests may be under way where the store takes long: on a store whose every commit takes a second, none that
// was let in is answered late once that was seen. Time is the test's.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TIMING } from '../../src/ports/timing.ts'
import { makeIssueRoom } from '../../src/operations/tokens/issue-token.ts'

const ISSUES_MIN = 256
const ISSUES_MAX = 2048
const DEADLINE_MS = 4600
const GROUP_MAX = 256
/** Requests that come every 10 ms: four times what one commit a second serves. */
const OFFERED = 10

type Group = { readonly beganAt: number; readonly requests: number; readonly end: () => void }
type Outcome = { readonly at: number; readonly tookMs: number; readonly requests: number }

/** A thread that lets in what it has room for, before a store that commits one group after another. */
const makeThread = () => {
  let now = 0
  const room = makeIssueRoom({ monotonic: () => now, timing: TIMING })
  const state = { commitMs: 1000, underWay: 0, refused: 0 }
  const waiting: Group[] = []
  const outcomes: Outcome[] = []
  let committing: { readonly group: Group; readonly doneAt: number } | undefined

  const letIn = (offered: number): void => {
    let requests = 0
    for (let n = 0; n < offered; n += 1) {
      if (state.underWay >= room.requestsMax()) state.refused += 1
      else {
        state.underWay += 1
        requests += 1
      }
    }
    // What arrives while a group waits joins the last of them, as long as it has room.
    for (let left = requests; left > 0; left -= GROUP_MAX) {
      waiting.push({ beganAt: now, requests: Math.min(left, GROUP_MAX), end: room.begin() })
    }
  }

  const commit = (): void => {
    if (committing !== undefined && now >= committing.doneAt) {
      const { end, beganAt, requests } = committing.group
      end()
      state.underWay -= requests
      outcomes.push({ at: now, tookMs: now - beganAt, requests })
      committing = undefined
    }
    const next = committing === undefined ? waiting.shift() : undefined
    if (next !== undefined) committing = { group: next, doneAt: now + state.commitMs }
  }

  return {
    state,
    outcomes,
    room,
    /** Lets so much time pass in which this many requests come every 10 ms, a second's worth together. */
    pass: (ms: number, offered = OFFERED): void => {
      for (const end = now + ms; now < end; now += 10) {
        commit()
        // A second's requests come together, as full groups.
        if (now % 1000 === 0) letIn(100 * offered)
      }
    },
  }
}

test('on a store whose commit takes a second, no request that is let in is late once that was measured', () => {
  const { state, outcomes, pass } = makeThread()
  pass(60_000)
  const settled = outcomes.filter(({ at }) => at > 15_000)
  assert.deepEqual(
    settled.filter(({ tookMs }) => tookMs > DEADLINE_MS),
    [],
  )
  const served = settled.reduce((sum, { requests }) => sum + requests, 0)
  assert.ok(served > 40 * 150, `a store of a group a second serves ${served} in 45 s`)
  assert.ok(state.refused > 0, 'the others are refused as they come')
})

test('once the store is fast again, all are let in', () => {
  const { state, room, pass } = makeThread()
  pass(30_000)
  assert.ok(room.requestsMax() < ISSUES_MAX)
  state.commitMs = 1
  pass(20_000, 1)
  assert.equal(room.requestsMax(), ISSUES_MAX)
})

test('while a group hangs one group has room, and no fewer however long any takes', () => {
  let now = 0
  const room = makeIssueRoom({ monotonic: () => now, timing: TIMING })
  const end = room.begin()
  now += TIMING.issueGroupMs
  assert.equal(room.requestsMax(), ISSUES_MAX)
  now += 1
  assert.equal(room.requestsMax(), ISSUES_MIN)
  now += 1_000_000
  end()
  assert.equal(room.requestsMax(), ISSUES_MIN)
  for (let n = 0; n < 20; n += 1) room.begin()()
  assert.equal(room.requestsMax(), ISSUES_MAX)
})

test('of groups that began together the slowest says how many may be under way, not each of them', () => {
  let now = 0
  const room = makeIssueRoom({ monotonic: () => now, timing: TIMING })
  const ends = [room.begin(), room.begin(), room.begin()]
  now += TIMING.issueGroupMs + 1
  ends[0]?.()
  now += TIMING.issueGroupMs - 1
  for (const end of ends.slice(1)) end()
  assert.equal(room.requestsMax(), ISSUES_MAX / 2)
})
