// The conformance table of the revocation feed, against the reference that was written from docs/apis/feed-protocol.md.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type Case, digest, joinTails, type Step, type Verdict } from '../../../testkit/feed/case.ts'
import { CASES, formatTable, TABLE_FILE } from '../../../testkit/feed/conformance.ts'
import { type Follower, takeStep } from '../../../testkit/feed/reference-follow.ts'

/** What is wrong after a step; nothing where all is as the table says. */
const findFault = (step: Step, held: Follower, verdict: Verdict | undefined): string | undefined => {
  if (step.step !== 'token') {
    const position = held?.position ?? null
    return position === step.position ? undefined : `position ${position}`
  }
  return [step.verdict, step.or].includes(verdict) ? undefined : `${verdict}`
}

const findFaults = ({ name, steps }: Case): readonly string[] => {
  let follower: Follower
  return steps.flatMap((step, n) => {
    const { held, verdict } = takeStep(follower, step)
    follower = held
    const fault = findFault(step, held, verdict)
    return fault === undefined ? [] : [`${name}, step ${n}: ${fault}`]
  })
}

test('the reference follower says of every token what the conformance table of the feed says', () => {
  assert.ok(CASES.length > 50, 'The table holds next to nothing.')
  assert.deepEqual(CASES.flatMap(findFaults), [])
})

test('conformance.json is the table; `node testkit/feed/conformance.ts` writes it', () => {
  assert.equal(readFileSync(TABLE_FILE, 'utf8'), formatTable())
  assert.deepEqual((JSON.parse(formatTable()) as { cases: unknown }).cases, JSON.parse(JSON.stringify(CASES)))
})

test('the table names every case once', () => {
  const names = CASES.map(({ name }) => name)
  assert.deepEqual(names, [...new Set(names)])
})

test('the digests and tails of the table are those of the page', () => {
  // `printf abc | sha256sum` begins with ba7816bf8f01cfea.
  assert.equal(digest('abc'), 'ungWv48Bz-o')
  assert.equal(joinTails('a1b2c3d4e5f60718'), 'obLD1OX2Bxg')
})
