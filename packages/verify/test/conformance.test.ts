// The table of the revocation feed for followers in every language: testkit/feed/conformance.json.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Case, Step } from '../../../testkit/feed/case.ts'
import { CASES } from '../../../testkit/feed/conformance.ts'
import { isUnreadable, type Range, readChanges, readHead, readSnapshot } from '../src/feed/document.ts'
import { type Facts, makeFacts } from '../src/feed/facts.ts'
import { makeDigests, subjectsOf } from '../src/feed/subject.ts'
import { isRefusal } from '../src/refusals.ts'
import { readClaims } from '../src/tokens/claims.ts'
import type { JsonObject } from '../src/readers/json.ts'

const digests = makeDigests()

/** The facts as the loader holds them: they count only once nothing is missing. */
type Held = { readonly facts: Facts; readonly missing: readonly Range[] } | undefined

const takeSnapshot = (payload: JsonObject): Held => {
  const snapshot = readSnapshot(payload)
  if (isUnreadable(snapshot)) return undefined
  const facts = makeFacts(snapshot.epoch)
  facts.passTime(snapshot.now)
  return { facts, missing: snapshot.segments }
}

const takeSegment = (held: Held, payload: JsonObject): Held => {
  const changes = readChanges(payload)
  const [next, ...missing] = held?.missing ?? []
  if (held === undefined || isUnreadable(changes) || changes.from !== next?.[0] || changes.to !== next[1]) return held
  return held.facts.apply(changes) === 'applied' ? { facts: held.facts, missing } : held
}

const takeChanges = (held: Held, payload: JsonObject): Held => {
  const changes = readChanges(payload)
  if (held === undefined || held.missing.length > 0 || isUnreadable(changes)) return held
  held.facts.apply(changes)
  return held
}

const takeHead = (held: Held, payload: JsonObject): Held => {
  const head = readHead(payload)
  if (isUnreadable(head)) return held
  if (head.epoch === held?.facts.epoch) held.facts.passTime(head.now)
  return held
}

const TAKERS = {
  snapshot: (_: Held, payload: JsonObject) => takeSnapshot(payload),
  segment: takeSegment,
  changes: takeChanges,
  head: takeHead,
}

/** Tokens of the table in a form that the service gives none: they are refused before any fact is looked at. */
const REFUSED_MAX = 45
let refused = 0

const verdictOf = async (held: Held, { claims, header }: Extract<Step, { step: 'token' }>): Promise<string> => {
  const aud: unknown = claims['aud']
  const audiences = (Array.isArray(aud) ? aud : [aud]).map(String)
  const read = readClaims(claims, { issuer: String(claims['iss']), audiences })
  if (isRefusal(read) || typeof header['kid'] !== 'string') {
    refused += 1
    return 'refused'
  }
  if (held === undefined || held.missing.length > 0) return 'ask'
  if (held.facts.serviceMs() > read.exp * 1000) return 'ended'
  const verdict = held.facts.judge(await subjectsOf(digests, read, header['kid']))
  return { clear: 'live', ended: 'ended', unknown: 'ask' }[verdict]
}

const run = async ({ steps }: Case): Promise<void> => {
  let held: Held
  for (const [n, step] of steps.entries()) {
    if (step.step === 'token') {
      const verdict = await verdictOf(held, step)
      const right: readonly unknown[] = [step.verdict, step.or, 'refused']
      assert.ok(right.includes(verdict), `Step ${n + 1}: ${verdict} in place of ${step.verdict}.`)
      continue
    }
    held = step.step === 'epoch_changed' ? undefined : TAKERS[step.step](held, step.payload)
    const position = held === undefined || held.missing.length > 0 ? null : held.facts.position()
    assert.equal(position, step.position, `The position after step ${n + 1}.`)
  }
}

suite('of each token the facts say what the table says', () => {
  for (const one of CASES) test(one.name, () => run(one))
  test('most tokens of the table are compared with the facts', () => {
    assert.ok(refused <= REFUSED_MAX, `${refused} tokens are refused by their form.`)
  })
})
