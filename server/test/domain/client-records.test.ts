// Records of clients, sessions and verifiers as operators see them, whole, and when they count as used, ended or silent.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Permission } from '../../../api/values/access.ts'
import {
  type AgentUsage,
  compareActivity,
  slotOf,
  sumInWindow,
  USAGE_WINDOWS,
  usageRecord,
} from '../../src/domain/clients/agent-usage.ts'
import { apiKeyRecord } from '../../src/domain/clients/api-key.ts'
import { credentialRecord, isKeptFast } from '../../src/domain/clients/credential.ts'
import {
  hasSessionEnded,
  renewAgainAt,
  renewFrom,
  type Session,
  sessionRecord,
} from '../../src/domain/clients/session.ts'
import {
  formatHolding,
  heardSince,
  staleSecondsOf,
  type Verifier,
  verifierRecord,
} from '../../src/domain/clients/verifier.ts'

const [T0, T1] = ['1970-01-01T00:00:00.000Z', '1970-01-01T00:00:01.000Z']

const NOBODY_ACTIVE = { tokensLastMinute: 0, tokensLastHour: 0, tokensLastDay: 0, refusals: 0, lastIssuedAt: null }

test('what an agent used is counted in slots, of which the first counts in proportion', () => {
  const { minute, hour, day } = USAGE_WINDOWS
  assert.deepEqual(
    [minute, hour, day],
    [
      { slotMs: 60_000, windowMs: 60_000, keptMs: 3_600_000 },
      { slotMs: 300_000, windowMs: 3_600_000, keptMs: 3_600_000 },
      { slotMs: 3_600_000, windowMs: 86_400_000, keptMs: 86_400_000 },
    ],
  )
  assert.deepEqual(
    [0, 59_999, 60_000].map(at => slotOf(minute, at)),
    [0, 0, 60_000],
  )
  assert.equal(sumInWindow(minute, 120_000, { whole: 1, cut: 10 }), 11)
  assert.equal(sumInWindow(minute, 135_000, { whole: 1, cut: 10 }), 9)
  assert.equal(sumInWindow(hour, 3_600_000 + 150_000, { whole: 0, cut: 3 }), 2)
  const [busy, last, idle] = [{ tokensLastMinute: 2 }, { lastIssuedAt: 5 }, {}].map(one => ({
    ...NOBODY_ACTIVE,
    ...one,
  }))
  assert.ok(busy !== undefined && last !== undefined && idle !== undefined)
  assert.deepEqual([idle, last, busy].toSorted(compareActivity), [busy, last, idle])
  const usage: AgentUsage = {
    tokensLastMinute: 1,
    tokensLastHour: 2,
    tokensLastDay: 3,
    refusals: 4,
    lastIssuedAt: 0,
    agentId: 'a',
    name: 'n',
    owner: 'o',
    state: 'active',
    liveTokens: { count: 5, isExact: false },
    lastUsedAt: 0,
  }
  assert.deepEqual(usageRecord(usage), {
    agent_id: 'a',
    name: 'n',
    owner: 'o',
    state: 'active',
    tokens_last_minute: 1,
    tokens_last_hour: 2,
    tokens_last_day: 3,
    live_tokens: { count: 5, exact: false },
    refusals: 4,
    last_issued_at: T0,
    last_used_at: '1970-01-01T00:00:00.000Z',
  })
})

const ENDS = { createdAt: 0, expiresAt: 1000, lastUsedAt: null, revokedAt: 0, suspendedAt: null, managedBy: null }
const ENDS_SHOWN = {
  created_at: T0,
  expires_at: T1,
  last_used_at: null,
  revoked_at: T0,
  suspended_at: null,
}

