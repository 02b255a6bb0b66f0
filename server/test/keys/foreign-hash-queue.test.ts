// The order of verifications: fair by credential and by network, bounded, and with rests for those who caused the work.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TIMING } from '../../src/ports/timing.ts'
import { makeForeignHashQueue } from '../../src/keys/clients/foreign-hash-queue.ts'

const VERIFICATIONS_OF_ONE_MAX = 4
const VERIFICATIONS_MAX = 64

type One = { readonly credentialId: string; readonly network: string; readonly name: string; until: number }

const of = (credentialId: string, network: string, name = ''): One => ({
  credentialId,
  network,
  name: `${credentialId} ${network}${name}`,
  until: Number.POSITIVE_INFINITY,
})

/** A queue on a clock that stands still, where each verification takes no time. */
const makeWorld = (...known: readonly One[]) => {
  const queue = makeForeignHashQueue<One>(TIMING)
  const finish = (one: One, isRight = false, workedMs = 0, now = 0) => queue.end(one, { now, workedMs, isRight })
  const begin = (now = 0): One => {
    const next = queue.next(now)
    assert.ok(next !== undefined && 'begun' in next, 'one is begun')
    return next.begun
  }
  for (const one of known) {
    queue.add(one)
    finish(begin(), true)
  }
  /** The names of as many as wait, in the order in which they are verified; `after` is called after each. */
  const drain = (after: (name: string) => void = () => undefined): readonly string[] => {
    const names: string[] = []
    for (let next = queue.next(0); next !== undefined && 'begun' in next; next = queue.next(0)) {
      names.push(next.begun.name)
      finish(next.begun)
      after(next.begun.name)
    }
    return names
  }
  return { queue, begin, finish, drain }
}

test('credentials take turns, however many secrets one of them was sent', () => {
  const { queue, drain } = makeWorld()
  for (const name of ['1', '2', '3']) assert.equal(queue.add(of('a', 'x', name)), undefined)
  queue.add(of('b', 'x'))
  queue.add(of('c', 'x'))
  assert.deepEqual(drain(), ['a x1', 'b x', 'c x', 'a x2', 'a x3'])
})

test('a network that sends secrets for many credentials leaves the next turn to another network', () => {
  const { queue, begin, finish } = makeWorld()
  for (const credential of ['a', 'b', 'c', 'd']) queue.add(of(credential, 'x'))
  assert.equal(begin().name, 'a x')
  queue.add(of('b', 'y'))
  queue.add(of('a', 'y'))
  finish(of('a', 'x'))
  const order = Array.from({ length: 5 }, () => {
    const { name } = begin()
    finish(of('', ''))
    return name
  })
  assert.deepEqual(order, ['b y', 'c x', 'a y', 'd x', 'b x'])
})

test('new networks without end for one credential do not come before another credential twice', () => {
  const { queue, drain } = makeWorld(of('b', 'y'))
  let networks = 0
  const flood = () => queue.add(of('a', `x${(networks += 1)}`))
  flood()
  queue.add(of('b', 'y'))
  queue.add(of('c', 'y'))
  const order = drain(() => {
    if (networks < 6) flood()
  })
  assert.deepEqual(order, ['a x1', 'b y', 'a x2', 'c y', 'a x3', 'a x4', 'a x5', 'a x6'])
})

test('as many of one credential wait as may; the next of the same network is refused, and of another one comes in', () => {
  const { queue, begin } = makeWorld()
  queue.add(of('a', 'x'))
  begin()
  const waiting = Array.from({ length: VERIFICATIONS_OF_ONE_MAX - 1 }, (_, n) => of('a', 'x', `${n}`))
  for (const one of waiting) assert.equal(queue.add(one), undefined)
  const more = of('a', 'x', 'more')
  assert.equal(queue.add(more), more)
  assert.equal(queue.add(of('a', 'y')), waiting.at(-1), 'the last of the network that was served last gives way')
})

test('the right secret of a flooded credential, from another network, is verified in the next turn of the credential', () => {
  const { queue, begin, finish } = makeWorld()
  for (let n = 0; n < VERIFICATIONS_OF_ONE_MAX; n += 1) {
    queue.add(of('a', 'x', `${n}`))
    if (n === 0) begin()
  }
  queue.add(of('a', 'y', ' right'))
  finish(of('a', 'x'))
  assert.equal(begin().name, 'a y right')
})

