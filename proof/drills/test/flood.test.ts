// What the flood and lockout drills make of what they measured, and the bytes of their floods.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeAnswerReader } from '../overload/answer-reader.ts'
import { FLOOD_NAMES, mannerOf, prebuild } from '../overload/flood-kinds.ts'
import { KINDS, type Kind, type Measured, perKind } from '../overload/honest.ts'
import { judgeLockout } from '../overload/judge-lockout.ts'
import { addOutcome, type Asked, noTimes, type Outcome } from '../overload/pace.ts'
import { brokenOf, type Cell, limitOf, missedOf, type Phase, phaseOf, quantile } from '../overload/summary.ts'
import { formatCell, TABLE_HEAD } from '../overload/table.ts'

const ANSWERED: Asked = { outcome: 'success', failure: null, sentAt: 0, isAnswered: true, isForgotten: false }

const measuredOf = (latencies: readonly number[], outcomes: Partial<Record<Outcome, number>> = {}): Measured => ({
  kinds: perKind(() => ({
    ...noTimes(),
    latencies: [...latencies],
    outcomes: { ...noTimes().outcomes, success: latencies.length, ...outcomes },
  })),
  lagMs: 1,
  wrong: [],
})

const phase = (p99: number): Phase => phaseOf(measuredOf(Array.from({ length: 1000 }, () => p99)))

const QUIET: Cell = { calm: phase(10), during: phase(30), after: phase(10), bare: phase(2) }

test('a quantile is a value below which that share lies, and of no values there is none', () => {
  const hundred = Array.from({ length: 100 }, (_, n) => 99 - n)
  assert.deepEqual(
    [0, 0.5, 0.99, 1].map(share => quantile(hundred, share)),
    [0, 50, 99, 99],
  )
  assert.ok(Number.isNaN(quantile([], 0.5)))
})

test('the goal is three times the calm p99, or one and a half times that of the bare handler where that is more', () => {
  assert.equal(limitOf(QUIET, 'introspect'), 30)
  assert.equal(limitOf({ ...QUIET, bare: phase(40) }, 'introspect'), 60)
  assert.deepEqual(missedOf(QUIET, 'introspect'), [])
  assert.deepEqual(missedOf({ ...QUIET, during: phase(31) }, 'introspect'), ['p99 31 ms, wanted 30'])
})

test('one failure in a thousand is within the goal, and two are not, beside the flood and after it', () => {
  const failing = (unavailable: number) =>
    phaseOf(
      measuredOf(
        Array.from({ length: 1000 }, () => 5),
        { success: 1000 - unavailable, unavailable },
      ),
    )
  assert.deepEqual(missedOf({ ...QUIET, during: failing(1), after: failing(1) }, 'revoke'), [])
  const missed = missedOf({ ...QUIET, during: failing(2), after: failing(2) }, 'revoke')
  assert.deepEqual(missed, ['99.8 % succeed', '99.8 % succeed after it'])
})

test('a goal missed breaks no promise; a wrong answer, and none within 5 s, do', () => {
  assert.deepEqual(brokenOf({ ...QUIET, during: phase(5000) }), [])
  const kinds = { ...measuredOf([1]).kinds, revoke: { ...noTimes(), late: 2 }, probe: { ...noTimes() } }
  kinds.probe.outcomes.wrong = 1
  const during = phaseOf({ kinds, lagMs: 0, wrong: [] })
  assert.deepEqual(brokenOf({ ...QUIET, during }), [
    '2 of revoke had no answer within 5 s (during)',
    '1 of probe answered wrongly (during); the first failure: null',
  ])
})

test('an answer counts as late 5 s after its request left, not after it was due', () => {
  const outcomeOf = (asked: Partial<Asked>): number => {
    const times = noTimes()
    addOutcome(times, { ...ANSWERED, ...asked }, { due: performance.now() - 9000, start: 0 })
    return times.late
  }
  assert.equal(outcomeOf({ sentAt: performance.now() - 4000 }), 0)
  assert.equal(outcomeOf({ sentAt: performance.now() - 5001 }), 1)
  assert.equal(outcomeOf({ sentAt: performance.now() - 9000, isAnswered: false }), 0)
  assert.equal(outcomeOf({ isAnswered: false, isForgotten: true }), 1)
})

