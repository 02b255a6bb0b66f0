// The order in which callers who share a queue have their turns.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeFairQueue } from '../../src/domain/fair-queue.ts'

const drain = (queue: ReturnType<typeof makeFairQueue<string>>): string[] => {
  const taken: string[] = []
  for (let next = queue.take(); next !== undefined; next = queue.take()) taken.push(next)
  return taken
}

test('networks take turns, and each keeps its own order', () => {
  const queue = makeFairQueue<string>()
  for (const item of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']) queue.push(item.slice(0, 1), item, 7)
  assert.equal(queue.size(), 7)
  assert.deepEqual(drain(queue), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
  assert.equal(queue.size(), 0)
})

test('a network that comes back has its turn after those that wait', () => {
  const queue = makeFairQueue<string>()
  for (const item of ['a1', 'b1', 'b2']) queue.push(item.slice(0, 1), item, 3)
  assert.equal(queue.take(), 'a1')
  queue.push('a', 'a2', 3)
  assert.deepEqual(drain(queue), ['b1', 'a2', 'b2'])
})

test('room is made by the network with the most, only for one that has fewer', () => {
  const queue = makeFairQueue<string>()
  for (const item of ['a1', 'a2', 'a3', 'b1', 'b2']) assert.equal(queue.push(item.slice(0, 1), item, 5), undefined)
  assert.equal(queue.push('a', 'a4', 5), 'a4')
  assert.equal(queue.push('b', 'b3', 5), 'b3')
  assert.equal(queue.push('c', 'c1', 5), 'a3')
  assert.equal(queue.size(), 5)
  assert.deepEqual(drain(queue), ['a1', 'b1', 'c1', 'a2', 'b2'])
  assert.equal(queue.push('a', 'none may wait', 0), 'none may wait')
})

test('a hundred thousand items pass in order', () => {
  const queue = makeFairQueue<number>()
  for (let n = 0; n < 100_000; n += 1) queue.push('a', n, 100_000)
  for (let n = 0; n < 100_000; n += 1) assert.equal(queue.take(), n)
})