test('a network that the right secret came from has every second turn, however many others guess', () => {
  const { queue, drain } = makeWorld(of('a', 'home'))
  let networks = 0
  const flood = () => queue.add(of('a', `x${(networks += 1)}`))
  for (let n = 0; n < VERIFICATIONS_OF_ONE_MAX; n += 1) flood()
  let returns = 0
  const order = drain(() => {
    if (networks < 8) flood()
    if (returns < 3) queue.add(of('a', 'home', `${(returns += 1)}`))
  })
  const homes = order.flatMap((name, n) => (name.startsWith('a home') ? [n] : []))
  assert.deepEqual(homes, [1, 3, 5])
})

test('guesses from a network that the right secret came from leave the other networks their turns', () => {
  const { queue, drain } = makeWorld(of('a', 'home'))
  for (let n = 1; n <= VERIFICATIONS_OF_ONE_MAX; n += 1) assert.equal(queue.add(of('a', 'home', `${n}`)), undefined)
  assert.equal(queue.add(of('a', 'new')), undefined)
  assert.deepEqual(drain().slice(0, 3), ['a home1', 'a new', 'a home2'])
})

test('of all credentials together as many wait as may; a first one of another network comes in all the same', () => {
  const { queue, begin } = makeWorld()
  queue.add(of('0', 'x'))
  begin()
  for (let n = 1; n < VERIFICATIONS_MAX; n += 1) assert.equal(queue.add(of(`${n}`, 'x')), undefined)
  const more = of('more', 'x')
  assert.equal(queue.add(more), more)
  assert.equal(queue.add(of('own', 'y'))?.name, `${VERIFICATIONS_MAX - 1} x`)
})

test('what has not begun by its time is given back and leaves its room', () => {
  const { queue, begin } = makeWorld()
  queue.add({ ...of('a', 'x'), until: 10 })
  queue.add({ ...of('b', 'x'), until: 11 })
  assert.deepEqual(queue.expire(9), [])
  assert.deepEqual(
    queue.expire(10).map(({ credentialId }) => credentialId),
    ['a'],
  )
  assert.equal(begin(10).credentialId, 'b')
})

test('a credential rests three times as long as its verification took, and no other one does', () => {
  const { queue, begin, finish } = makeWorld()
  queue.add(of('a', 'x', '1'))
  finish(begin(), false, 100, 1_000)
  queue.add(of('a', 'x', '2'))
  assert.deepEqual(queue.next(1_000), { waitMs: 300 })
  assert.deepEqual(queue.next(1_299), { waitMs: 1 })
  queue.add(of('b', 'x'))
  assert.equal(begin(1_299).credentialId, 'b')
  assert.equal(queue.next(1_300), undefined, 'one at a time')
  finish(of('b', 'x'), true, 50, 1_350)
  assert.equal(begin(1_350).name, 'a x2')
})

test('many credentials that are flooded get a quarter of the time, and one that is not waits for none of them', () => {
  const { queue, begin, finish } = makeWorld()
  const [workedMs, minutes] = [100, 10]
  let now = 0
  let worked = 0
  while (now < minutes * 60_000) {
    for (let n = 0; n < 20; n += 1) queue.add(of(`${n}`, 'x', ` ${now}`))
    const next = queue.next(now)
    assert.ok(next !== undefined)
    if ('begun' in next) {
      now += workedMs
      worked += workedMs
      finish(next.begun, false, workedMs, now)
    } else now += next.waitMs
  }
  // 5 s of rest may be owed.
  assert.ok(worked * 3 <= now + 5_000 + 3 * workedMs, `${worked} ms of ${now}`)
  assert.ok(worked * 5 > now, `${worked} ms of ${now}`)
  const rest = queue.next(now)
  assert.ok(rest !== undefined && 'waitMs' in rest, 'all of them rest')
  queue.expire(Number.POSITIVE_INFINITY)
  queue.add(of('clean', 'x'))
  assert.equal(begin(now).credentialId, 'clean')
})
