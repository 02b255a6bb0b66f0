// Records as operators see them, whole, and the small decisions beside them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Permission } from '../../../api/values/access.ts'
import { type Actor, isNamed, systemAct } from '../../src/domain/audit/act.ts'
import { refusalRecord } from '../../src/domain/audit/attempt.ts'
import { type AuditEntry, type AuditFilters, entryRecord, isAskedFor, onlyActor } from '../../src/domain/audit/audit.ts'
import { actBy, audiencesOf, hasRole } from '../../src/domain/caller.ts'
import { badOf, fail, good, warn, worstOf } from '../../src/domain/checkup.ts'
import { IDEMPOTENCY_KEPT_MS, isExisting, refuseRepeat } from '../../src/domain/idempotency.ts'
import { earlierExpiry, expiresAtOf, hasExpired, refuseExpired } from '../../src/domain/ledger/expiry.ts'
import { counted, isRefused, Overloaded, refuse, refuseCaller, Unavailable } from '../../src/domain/refusal.ts'
import { isAnySuspended, seqAfterRestore } from '../../src/domain/restore.ts'
import { statusRecord } from '../../src/domain/service-status.ts'

const [T0, T1] = ['1970-01-01T00:00:00.000Z', '1970-01-01T00:00:01.000Z']

const NO_NAMES = { agent_name: null, owner: null }
const OPERATOR: Actor = { type: 'operator', iss: 'https://idp.example', sub: 'ada' }

test('an actor is named by sub, id, or as the system', () => {
  assert.deepEqual([isNamed(OPERATOR, 'ada'), isNamed(OPERATOR, 'https://idp.example')], [true, false])
  for (const type of ['client', 'api_key', 'cli'] as const) {
    assert.deepEqual([isNamed({ type, id: 'x' }, 'x'), isNamed({ type, id: 'x' }, type)], [true, false])
  }
  assert.deepEqual([isNamed({ type: 'system' }, 'system'), isNamed({ type: 'system' }, 'ada')], [true, false])
  const act = { kind: 'key.rotate', actor: { type: 'system' }, note: null, requestId: null, source: null }
  assert.deepEqual(systemAct('key.rotate' as never), act)
})

const ENTRY: AuditEntry = {
  number: 7,
  at: 0,
  kind: 'agent.create',
  actor: OPERATOR,
  source: '192.0.2.1',
  requestId: 'request',
  subject: 'agent',
  note: 'note',
  detail: { name: 'x' },
  agentId: null,
}

const ANY: AuditFilters = {
  kind: null,
  actorType: null,
  actorId: null,
  actorIss: null,
  actorSub: null,
  subject: null,
  requestId: null,
  endedToken: null,
  since: null,
  before: null,
}

test('an entry of the audit log is asked for by each of its parts', () => {
  const isAsked = (filters: Partial<AuditFilters>, actor: Actor = OPERATOR) =>
    isAskedFor({ ...ENTRY, actor }, { ...ANY, ...filters })
  assert.equal(isAsked({}), true)
  const whole = { kind: 'agent.create', actorType: 'operator', actorIss: OPERATOR.iss, actorSub: 'ada' } as const
  assert.equal(isAsked({ ...whole, subject: 'agent', requestId: 'request' }), true)
  assert.equal(isAsked({ kind: 'x' }), false)
  assert.equal(isAsked({ subject: 'x' }), false)
  assert.equal(isAsked({ requestId: 'x' }), false)
  assert.equal(isAsked({ actorType: 'cli' }), false)
  assert.equal(isAsked({ actorIss: 'x' }), false)
  assert.equal(isAsked({ actorSub: 'x' }), false)
  assert.equal(isAsked({ actorId: 'ada' }), false)
  const cli = { type: 'cli', id: 'root' } as const
  assert.equal(isAsked({ actorId: 'root' }, cli), true)
  assert.equal(isAsked({ actorId: 'x' }, cli), false)
  assert.equal(isAsked({ actorSub: 'root' }, cli), false)
  assert.equal(isAsked({ actorIss: 'root' }, cli), false)
  assert.equal(isAsked({ actorId: 'system' }, { type: 'system' }), false)
})

