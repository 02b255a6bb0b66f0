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
  const defer = (work: () => void): void => void deferred.push(work)
  // A thread that is held up beside other load must not end a group by the time.
  const ask = inGroups(counted, { groupMax, defer, timing: { gatheringMs: Number.POSITIVE_INFINITY } })
  const nextTurn = () => deferred.splice(0).forEach(work => work())
  const untilQuiet = () => {
    while (deferred.length > 0) nextTurn()
  }
  return { ask, groups, deferred, nextTurn, untilQuiet }
}

const range = (from: number, to: number): readonly number[] => Array.from({ length: to - from }, (_, n) => from + n)

type Outcome = { readonly answer: string } | { readonly fault: unknown } | 'unanswered'

/** What each caller got by the end of this turn. */
const outcomesOf = (answers: readonly Promise<string>[]): Promise<readonly Outcome[]> => {
  const end = new Promise<Outcome>(resolve => void setImmediate(resolve, 'unanswered'))
  const reported = (answer: Promise<string>): Promise<Outcome> =>
    answer.then(
      text => ({ answer: text }),
      (fault: unknown) => ({ fault }),
    )
  return Promise.all(answers.map(answer => Promise.race([reported(answer), end])))
}

test('257 requests of one turn make a group of 256 and a group of 1, in order', async () => {
  const { ask, groups, untilQuiet } = gathering(answerEach)
  const answers = range(0, 257).map(ask)
  untilQuiet()
  assert.deepEqual(groups, [range(0, 256), [256]])
  assert.deepEqual(
    await Promise.all(answers),
    range(0, 257).map(n => `answer ${n}`),
  )
})

test('256 requests of one turn make one group', async () => {
  const { ask, groups, untilQuiet } = gathering(answerEach)
  const answers = range(0, 256).map(ask)
  untilQuiet()
  await Promise.all(answers)
  assert.deepEqual(groups, [range(0, 256)])
})

test('a lone request waits for one turn that brings nothing more, and for no timer', async () => {
  const { ask, groups, deferred, nextTurn } = gathering(answerEach)
  const answer = ask(7)
  nextTurn()
  assert.deepEqual([deferred.length, groups], [1, []])
  nextTurn()
  assert.deepEqual([deferred.length, groups], [0, [[7]]])
  assert.equal(await answer, 'answer 7')
})

test('turns that each bring more make one group, until one brings nothing', async () => {
  const { ask, groups, nextTurn } = gathering(answerEach)
  const answers = [ask(1)]
  nextTurn()
  answers.push(ask(2))
  nextTurn()
  assert.deepEqual(groups, [])
  nextTurn()
  assert.deepEqual(groups, [[1, 2]])
  assert.deepEqual(await Promise.all(answers), ['answer 1', 'answer 2'])
})

test('a group waits for at most four turns, however much each brings', async () => {
  const { ask, groups, nextTurn } = gathering(answerEach)
  for (const n of range(0, 4)) {
    void ask(n)
    assert.deepEqual(groups, [])
    nextTurn()
  }
  assert.deepEqual(groups, [range(0, 4)])
})

test('a full group leaves at once', async () => {
  const { ask, groups, nextTurn } = gathering(answerEach, 2)
  void ask(1)
  void ask(2)
  nextTurn()
  assert.deepEqual(groups, [[1, 2]])
})

test('requests that come after a group left are another, also while the first is under way', async () => {
  const go = Promise.withResolvers<void>()
  const { ask, groups, untilQuiet } = gathering(async requests => {
    await go.promise
    return answerEach(requests)
  })
  const answers = [ask(1)]
  untilQuiet()
  answers.push(ask(2), ask(3))
  untilQuiet()
  assert.deepEqual(groups, [[1], [2, 3]])
  go.resolve()
  assert.deepEqual(await Promise.all(answers), ['answer 1', 'answer 2', 'answer 3'])
})

test("an Error among the answers is its caller's alone", async () => {
  const fault = new Error('no room')
  const { ask, untilQuiet } = gathering(async () => ['first', fault, 'third'])
  const answers = [ask(1), ask(2), ask(3)]
  untilQuiet()
  assert.deepEqual(await outcomesOf(answers), [{ answer: 'first' }, { fault }, { answer: 'third' }])
})

test("a thrown fault is that of every caller of the group, and of no other group's", async () => {
  const fault = new Error('the store is gone')
  const { ask, untilQuiet } = gathering(
    async requests => (requests.includes(1) ? Promise.reject(fault) : answerEach(requests)),
    2,
  )
  const answers = [ask(0), ask(1), ask(2)]
  untilQuiet()
  assert.deepEqual(await outcomesOf(answers), [{ fault }, { fault }, { answer: 'answer 2' }])
})

test("a list of answers that is too short or too long is a fault: nobody is given another's answer", async () => {
  for (const reported of [[], ['first'], ['first', 'second', 'third']]) {
    const { ask, untilQuiet } = gathering(async () => reported)
    const answers = [ask(1), ask(2)]
    untilQuiet()
    const fault = new Error('A group was answered only in part.')
    assert.deepEqual(await outcomesOf(answers), [{ fault }, { fault }])
  }
})
