// Whose turn it is to import, where several callers on several threads want to.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Administrator } from '../../src/domain/caller.ts'
import { TIMING } from '../../src/ports/timing.ts'
import {
  IMPORTERS_RESERVED,
  IMPORTERS_WAITING_MAX,
  makeImportCell,
  makeImportTurns,
} from '../../src/http/imports/import-turns.ts'

const apiKey = (id: string): Administrator => ({ kind: 'api_key', id, permissions: [], audiences: null })
const operator = (sub: string): Administrator => ({ kind: 'operator', iss: 'https://idp', sub, role: null })

const GREEDY = apiKey('greedy')
const HONEST = apiKey('honest')
const THIRD = apiKey('third')
/** Of the thread that asks for a caller. */
const [ONE, OTHER] = [1, 2]

/** Two threads that share a cell; `beginsAt` in ms. */
const makeWorld = (beginsAt = 0) => {
  let now = beginsAt
  const cell = makeImportCell()
  const clock = { monotonic: () => now, timing: TIMING }
  const [one, other] = [makeImportTurns(cell, clock), makeImportTurns(cell, clock)]
  return {
    ask: (caller: Administrator) => one.ask(caller, ONE),
    askElsewhere: (caller: Administrator) => other.ask(caller, OTHER),
    leave: one.leave,
    end: () => void Atomics.store(cell, 0, 0),
    pass: (ms: number) => void (now += ms),
  }
}

// The low 32 bits of a time go from the greatest number to the least one at the second of these.
for (const beginsAt of [0, 2 ** 31 - 2, 2 ** 32 - 2]) {
  test(`a caller that waits comes before one that asks again, on any thread, from ${beginsAt} ms on`, () => {
    const { ask, askElsewhere, end, pass } = makeWorld(beginsAt)
    assert.equal(ask(GREEDY), 'taken')
    assert.equal(askElsewhere(HONEST), 'wait')
    pass(1)
    assert.equal(askElsewhere(THIRD), 'wait')
    pass(1)
    end()
    assert.equal(ask(GREEDY), 'wait')
    assert.equal(askElsewhere(THIRD), 'wait')
    assert.equal(askElsewhere(HONEST), 'taken')
    end()
    assert.equal(ask(GREEDY), 'wait')
    assert.equal(askElsewhere(THIRD), 'taken')
    end()
    assert.equal(ask(GREEDY), 'taken')
  })
}

test('a caller that has the turn keeps no place for the next', () => {
  const { ask, end, pass } = makeWorld()
  assert.equal(ask(GREEDY), 'taken')
  assert.equal(ask(GREEDY), 'own')
  pass(1)
  assert.equal(ask(HONEST), 'wait')
  end()
  assert.equal(ask(HONEST), 'taken')
})

test('a place is kept for a caller that asks again in time, and not a millisecond longer', () => {
  const { ask, end, pass } = makeWorld()
  ask(GREEDY)
  assert.equal(ask(HONEST), 'wait')
  pass(TIMING.importPlaceMs - 1)
  assert.equal(ask(HONEST), 'wait')
  end()
  pass(TIMING.importPlaceMs - 1)
  assert.equal(ask(GREEDY), 'wait')
  pass(1)
  assert.equal(ask(GREEDY), 'taken')
})

test('a caller that waits no longer keeps nobody waiting', () => {
  const { ask, leave, end, pass } = makeWorld()
  ask(GREEDY)
  ask(HONEST)
  pass(1)
  end()
  leave(HONEST)
  assert.equal(ask(GREEDY), 'taken')
})

test('API keys wait in so many places, and leave the others to operators; one caller has one place', () => {
  const { ask, pass } = makeWorld()
  ask(GREEDY)
  for (let n = 0; n < IMPORTERS_WAITING_MAX - IMPORTERS_RESERVED; n += 1) {
    for (let times = 0; times < 3; times += 1) assert.equal(ask(apiKey(`${n}`)), 'wait')
  }
  assert.equal(ask(apiKey('one more')), 'full')
  for (let n = 0; n < IMPORTERS_RESERVED; n += 1) assert.equal(ask(operator(`${n}`)), 'wait')
  assert.equal(ask(operator('one more')), 'full')
  pass(TIMING.importPlaceMs)
  assert.equal(ask(apiKey('one more')), 'wait')
})
