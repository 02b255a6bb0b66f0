// Any order of arrivals, ends, expired deadlines and a close: the queue does what a naive model of it does.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { makePermitQueue } from '../../src/ports/permit-queue.ts'

const KEYS = ['a', 'b', 'c'] as const
type Key = (typeof KEYS)[number]

type Step =
  | { readonly step: 'enter'; readonly key: Key; readonly waitMs: number | undefined }
  | { readonly step: 'release' }
  | { readonly step: 'close' }
  | { readonly step: 'pass'; readonly ms: number }

type Bounds = Parameters<typeof makePermitQueue>[0]

/** What it does, as lines of text; `apply` does a step, the nth of all. */
type Subject = { readonly lines: readonly string[]; readonly apply: (step: Step, n: number) => void }

/** The queue on a clock that the test moves. */
const makeReal = (bounds: Bounds): Subject => {
  const lines: string[] = []
  const releases: (() => void)[] = []
  const timers = new Set<{ readonly at: number; readonly work: () => void }>()
  let now = 0
  const queue = makePermitQueue(
    bounds,
    {
      onWaiting: count => assert.ok(count <= bounds.waitingMax, `${count} wait`),
      onWaited: ms => void lines.push(`waited ${ms}`),
    },
    {
      now: () => now,
      after: (ms, work) => {
        const timer = { at: now + ms, work }
        timers.add(timer)
        return () => timers.delete(timer)
      },
    },
  )
  const apply = (step: Step, n: number): void => {
    if (step.step === 'enter') {
      const { key, waitMs } = step
      queue.enter(key, {
        begin: release => {
          lines.push(`${n} begins`)
          releases.push(release)
        },
        refuse: why => lines.push(`${n} is ${why}`),
        ...(waitMs !== undefined && { waitMs }),
      })
    } else if (step.step === 'release') releases.shift()?.()
    else if (step.step === 'close') queue.close()
    else {
      now += step.ms
      for (const timer of [...timers].toSorted((a, b) => a.at - b.at)) {
        if (timer.at <= now && timers.delete(timer)) timer.work()
      }
    }
    lines.push(`${queue.underWay()} under way, ${queue.waiting()} wait`)
    assert.ok(queue.underWay() <= bounds.atOnceMax && timers.size <= queue.waiting())
  }
  return { lines, apply }
}

type Waiting = { readonly n: number; readonly key: Key; readonly since: number; readonly until: number }

/** The same in lists that are read from one end to the other. */
const makeModel = ({ atOnceMax, ofOneMax = atOnceMax, waitingMax }: Bounds): Subject => {
  const lines: string[] = []
  let waiting: readonly Waiting[] = []
  // The keys that wait, the next one first.
  let turns: readonly Key[] = []
  /** The keys of what is under way, in the order in which it began. */
  let underWay: readonly Key[] = []
  let [now, isClosed] = [0, false]

  const mayBegin = (key: Key): boolean => underWay.filter(one => one === key).length < ofOneMax
  const of = (key: Key): readonly Waiting[] => waiting.filter(one => one.key === key)
  const leave = (one: Waiting): void => {
    waiting = waiting.filter(other => other !== one)
    turns = turns.filter(key => of(key).length > 0)
  }
  const enter = (one: Waiting): void => {
    if (isClosed) return void lines.push(`${one.n} is closed`)
    if (underWay.length < atOnceMax && mayBegin(one.key)) {
      underWay = [...underWay, one.key]
      return void lines.push(`${one.n} begins`)
    }
    if (waiting.length >= waitingMax) {
      const most = Math.max(0, ...turns.map(key => of(key).length))
      const last =
        most > of(one.key).length + 1 ? of(turns.find(key => of(key).length === most) ?? 'a').at(-1) : undefined
      lines.push(`${(last ?? one).n} is full`)
      if (last === undefined) return
      leave(last)
    }
    waiting = [...waiting, one]
    if (!turns.includes(one.key)) turns = [...turns, one.key]
  }
  const release = (): void => {
    underWay = underWay.slice(1)
    const key = turns.find(mayBegin)
    const [next] = waiting.filter(one => one.key === key)
    if (next === undefined || key === undefined) return
    underWay = [...underWay, key]
    leave(next)
    turns = [...turns.filter(other => other !== key), ...turns.filter(other => other === key)]
    lines.push(`waited ${now - next.since}`, `${next.n} begins`)
  }
  const apply = (step: Step, n: number): void => {
    if (step.step === 'enter') enter({ n, key: step.key, since: now, until: now + (step.waitMs ?? Infinity) })
    else if (step.step === 'release' && underWay.length > 0) release()
    else if (step.step === 'pass') {
      now += step.ms
      for (const late of waiting.filter(({ until }) => until <= now).toSorted((a, b) => a.until - b.until)) {
        leave(late)
        lines.push(`waited ${now - late.since}`, `${late.n} is late`)
      }
    } else if (step.step === 'close') {
      isClosed = true
      while (turns.length > 0) {
        const [key = 'a', ...others] = turns
        const [first] = of(key)
        if (first === undefined) break
        lines.push(`${first.n} is closed`)
        leave(first)
        turns = of(key).length > 0 ? [...others, key] : others
      }
    }
    lines.push(`${underWay.length} under way, ${waiting.length} wait`)
  }
  return { lines, apply }
}

const enters = fc.record({
  step: fc.constant('enter' as const),
  key: fc.constantFrom(...KEYS),
  waitMs: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }),
})
const releases = fc.record({ step: fc.constant('release' as const) })
const passes = fc.record({ step: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 15 }) })
const closes = fc.record({ step: fc.constant('close' as const) })

const someSteps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { arbitrary: enters, weight: 12 },
    { arbitrary: releases, weight: 6 },
    { arbitrary: passes, weight: 3 },
    { arbitrary: closes, weight: 1 },
  ),
  { maxLength: 60 },
)
const someBounds = fc.record(
  {
    atOnceMax: fc.integer({ min: 1, max: 3 }),
    ofOneMax: fc.integer({ min: 1, max: 3 }),
    waitingMax: fc.integer({ min: 0, max: 6 }),
  },
  { requiredKeys: ['atOnceMax', 'waitingMax'] },
)

test('work begins, waits and is refused as in a naive model, whatever comes in whatever order', () => {
  fc.assert(
    fc.property(someBounds, someSteps, (bounds, steps) => {
      const [real, model] = [makeReal(bounds), makeModel(bounds)]
      for (const [n, step] of steps.entries()) {
        real.apply(step, n)
        model.apply(step, n)
      }
      assert.deepEqual(real.lines, model.lines)
    }),
    { numRuns: 500 },
  )
})
