// Every line that the code logs is an event of the table of events.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOG_EVENTS, type LogEvent } from '../../src/ports/log-events.ts'
import { nothing, readFiles } from '../../../testkit/sources/source-files.ts'

const rows: readonly [string, LogEvent][] = Object.entries(LOG_EVENTS)

test('no two events have one message', () => {
  const messages = rows.map(([, { message }]) => message).filter(message => message !== null)
  assert.equal(new Set(messages).size, messages.length)
})

const CALL = /\blog(?:ger)?\s*(?:\[[a-z]+\]|\.(?:trace|debug|info|warn|error|fatal))\s*\(/gi

/** From behind an opening parenthesis to its closing one; strings of this code hold none that is alone. */
const argumentsAt = (text: string, from: number): string => {
  let depth = 1
  let at = from
  for (; at < text.length && depth > 0; at += 1) {
    if (text[at] === '(') depth += 1
    else if (text[at] === ')') depth -= 1
  }
  return text.slice(from, at - 1)
}

const literalsIn = (text: string): readonly string[] =>
  [...text.matchAll(/'([^'\n]*)'/g)].map(([, literal = '']) => literal)

const calls = readFiles('server/src/**/*.ts').flatMap(({ path, text }) =>
  [...text.matchAll(CALL)].map(found => ({ path, text: argumentsAt(text, found.index + found[0].length) })),
)

const named = (text: string): string | undefined => {
  const [, own] = /\bevent: '([a-z_]+)'/.exec(text) ?? []
  if (own !== undefined) return Object.hasOwn(LOG_EVENTS, own) ? own : undefined
  const last = literalsIn(text).at(-1)
  // A message that is put together varies, so that its event must be named.
  return text.includes('`') ? undefined : rows.find(([, { message }]) => message === last)?.[0]
}

test('every line that the code logs is an event of the table', () => {
  assert.ok(calls.length > 20, 'This test finds next to no lines.')
  const strays = calls.filter(({ text }) => named(text) === undefined)
  nothing(
    strays.map(({ path, text }) => `${path}: ${text}`),
    'Add the event to ports/log-events.ts; where the message varies, name it with `event`.',
  )
})

/** Written without the logger, by compose/access-log.ts; access-log.test.ts reads its lines. */
const BY_HAND = 'request'

test('every event of the table is logged somewhere', () => {
  const used = new Set([BY_HAND, ...calls.map(({ text }) => named(text))])
  nothing(
    rows.map(([name]) => name).filter(name => !used.has(name)),
    'Log it, or remove it from the table.',
  )
})
