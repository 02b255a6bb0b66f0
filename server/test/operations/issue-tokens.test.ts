// The rounds of an issue: what is decided again, what is looked up for it, and when the store is locked.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Unavailable } from '../../src/domain/refusal.ts'
import { assertUnavailable, issueTo, type Program, refused, token } from './follow-issue.ts'

test('a group that nothing overtakes is looked up in the cache once and written once, without the lock', async () => {
  const { steps, answers } = await issueTo({ insert: () => 'inserted' }, 'one', 'two')
  assert.deepEqual(steps, ['cached one two', 'insert one two'])
  assert.deepEqual(answers, [token('one', 1), token('two', 1)])
})

test('a group that was overtaken three times is decided and written under the lock', async () => {
  const { steps, answers } = await issueTo({ insert: () => 'decide_again' }, 'one', 'two')
  assert.deepEqual(steps, [
    'cached one two',
    'insert one two',
    'fresh one two',
    'insert one two',
    'fresh one two',
    'insert one two',
    'lock',
    'fresh one two',
    'insert locked one two',
    'unlock',
  ])
  assert.deepEqual(answers, [token('one', 4), token('two', 4)])
})

test('only what was overtaken is decided again; a token that was written is the answer', async () => {
  const insert: Program['insert'] = clientId => (clientId === 'two' ? 'decide_again' : 'inserted')
  const { steps, answers } = await issueTo({ insert }, 'one', 'two', 'three')
  assert.deepEqual(steps.slice(0, 3), ['cached one two three', 'insert one two three', 'fresh two'])
  assert.deepEqual(steps.slice(-4), ['lock', 'fresh two', 'insert locked two', 'unlock'])
  assert.deepEqual(answers, [token('one', 1), token('two', 4), token('three', 1)])
})

test('only those whom a cached view refuses are looked up fresh', async () => {
  const find: NonNullable<Program['find']> = (clientId, lookup) =>
    clientId === 'one' || (clientId === 'two' && lookup > 1) ? 'enabled' : 'unknown'
  const { steps, answers } = await issueTo({ find, insert: () => 'inserted' }, 'one', 'nobody', 'two')
  assert.deepEqual(steps, ['cached one nobody two', 'insert one', 'fresh nobody two', 'insert two'])
  assert.deepEqual(answers, [token('one', 1), refused(null, 'nobody'), token('two', 2)])
})

test('an agent that is disabled between two rounds is refused', async () => {
  const find: NonNullable<Program['find']> = (clientId, lookup) =>
    clientId === 'one' && lookup > 1 ? 'disabled' : 'enabled'
  const insert: Program['insert'] = (_clientId, lookup) => (lookup === 1 ? 'decide_again' : 'inserted')
  const { steps, answers } = await issueTo({ find, insert }, 'one', 'two')
  assert.deepEqual(steps, ['cached one two', 'insert one two', 'fresh one two', 'insert two'])
  assert.deepEqual(answers, [refused('one'), token('two', 2)])
})

test('an agent that is disabled before the lock is had is refused under it', async () => {
  const find: NonNullable<Program['find']> = (_clientId, lookup) => (lookup > 3 ? 'disabled' : 'enabled')
  const { steps, answers } = await issueTo({ find, insert: () => 'decide_again' }, 'one')
  assert.deepEqual(steps.slice(-3), ['lock', 'fresh one', 'unlock'])
  assert.deepEqual(answers, [refused('one')])
})

test('no room for one request of a group: it is Unavailable, and its neighbours get their tokens', async () => {
  const insert: Program['insert'] = clientId => (clientId === 'two' ? 'no_room' : 'inserted')
  const { steps, answers } = await issueTo({ insert }, 'one', 'two', 'three')
  assert.deepEqual(steps, ['cached one two three', 'insert one two three'])
  const [one, two, three] = answers
  assert.deepEqual([one, three], [token('one', 1), token('three', 1)])
  assertUnavailable(two, /^The ledger holds as many different lifetimes, scopes or audiences as it takes\.$/)
})

test('what cannot be decided even under the lock is Unavailable, once', async () => {
  const insertLocked: NonNullable<Program['insertLocked']> = id => (id === 'one' ? 'decide_again' : 'inserted')
  const { steps, answers } = await issueTo({ insert: () => 'decide_again', insertLocked }, 'one', 'two')
  assert.equal(steps.filter(step => step === 'lock').length, 1)
  assert.equal(steps.at(-1), 'unlock')
  const [one, two] = answers
  assertUnavailable(one, /^A token could not be decided on even under the lock of the store\.$/)
  assert.deepEqual(two, token('two', 4))
})

test('where it is unknown whether a group was written, each of it is Unavailable, and nothing is done again', async () => {
  const insert = (): never => {
    throw new Unavailable('The store did not answer.')
  }
  const { steps, answers } = await issueTo({ insert }, 'one', 'two')
  assert.deepEqual(steps, ['cached one two', 'insert one two'])
  for (const answer of answers) assertUnavailable(answer, /^The store did not answer\.$/)
})

test('a write that fails for a group is done for each of it by itself, and fails for the culprit alone', async () => {
  const fault = new Error('seeded')
  const insert: Program['insert'] = clientId => {
    if (clientId === 'two') throw fault
    return 'inserted'
  }
  const { steps, answers } = await issueTo({ insert }, 'one', 'two', 'three')
  assert.deepEqual(steps, [
    'cached one two three',
    'insert one two three',
    'cached one',
    'insert one',
    'cached two',
    'insert two',
    'cached three',
    'insert three',
  ])
  assert.deepEqual(answers, [token('one', 2), fault, token('three', 4)])
})

test('under the lock, too, what fails fails for the culprit alone', async () => {
  const fault = new Error('seeded')
  const insertLocked: NonNullable<Program['insertLocked']> = clientId => {
    if (clientId === 'two') throw fault
    return 'inserted'
  }
  const { steps, answers } = await issueTo({ insert: () => 'decide_again', insertLocked }, 'one', 'two')
  assert.equal(steps.filter(step => step === 'lock').length, 3)
  assert.deepEqual(answers, [token('one', 5), fault])
})

test('a token that would be too long is refused and not written, and its neighbours are', async () => {
  const program: Program = { insert: () => 'inserted', isTooLong: clientId => clientId === 'two' }
  const { steps, answers, counted } = await issueTo(program, 'one', 'two', 'three')
  assert.deepEqual(counted, [[2, 'invalid_request']])
  assert.deepEqual(steps, ['cached one two three', 'insert one three', 'fresh two', 'insert '])
  const description =
    'The token would be too long: ask for fewer resources or a smaller scope, or give the agent fewer claims of its own.'
  assert.deepEqual(answers, [token('one', 1), { refusal: { code: 'invalid_request', description } }, token('three', 1)])
})

test('a store that an earlier program uses is one for now: such a token is Unavailable, and says why', async () => {
  const insert: Program['insert'] = clientId => (clientId === 'two' ? 'earlier_program' : 'inserted')
  const { answers } = await issueTo({ insert }, 'one', 'two')
  assert.deepEqual(answers[0], token('one', 1))
  assertUnavailable(answers[1], /^No such token is issued while a process of an earlier version uses the database/)
})
