// Groups of requests: who shares one, and whose answer is whose.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inGroups } from '../../src/operations/group.ts'

type Run = (requests: readonly number[]) => Promise<readonly (string | Error)[]>

const answerEach: Run = async requests => requests.map(request => `answer ${request}`)

/** What was put off, to be run when the test says so, and the groups that were run. */
const gathering = (run: Run, groupMax = 256) => {
  const deferred: (() => void)[] = []
  const groups: (readonly number[])[] = []
  const counted: Run = requests => {
    groups.push(requests)
    return run(requests)
  }
  const ask = inGroups(counted, groupMax, work => void deferred.push(work))
  return { ask, groups, deferred, nextTurn: () => deferred.splice(0).forEach(work => work()) }
}

const range = (from: number, to: number): readonly number[] => Array.from({ length: to - from }, (_, n) => from + n)

type Outcome = { readonly answer: string } | { readonly fault: unknown } | 'unanswered'

/** What each caller was told by the end of this turn. */
const outcomesOf = (answers: readonly Promise<string>[]): Promise<readonly Outcome[]> => {
  const end = new Promise<Outcome>(resolve => void setImmediate(resolve, 'unanswered'))
  const told = (answer: Promise<string>): Promise<Outcome> =>
    answer.then(
      text => ({ answer: text }),
      (fault: unknown) => ({ fault }),
    )
  return Promise.all(answers.map(answer => Promise.race([told(answer), end])))
}

test('257 requests of one turn make a group of 256 and a group of 1, in order', async () => {
  const { ask, groups, nextTurn } = gathering(answerEach)
  const answers = range(0, 257).map(ask)
  nextTurn()
  assert.deepEqual(groups, [range(0, 256), [256]])
  assert.deepEqual(
    await Promise.all(answers),
    range(0, 257).map(n => `answer ${n}`),
  )
})

test('256 requests of one turn make one group', async () => {
  const { ask, groups, nextTurn } = gathering(answerEach)
  const answers = range(0, 256).map(ask)
  nextTurn()
  await Promise.all(answers)
  assert.deepEqual(groups, [range(0, 256)])
})

test('a lone request is served in the very next turn', async () => {
  const { ask, groups, deferred, nextTurn } = gathering(answerEach)
  const answer = ask(7)
  assert.deepEqual([deferred.length, groups], [1, []])
  nextTurn()
  assert.deepEqual([deferred.length, groups], [0, [[7]]])
  assert.equal(await answer, 'answer 7')
})

test('requests of different turns are different groups, also while the first is under way', async () => {
  const go = Promise.withResolvers<void>()
  const { ask, groups, nextTurn } = gathering(async requests => {
    await go.promise
    return answerEach(requests)
  })
  const answers = [ask(1)]
  nextTurn()
  answers.push(ask(2), ask(3))
  nextTurn()
  assert.deepEqual(groups, [[1], [2, 3]])
  go.resolve()
  assert.deepEqual(await Promise.all(answers), ['answer 1', 'answer 2', 'answer 3'])
})

test("an Error among the answers is its caller's alone", async () => {
  const fault = new Error('no room')
  const { ask, nextTurn } = gathering(async () => ['first', fault, 'third'])
  const answers = [ask(1), ask(2), ask(3)]
  nextTurn()
  assert.deepEqual(await outcomesOf(answers), [{ answer: 'first' }, { fault }, { answer: 'third' }])
})

test("a thrown fault is that of every caller of the group, and of no other group's", async () => {
  const fault = new Error('the store is gone')
  const { ask, nextTurn } = gathering(
    async requests => (requests.includes(1) ? Promise.reject(fault) : answerEach(requests)),
    2,
  )
  const answers = [ask(0), ask(1), ask(2)]
  nextTurn()
  assert.deepEqual(await outcomesOf(answers), [{ fault }, { fault }, { answer: 'answer 2' }])
})

test("a list of answers that is too short or too long is a fault: nobody is given another's answer", async () => {
  for (const told of [[], ['first'], ['first', 'second', 'third']]) {
    const { ask, nextTurn } = gathering(async () => told)
    const answers = [ask(1), ask(2)]
    nextTurn()
    const fault = new Error('A group was answered only in part.')
    assert.deepEqual(await outcomesOf(answers), [{ fault }, { fault }])
  }
})
