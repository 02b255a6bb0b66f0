// How many requests a turn of the event loop starts, which ones, and which are refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Kind, makeStartQueue } from '../../src/http/wire/start-queue.ts'
import { TIMING } from '../../src/ports/timing.ts'

const WAITING_MAX = { probe: 512, known: 4096, revocation: 1024, open: 8192 } as const
const AT_FIRST = 64

type Where = { readonly network: string; readonly kind: Kind }

/** A thread whose clock and turns the test moves. */
const makeThread = () => {
  let now = 1000
  let turns: (() => void)[] = []
  const started: string[] = []
  const refused: string[] = []
  const queue = makeStartQueue<Where & { readonly name: string }>({
    now: () => now,
    timing: TIMING,
    nextTurn: work => void turns.push(work),
    kindOf: ({ kind }) => kind,
    networkOf: ({ network }) => network,
    start: ({ name }) => void started.push(name),
    refuse: ({ name }) => void refused.push(name),
  })
  const admit = (name: string, { network = 'a', kind = 'open' }: Partial<Where> = {}): void =>
    queue.admit({ name, network, kind }, now)
  const admitMany = (count: number, network = 'a', kind: Kind = 'open'): void => {
    for (let n = 0; n < count; n += 1) admit(`${network}${n}`, { network, kind })
  }
  /** Ends a turn that took so long; returns how many requests the next one started. */
  const turn = (ms: number): number => {
    now += ms
    const before = started.length
    const due = turns
    turns = []
    for (const work of due) work()
    return started.length - before
  }
  return { queue, admit, admitMany, turn, started, refused, isResting: () => turns.length === 0 }
}

test('a turn starts what there is room for, and the next ones the rest', () => {
  const { admitMany, turn, started, refused } = makeThread()
  admitMany(AT_FIRST + 10)
  assert.equal(started.length, AT_FIRST)
  assert.equal(turn(1), 10)
  assert.deepEqual(refused, [])
})

test('without load no turn is asked for after the one of the last request', () => {
  const { admit, turn, started, isResting, queue } = makeThread()
  admit('one')
  assert.deepEqual(started, ['one'])
  turn(50)
  assert.equal(isResting(), true)
  assert.equal(queue.isBusy(), false)
  assert.equal(queue.unreadMs(), 0)
})

test('long turns start fewer requests, down to a few, and short ones more again', () => {
  const { admitMany, turn } = makeThread()
  admitMany(5000)
  const startedInLong = [1, 2, 3, 4, 5, 6].map(() => turn(40))
  assert.equal(startedInLong.at(-1), 8)
  const startedInShort = Array.from({ length: 60 }, () => turn(1))
  assert.equal(Math.max(...startedInShort), 256)
})

const NOT_OPEN = ['probe', 'known', 'revocation'] as const

test('while requests wait, a probe, a revocation and a request of a known caller start at once, and no other', () => {
  const { admitMany, admit, started } = makeThread()
  admitMany(AT_FIRST + 1)
  for (const kind of NOT_OPEN) {
    admit(kind, { kind })
    assert.equal(started.at(-1), kind)
  }
  admit('stranger')
  assert.equal(started.at(-1), 'revocation')
})

test('where no more of all other kinds may wait, one of each kind still starts at once', () => {
  for (const kind of NOT_OPEN) {
    const { admitMany, admit, turn, started } = makeThread()
    admitMany(4000)
    for (let n = 0; n < 60; n += 1) turn(1)
    for (const other of NOT_OPEN) if (other !== kind) admitMany(WAITING_MAX[other] + 300, other, other)
    admitMany(WAITING_MAX.open)
    admit('one', { kind })
    assert.equal(started.at(-1), 'one', kind)
  }
})

test('a flood of one kind from one network delays a request of that kind from another by one turn at most', () => {
  for (const kind of NOT_OPEN) {
    const { admitMany, admit, turn, started } = makeThread()
    admitMany(AT_FIRST + 1000)
    admitMany(2000, 'many', kind)
    admit('one', { network: 'few', kind })
    assert.ok(!started.includes('one'), kind)
    turn(1)
    assert.ok(started.includes('one'), kind)
  }
})

test('a flood of revocations starts 16 in a turn, whatever the turns of others have room for', () => {
  const { admitMany, turn, started } = makeThread()
  admitMany(AT_FIRST + 1000)
  admitMany(1000, 'revocations', 'revocation')
  turn(1)
  assert.equal(started.filter(name => name.startsWith('revocations')).length, 32)
})

test('long turns start fewer revocations too, down to two besides the open requests', () => {
  const { admitMany, turn } = makeThread()
  admitMany(AT_FIRST)
  admitMany(1000, 'revocations', 'revocation')
  const startedInLong = [1, 2, 3, 4, 5, 6].map(() => turn(40))
  assert.equal(startedInLong.at(-1), 2)
  admitMany(100)
  assert.equal(turn(40), 10)
})

test('networks take turns, however many requests of one wait', () => {
  const { admitMany, turn, started } = makeThread()
  admitMany(AT_FIRST + 300, 'many')
  admitMany(3, 'few')
  turn(1)
  assert.deepEqual(
    started.filter(name => name.startsWith('few')),
    ['few0', 'few1', 'few2'],
  )
})

test('what would wait too long is refused at once', () => {
  const { admitMany, turn, refused, started } = makeThread()
  admitMany(400)
  // In the end eight in 100 ms: fewer in `startWaitMs` than wait.
  for (let n = 0; n < 15; n += 1) turn(100)
  const waiting = 400 - started.length - refused.length
  assert.ok(waiting > 0)
  const before = refused.length
  admitMany(TIMING.startWaitMs)
  assert.ok(refused.length - before >= TIMING.startWaitMs - 200, `${refused.length - before} refused`)
})

test('a request that has waited too long all the same is refused in its turn', () => {
  const { admitMany, turn, refused } = makeThread()
  admitMany(AT_FIRST + 5)
  turn(2 * TIMING.startWaitMs + 1)
  assert.equal(refused.length, 5)
})

test('so many of a kind wait at most, however fast they are started', () => {
  for (const kind of ['open', ...NOT_OPEN] as const) {
    const { admitMany, turn, refused, started } = makeThread()
    admitMany(AT_FIRST)
    for (let n = 0; n < 60; n += 1) {
      admitMany(100, 'a', kind)
      admitMany(300)
      turn(0.1)
    }
    admitMany(WAITING_MAX.open)
    const before = started.length + refused.length
    admitMany(WAITING_MAX[kind] + 1000, 'a', kind)
    assert.ok(started.length + refused.length - before >= 1000, kind)
  }
})

test('where no more may wait the network with the most gives up its last for another', () => {
  const { admitMany, admit, refused } = makeThread()
  admitMany(AT_FIRST + WAITING_MAX.open + 100, 'many')
  const before = refused.length
  admit('other', { network: 'few' })
  assert.equal(refused.length, before + 1)
  assert.match(refused.at(-1) ?? '', /^many/)
})