test('the first 503 is remembered with its time, and only answers have a latency', () => {
  const times = noTimes()
  const start = performance.now() - 100
  addOutcome(times, { ...ANSWERED, outcome: 'lost', failure: 'gone', isAnswered: false }, { due: start, start })
  addOutcome(times, { ...ANSWERED, outcome: 'unavailable', failure: '503' }, { due: start, start })
  const first = times.firstUnavailableMs ?? 0
  addOutcome(times, { ...ANSWERED, outcome: 'unavailable', failure: '503' }, { due: start, start })
  assert.ok(first >= 100)
  assert.equal(times.firstUnavailableMs, first)
  assert.deepEqual([times.latencies.length, times.firstFailure], [2, 'gone'])
})

test('answers are counted once each with their status, wherever the bytes are cut', () => {
  const answer = (status: number, body: string) =>
    `HTTP/1.1 ${status} Something\r\nContent-Length: ${body.length}\r\nx: y\r\n\r\n${body}`
  const stream = Buffer.from(answer(200, 'HTTP/1.1 500 \r\n\r\n') + answer(401, '') + answer(503, '{}'))
  for (let cut = 0; cut <= stream.length; cut += 1) {
    const seen: number[] = []
    const read = makeAnswerReader(status => void seen.push(status))
    read(stream.subarray(0, cut))
    read(stream.subarray(cut))
    assert.deepEqual(seen, [200, 401, 503], `cut at ${cut}`)
  }
})

test('what a flood sends is whole, as long as it says, and never twice the same where it holds a secret', () => {
  const jwt = `e30.${Buffer.from('{"jti":"0191d5c0-0000-7000-8000-000000000001"}').toString('base64url')}.c2ln`
  const agent = { clientId: 'client', clientSecret: 'secret' }
  const access = {
    port: 1,
    agent,
    shortLivedAgent: agent,
    relay: agent,
    introspectionKey: 'k',
    readerKey: 'k',
    operatorJwt: jwt,
  }
  for (const name of FLOOD_NAMES) {
    const requests = prebuild(name, { access, token: 'token' }).map(request => request.toString('latin1'))
    const same = name === 'openapi' || name === 'issues'
    assert.equal(new Set(requests).size, same ? 1 : requests.length, name)
    const [head = '', body = ''] = requests[0]?.split('\r\n\r\n') ?? []
    assert.equal(Number(/Content-Length: (\d+)/.exec(head)?.[1] ?? 0), body.length, name)
    assert.ok(['ask', 'reset', 'slow', 'half'].includes(mannerOf(name)))
  }
})

test('each kind of caller has its line below the titles, and a missed goal is named at its end', () => {
  const lines = formatCell({ ...QUIET, during: phase(31) })
  assert.equal(lines.length, KINDS.length)
  lines.forEach((line, n) => {
    assert.ok(line.startsWith(`  ${KINDS[n] satisfies Kind | undefined}`))
    assert.equal(line.indexOf('  MISSED: p99 31 ms, wanted 30'), TABLE_HEAD.length, line)
  })
})

const RIGHT = { times: Array.from({ length: 100 }, () => 20), refusals: new Map<number, number>() }
const WRONG = {
  statuses: new Map([
    [401, 9],
    [429, 900],
    [503, 9],
  ]),
}

test('nobody is locked out where each right secret has its token within a second', () => {
  assert.deepEqual(judgeLockout({ ...RIGHT, times: [...RIGHT.times, 1000] }, WRONG), [])
  assert.deepEqual(
    judgeLockout(
      {
        ...RIGHT,
        refusals: new Map([
          [503, 3],
          [0, 1],
        ]),
      },
      WRONG,
    ),
    [],
  )
})

test('a token that comes late, a right secret that is refused, and a wrong one that is not are red', () => {
  const late = judgeLockout({ ...RIGHT, times: [...RIGHT.times, 1001, Number.POSITIVE_INFINITY] }, WRONG)
  assert.deepEqual(late, ['2 of 102 right secrets got no token within 1 s'])
  const refused = judgeLockout(
    {
      ...RIGHT,
      refusals: new Map([
        [401, 1],
        [429, 2],
      ]),
    },
    WRONG,
  )
  assert.deepEqual(refused, ['the right secret was answered 3 times with 401 or 429'])
  const accepted = judgeLockout(RIGHT, { statuses: new Map([[200, 1]]) })
  assert.deepEqual(accepted, ['1 wrong secrets were answered with 200'])
  assert.deepEqual(judgeLockout({ ...RIGHT, times: [1] }, WRONG), ['only 1 right secrets: nothing was tested'])
})
