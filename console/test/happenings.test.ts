// What happened to an agent, minute by minute: each thing once, in its minute, and nothing where nothing happened.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Happenings, slotsOf } from '../src/agents/happenings.ts'

const minute = (n: number): string => `2026-11-29T10:0${n}:00.000Z`

const QUIET = { issued: 0, refused: 0, active: 0, inactive: 0, ended: [] }
const POINTS = [0, 1, 2, 3].map(n => ({ ...QUIET, from: minute(n) }))

const NO_NAMES = { agent_name: null, owner: null }

const actAt = (at: string): Happenings['acts'][number] => ({
  n: 1,
  at,
  kind: 'agent.disable',
  actor: { type: 'system' },
  source: null,
  request_id: null,
  subject: null,
  note: null,
  detail: {},
  ...NO_NAMES,
})

test('each thing stands once, in its minute, newest first; what is older than the first minute in none', () => {
  const points = POINTS.map((point, n) => (n === 1 ? { ...point, issued: 3 } : point))
  const acts = ['2026-11-29T09:59:59.999Z', minute(1), '2026-11-29T10:02:59.999Z', minute(3), minute(9)].map(actAt)
  const attempts = [{ minute: minute(2), way: 'client' as const, client_id: 'c', source: null, count: 4, ...NO_NAMES }]
  const slots = slotsOf({ points, acts, attempts, refused: [] })
  assert.deepEqual(
    slots.map(slot => [slot.point.from, slot.until, slot.acts.map(({ at }) => at), slot.attempts.length]),
    [
      [minute(3), null, [minute(3), minute(9)], 0],
      [minute(2), minute(3), ['2026-11-29T10:02:59.999Z'], 1],
      [minute(1), minute(2), [minute(1)], 0],
    ],
  )
})

test('an attempt beyond a limit, or of a disabled agent, is no refused request besides', () => {
  const points = POINTS.map((point, n) => ({ ...point, refused: [2, 9, 4, 0][n] ?? 0 }))
  const reason = { agent_id: 'a', name: 'a', status: 401, settings: [], last_at: minute(2) }
  const refused = ['invalid_client', 'invalid_scope'].map(code => ({ ...reason, reason: code, count: 6 }))
  const attempt = { client_id: 'c', source: '192.0.2.1', ...NO_NAMES }
  const attempts = [
    { ...attempt, minute: minute(0), way: 'client' as const, count: 5 },
    { ...attempt, minute: minute(1), way: 'client' as const, count: 3 },
    { ...attempt, minute: minute(1), way: 'limit' as const, count: 5 },
    { ...attempt, minute: minute(2), way: 'client' as const, count: 7 },
  ]
  assert.deepEqual(
    slotsOf({ points, acts: [], attempts, refused }).map(slot => [
      slot.point.refused,
      slot.refused.map(({ reason: code }) => code),
      slot.attempts.map(({ count }) => count),
    ]),
    [
      [0, ['invalid_scope'], [7]],
      [2, [], [3, 5]],
      [2, [], [5]],
    ],
  )
})

test('a minute in which nothing happened is left out', () => {
  assert.deepEqual(slotsOf({ points: POINTS, acts: [], attempts: [], refused: [] }), [])
})
