// Work for a group that is done again for each member by itself: who fails, and what is done twice.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oneByOne } from '../../src/domain/one-by-one.ts'
import { Unavailable } from '../../src/domain/refusal.ts'

type Done = readonly (number | Error)[]

/** Work that fails for a group with one of these in it, and what it was asked for. */
const makeWork = (faults: ReadonlyMap<number, Error>) => {
  const asked: (readonly number[])[] = []
  const work = async (members: readonly number[]): Promise<Done> => {
    asked.push(members)
    for (const one of members) {
      const fault = faults.get(one)
      if (fault !== undefined) throw fault
    }
    return members.map(one => 10 * one)
  }
  return { asked, work }
}

test('work that succeeds is done once for all', async () => {
  const { asked, work } = makeWork(new Map())
  assert.deepEqual(await oneByOne([1, 2, 3], work), [10, 20, 30])
  assert.deepEqual(asked, [[1, 2, 3]])
})

test('no members are no work', async () => {
  const { asked, work } = makeWork(new Map())
  assert.deepEqual(await oneByOne([], work), [])
  assert.deepEqual(asked, [])
})

test('work that fails is done for each by itself, in order, and only the culprits fail', async () => {
  const [second, fourth] = [new Error('second'), new Error('fourth')]
  const { asked, work } = makeWork(
    new Map([
      [2, second],
      [4, fourth],
    ]),
  )
  assert.deepEqual(await oneByOne([1, 2, 3, 4], work), [10, second, 30, fourth])
  assert.deepEqual(asked, [[1, 2, 3, 4], [1], [2], [3], [4]])
})

test('one member alone is not done twice', async () => {
  const fault = new Error('alone')
  const { asked, work } = makeWork(new Map([[1, fault]]))
  assert.deepEqual(await oneByOne([1], work), [fault])
  assert.deepEqual(asked, [[1]])
})

test('after an unknown outcome nothing is done again: it is the outcome of all', async () => {
  const unknown = new Unavailable('the connection was lost after COMMIT')
  const { asked, work } = makeWork(new Map([[2, unknown]]))
  assert.deepEqual(await oneByOne([1, 2, 3], work), [unknown, unknown, unknown])
  assert.deepEqual(asked, [[1, 2, 3]])
})

test('where the store is gone in the middle, what was done stays done and the rest is not begun', async () => {
  const [fault, gone] = [new Error('second'), new Unavailable('the store is gone')]
  const asked: (readonly number[])[] = []
  const work = async (members: readonly number[]): Promise<Done> => {
    asked.push(members)
    if (members.length > 1 || members[0] === 2) throw fault
    if (members[0] === 3) throw gone
    return members.map(one => 10 * one)
  }
  assert.deepEqual(await oneByOne([1, 2, 3, 4], work), [10, fault, gone, gone])
  assert.deepEqual(asked, [[1, 2, 3, 4], [1], [2], [3]])
})

test('an Error among the outcomes of a group is no reason to do anything again', async () => {
  const late = new Unavailable('late')
  let times = 0
  const work = async (): Promise<Done> => {
    times += 1
    return [10, late, 30]
  }
  assert.deepEqual(await oneByOne([1, 2, 3], work), [10, late, 30])
  assert.equal(times, 1)
})