test('filters select a single actor where they name all of it', () => {
  const only = (filters: Partial<AuditFilters>) => onlyActor({ ...ANY, ...filters })
  assert.equal(only({}), null)
  assert.deepEqual(only({ actorType: 'system' }), { type: 'system' })
  for (const actorType of ['client', 'api_key', 'cli'] as const) {
    assert.deepEqual(only({ actorType, actorId: 'x' }), { type: actorType, id: 'x' })
    assert.equal(only({ actorType }), null)
    assert.equal(only({ actorType, actorIss: 'i', actorSub: 's' }), null)
  }
  assert.equal(only({ actorId: 'x' }), null)
  assert.deepEqual(only({ actorIss: 'i', actorSub: 's' }), { type: 'operator', iss: 'i', sub: 's' })
  assert.deepEqual(only({ actorType: 'operator', actorIss: 'i', actorSub: 's' }), {
    type: 'operator',
    iss: 'i',
    sub: 's',
  })
  assert.equal(only({ actorType: 'operator', actorIss: 'i' }), null)
  assert.equal(only({ actorType: 'operator', actorSub: 's' }), null)
  assert.equal(only({ actorType: 'operator', actorId: 'x' }), null)
})

test('entries and counts of refusals are shown whole', () => {
  assert.deepEqual(entryRecord(ENTRY), {
    n: 7,
    at: T0,
    kind: 'agent.create',
    actor: OPERATOR,
    source: '192.0.2.1',
    request_id: 'request',
    subject: 'agent',
    note: 'note',
    detail: { name: 'x' },
    ...NO_NAMES,
  })
  const count = { number: 1, minute: 0, way: 'client', clientId: 'c', source: null, count: 3 } as const
  assert.deepEqual(refusalRecord(count), {
    minute: T0,
    way: 'client',
    client_id: 'c',
    source: null,
    count: 3,
    ...NO_NAMES,
  })
})

test('an act names its caller, and the key under which it is done once', () => {
  const origin = { requestId: 'r', source: '192.0.2.1' } as const
  const act = { kind: 'agent.create', note: null, requestId: 'r', source: '192.0.2.1' }
  const key = { kind: 'api_key', id: 'k', permissions: [] as Permission[], audiences: ['a'] } as const
  const operator = { kind: 'operator', iss: 'i', sub: 's', role: 'operator' } as const
  const made = (caller: Parameters<typeof actBy>[0]['caller']) => actBy({ caller, ...origin }, 'agent.create')
  assert.deepEqual(made({ kind: 'client', agentId: 'a', clientId: 'c' }), {
    ...act,
    actor: { type: 'client', id: 'c' },
  })
  assert.deepEqual(made(key), { ...act, actor: { type: 'api_key', id: 'k' } })
  assert.deepEqual(made(operator), { ...act, actor: { type: 'operator', iss: 'i', sub: 's' } })
  assert.deepEqual(made({ kind: 'cli', user: 'root' }), { ...act, actor: { type: 'cli', id: 'root' } })
  const once = actBy({ caller: key, ...origin, idempotencyKey: 'once' }, 'agent.create', 'note')
  assert.deepEqual(once, { ...act, note: 'note', actor: { type: 'api_key', id: 'k' }, idempotencyKey: 'once' })
  assert.deepEqual(
    [audiencesOf(key), audiencesOf(operator), audiencesOf({ kind: 'cli', user: 'x' })],
    [['a'], null, null],
  )
  const roles = (['viewer', 'operator', 'admin'] as const).map(least => hasRole(operator, least))
  assert.deepEqual(roles, [true, true, false])
  assert.equal(hasRole({ ...operator, role: null }, 'viewer'), false)
})

test('of findings the worst counts, and each that is not good is a remark for callers too', () => {
  const brief = 'The log of the service has the reason, and so has `mintmark doctor`.'
  const [fine, odd] = [good('all is well'), warn({ what: 'w', remedy: 'r' })]
  const bad = fail({ what: 'w', remedy: 'r', brief: 'b' })
  assert.deepEqual(fine, { status: 'ok', what: 'all is well' })
  assert.deepEqual(odd, { status: 'warning', what: 'w', remedy: 'r', brief })
  assert.deepEqual(bad, { status: 'problem', what: 'w', remedy: 'r', brief: 'b' })
  assert.deepEqual(fail({ what: 'w', remedy: 'r' }), { status: 'problem', what: 'w', remedy: 'r', brief })
  assert.deepEqual(warn({ what: 'w', remedy: 'r', brief: 'b' }), {
    status: 'warning',
    what: 'w',
    remedy: 'r',
    brief: 'b',
  })
  assert.deepEqual([[], [fine], [odd, fine], [odd, bad, fine]].map(worstOf), ['ok', 'ok', 'warning', 'problem'])
  assert.deepEqual(badOf([fine, odd, bad]), [odd, bad])
})

