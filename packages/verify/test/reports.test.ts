// Reports of where a verifier is: what it applies at one moment goes with one of them, and while it starts over there is none.
import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from 'node:test'
import type { Facts } from '../src/feed/facts.ts'
import { makeFacts } from '../src/feed/facts.ts'
import type { Feed } from '../src/feed/feed.ts'
import { makeReports } from '../src/feed/reports.ts'
import { WEB_RUNTIME } from '../src/wire/runtime.ts'
import { until } from '../../../testkit/processes/until.ts'

/** A loop without an end would let no timer of the test come. */
const LOOKS_MAX = 1000

test('a verifier that starts over reports nothing until it has a place again, and leaves its process to others', async () => {
  const ending = new AbortController()
  const reported: unknown[] = []
  let facts: Facts | undefined = makeFacts('one')
  let looks = 0
  const feed = {
    get facts() {
      looks += 1
      if (looks > LOOKS_MAX) ending.abort()
      return facts
    },
    apiKey: 'key',
    signal: ending.signal,
    runtime: WEB_RUNTIME,
    report: (problem: string) => assert.fail(problem),
    fetch: (_url: string, { body }: { readonly body: string }) => {
      reported.push(JSON.parse(body))
      return Promise.resolve(new Response(null, { status: 204 }))
    },
  }
  const reports = makeReports(feed as unknown as Feed, 'https://auth.example/positions', 'orders-1')
  const reportOf = (epoch: string) => ({ name: 'orders-1', epoch, position: 0, uses: [] })
  reports.start()
  await until('it has reported', () => Promise.resolve(reported.length === 1))
  await nextTurn()
  facts = undefined
  reports.note()
  await nextTurn()
  assert.ok(looks < LOOKS_MAX, 'It looks for its place without an end.')
  facts = makeFacts('two')
  reports.note()
  await until('it has reported again', () => Promise.resolve(reported.length === 2))
  ending.abort()
  assert.deepEqual(reported, [reportOf('one'), reportOf('two')])
})

test('a report waits for a moment, and what is applied meanwhile goes with it', async () => {
  const ending = new AbortController()
  const reported: unknown[] = []
  const timers: { readonly ms: number; readonly call: () => void }[] = []
  let position = 0
  const facts = { epoch: 'one', position: () => position }
  const after = (ms: number, call: () => void) => {
    timers.push({ ms, call })
    return () => undefined
  }
  const feed = {
    facts,
    apiKey: 'key',
    signal: ending.signal,
    runtime: { ...WEB_RUNTIME, after, random: () => 0.5 },
    report: (problem: string) => assert.fail(problem),
    fetch: (_url: string, { body }: { readonly body: string }) => {
      reported.push((JSON.parse(body) as { readonly position: number }).position)
      return Promise.resolve(new Response(null, { status: 204 }))
    },
  }
  const reports = makeReports(feed as unknown as Feed, 'https://auth.example/positions', 'orders-1')
  const apply = async (): Promise<void> => {
    position += 1
    reports.note()
    await nextTurn()
  }
  reports.start()
  await until('it has reported', () => Promise.resolve(timers.some(({ ms }) => ms === 10_000)))
  await apply()
  await apply()
  await apply()
  assert.deepEqual(reported, [0])
  const [pause] = timers.splice(-1)
  assert.equal(pause?.ms, 20)
  pause.call()
  await until('it has reported again', () => Promise.resolve(reported.length === 2))
  assert.deepEqual(reported, [0, 3])
  ending.abort()
})