test('credentials and API keys are shown without their secrets', () => {
  const credential = { id: 'c', agentId: 'a', name: 'n', trust: null, ...ENDS, liveTokens: { count: 2, isExact: true } }
  assert.deepEqual(credentialRecord(credential), {
    credential_id: 'c',
    agent_id: 'a',
    name: 'n',
    kind: 'client_secret',
    ...ENDS_SHOWN,
    managed_by: null,
    live_tokens: { count: 2, exact: true },
  })
  const permissions: Permission[] = ['tokens:introspect']
  const apiKey = { id: 'k', name: 'n', permissions, audiences: null, ...ENDS }
  const shown = { api_key_id: 'k', name: 'n', permissions: ['tokens:introspect'], audiences: null, ...ENDS_SHOWN }
  assert.deepEqual(apiKeyRecord(apiKey), shown)
  assert.deepEqual(apiKeyRecord({ ...apiKey, audiences: ['a'] }), { ...shown, audiences: ['a'] })
  assert.deepEqual([isKeptFast('x'.repeat(19)), isKeptFast('x'.repeat(20))], [false, true])
})

test('a session ends twelve hours after it began, or an hour after it was used, and is renewed a minute before its JWT ends', () => {
  const hour = 3_600_000
  const session: Session = { id: 's', iss: 'i', sub: 'u', name: null, createdAt: 0, usedAt: 0, expiresAt: hour }
  assert.deepEqual(
    [hour - 1, hour].map(now => hasSessionEnded(session, now)),
    [false, true],
  )
  const used = { ...session, usedAt: 12 * hour - 1 }
  assert.deepEqual(
    [12 * hour - 1, 12 * hour].map(now => hasSessionEnded(used, now)),
    [false, true],
  )
  assert.deepEqual(
    [0, hour - 240_000, hour - 60_000, hour - 10, hour, hour + 1].map(now => renewFrom(hour, now)),
    [hour - 60_000, hour - 60_000, hour - 15_000, hour - 2, hour, hour],
    'a quarter of what the JWT has left, at most a minute',
  )
  assert.deepEqual(
    [0, hour - 15_000, hour - 14_999, hour + 1].map(now => renewAgainAt(session, now)),
    [15_000, hour, hour, hour],
  )
  const shown = { id: 's', operator: { iss: 'i', sub: 'u', name: null }, created_at: T0, used_at: T0 }
  assert.deepEqual(sessionRecord(session), { ...shown, expires_at: '1970-01-01T01:00:00.000Z' })
  assert.equal(sessionRecord(used).expires_at, '1970-01-01T12:00:00.000Z')
})

const VERIFIER: Verifier = {
  apiKeyId: 'k',
  apiKeyName: 'kn',
  name: 'n',
  address: '192.0.2.1',
  epoch: 'e',
  position: 5,
  firstAt: 0,
  reportedAt: 1000,
  uses: [{ agent_id: 'a', count: 2 }],
}

test('a verifier is current, behind or silent', () => {
  const shown = (now: number, feed: { readonly epoch: string; readonly position: number }) =>
    verifierRecord({ verifier: VERIFIER, feed: { ...feed, now } })
  assert.deepEqual(shown(3500, { epoch: 'e', position: 5 }), {
    name: 'n',
    api_key_id: 'k',
    api_key_name: 'kn',
    address: '192.0.2.1',
    epoch: 'e',
    position: 5,
    behind: 0,
    first_reported_at: T0,
    reported_at: T1,
    stale_seconds: 2.5,
    state: 'current',
    uses: [{ agent_id: 'a', count: 2 }],
  })
  const states = [
    shown(1000, { epoch: 'e', position: 7 }),
    shown(500, { epoch: 'e', position: 4 }),
    shown(1000, { epoch: 'f', position: 5 }),
    shown(30_999, { epoch: 'e', position: 5 }),
    shown(31_000, { epoch: 'e', position: 5 }),
  ]
  assert.deepEqual(
    states.map(({ behind, state, stale_seconds }) => [behind, state, stale_seconds]),
    [
      [2, 'behind', 0],
      [0, 'current', 0],
      [null, 'behind', 0],
      [0, 'current', 29.999],
      [0, 'silent', 30],
    ],
  )
  assert.equal(heardSince(300_000), 0)
  assert.equal(staleSecondsOf(5000, 1000), 0)
  const missing = { name: 'n', apiKeyId: 'k', staleSeconds: 3 }
  assert.deepEqual(formatHolding({ total: 2, holding: 1, missing: [missing] }), {
    total: 2,
    holding: 1,
    missing: [{ name: 'n', api_key_id: 'k', stale_seconds: 3 }],
  })
})