test('an expiry is a time or a duration, and has passed at its instant', () => {
  assert.deepEqual([expiresAtOf(null, 5), expiresAtOf({ at: 7 }, 5), expiresAtOf({ afterMs: 7 }, 5)], [null, 7, 12])
  assert.deepEqual(
    [hasExpired(null, 5), hasExpired(6, 5), hasExpired(5, 5), hasExpired(4, 5)],
    [false, false, true, true],
  )
  assert.deepEqual([earlierExpiry(null, 5), earlierExpiry(4, 5), earlierExpiry(6, 5)], [5, 4, 5])
  assert.deepEqual(refuseExpired().refusal, {
    code: 'invalid_request',
    description: 'The expiry is not in the future.',
  })
})

test('a repeated creation is refused with what exists', () => {
  assert.equal(IDEMPOTENCY_KEPT_MS, 86_400_000)
  assert.deepEqual([isExisting({ existing: 'x', by: 'y' }), isExisting({ id: 'x' })], [true, false])
  assert.deepEqual(refuseRepeat({ existing: 'a1', by: 'agent.create' }).refusal, {
    code: 'already_exists',
    description: 'This Idempotency-Key was used before, for agent.create, which made a1.',
    id: 'a1',
  })
})

test('a refusal has what it was made with, and nothing besides', () => {
  assert.deepEqual(refuse('not_found', 'd'), { refusal: { code: 'not_found', description: 'd' } })
  assert.deepEqual(refuse('not_found', 'd', 'exports').refusal, {
    code: 'not_found',
    description: 'd',
    limit: 'exports',
  })
  const refused = refuseCaller('invalid_client', 'd', 'Basic', 'ApiKey')
  const caller = { code: 'invalid_client', description: 'd', challenges: ['Basic', 'ApiKey'] }
  assert.deepEqual(refused.refusal, caller)
  const attempt = { way: 'client', clientId: null } as const
  assert.deepEqual(counted(refused, attempt).refusal, { ...caller, attempt })
  assert.deepEqual(counted(refused, attempt, 'id').refusal, { ...caller, attempt, presentedId: 'id' })
  assert.deepEqual([isRefused(refused), isRefused({ active: false })], [true, false])
  const fault = new Unavailable('m', { toCaller: 'c', limit: 'exports', cause: refused })
  assert.deepEqual(
    [fault.name, fault.message, fault.toCaller, fault.limit, fault.cause],
    ['Unavailable', 'm', 'c', 'exports', refused],
  )
  const plain = new Overloaded('m')
  assert.deepEqual([plain.toCaller, plain.limit, plain instanceof Unavailable], [undefined, undefined, true])
})

test('a restored store goes on above every number that the lost one can have assigned', () => {
  assert.equal(seqAfterRestore(5, 0), 5 + 2 ** 32)
  assert.equal(seqAfterRestore(5, 1e10), 1e13)
  const none = { agents: 0, credentials: 0, apiKeys: 0, issuers: 0 }
  const some = [
    none,
    { ...none, agents: 1 },
    { ...none, credentials: 1 },
    { ...none, apiKeys: 1 },
    { ...none, issuers: 1 },
  ]
  assert.deepEqual(some.map(isAnySuspended), [false, true, true, true, true])
})

test('the state of the service is shown whole', () => {
  const status = {
    at: 0,
    agents: 1,
    agentsDisabled: 2,
    liveTokens: { count: 3, at: 1 },
    tokensLastMinute: 4,
    tokensLastHour: 5,
    tokensLastDay: 6,
    refusals: 7,
    failedAuthentications: 8,
    keys: [{ state: 'current', createdAt: 1000 }] as const,
    credentialsExpiring: 9,
    apiKeysExpiring: 10,
    openCutOffs: 11,
    oldestOpenCutOffAt: null,
    suspended: { agents: 13, credentials: 14, apiKeys: 15, issuers: 16 },
    auditEntriesUnsealed: 12,
  }
  assert.deepEqual(statusRecord(status), {
    at: T0,
    agents: 1,
    agents_disabled: 2,
    live_tokens: 3,
    live_tokens_at: '1970-01-01T00:00:00.001Z',
    tokens_last_minute: 4,
    tokens_last_hour: 5,
    tokens_last_day: 6,
    refusals: 7,
    failed_authentications: 8,
    signing_keys: [{ state: 'current', created_at: T1 }],
    credentials_expiring: 9,
    api_keys_expiring: 10,
    agents_suspended: 13,
    credentials_suspended: 14,
    api_keys_suspended: 15,
    issuers_suspended: 16,
    revocations_open: 11,
    oldest_open_revocation_at: null,
    audit_entries_unsealed: 12,
  })
})
