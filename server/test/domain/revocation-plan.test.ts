// Plans of revocations, explanations of tokens, and documents of the feed: texts that others rely on.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { Administrator } from '../../src/domain/caller.ts'
import {
  codeOf,
  explainText,
  failedCheck,
  type LedgerExplanation,
  passedCheck,
} from '../../src/domain/ledger/explanation.ts'
import { formatExplanation } from '../../src/domain/ledger/format-explanation.ts'
import { formatPlan, readPlan, type Signing } from '../../src/domain/ledger/plan.ts'
import { countFacts, dropOver, joinPages, type Segment } from '../../src/domain/ledger/revocation-document.ts'
import type { RevocationConditions } from '../../src/domain/ledger/revocation.ts'
import { keyChangeRecord, keyRecord } from '../../src/domain/keys/key-record.ts'
import type { KeyRecord } from '../../src/domain/keys/key-life.ts'

const SIGNING: Signing = {
  mac: text => createHash('sha256').update(`secret ${text}`).digest('base64url'),
  areEqual: (a, b) => a === b,
}
const CONDITIONS: RevocationConditions = {
  agentId: 'a',
  credentialId: null,
  scope: null,
  audience: null,
  kid: null,
  issuedBefore: null,
  lineage: null,
}
const KEY: Administrator = { kind: 'api_key', id: 'k', permissions: [], audiences: null }
type Bound = { readonly issuer: string; readonly caller: Administrator; readonly conditions: RevocationConditions }
const BOUND: Bound = { issuer: 'https://mintmark.example', caller: KEY, conditions: CONDITIONS }
const COUNTED = { instant: 1_700_000_000_000, agentsDigest: 'x'.repeat(43) }

const read = (text: string, bound: Partial<Bound> = {}) => readPlan(SIGNING, { ...BOUND, ...bound }, text)

test('a plan is read again as it was formatted, with and without agents', () => {
  for (const plan of [COUNTED, { ...COUNTED, agentsDigest: null }, { instant: 0, agentsDigest: '0' }]) {
    const text = formatPlan(SIGNING, BOUND, plan)
    assert.deepEqual(read(text), plan)
    assert.match(text, /^1\.\d+\.(?:[\w-]{43}|0?)(?:\.[\w-]{43}){3}$/)
  }
})

test('a plan is of one caller, one service and the same conditions', () => {
  const text = formatPlan(SIGNING, BOUND, COUNTED)
  const operator: Administrator = { kind: 'operator', iss: 'i', sub: 'k', role: null }
  for (const caller of [{ ...KEY, id: 'other' }, { kind: 'cli', user: 'k' } as const, operator]) {
    assert.equal(read(text, { caller }), 'other_caller')
    const own = formatPlan(SIGNING, { ...BOUND, caller }, COUNTED)
    assert.deepEqual(read(own, { caller }), COUNTED)
    assert.equal(read(own), 'other_caller')
  }
  assert.equal(
    read(formatPlan(SIGNING, { ...BOUND, caller: operator }, COUNTED), { caller: { ...operator, iss: 'j' } }),
    'other_caller',
  )
  assert.equal(read(text, { conditions: { ...CONDITIONS, agentId: 'b' } }), 'other_conditions')
  assert.equal(read(text, { issuer: 'https://other.example' }), 'not_ours')
})

test('a text that this service did not make is no plan', () => {
  const text = formatPlan(SIGNING, BOUND, COUNTED)
  const parts = text.split('.')
  const resealed = (change: (all: string[]) => void): string => {
    const all = parts.slice(0, -1)
    change(all)
    return [...all, SIGNING.mac(JSON.stringify(['plan', BOUND.issuer, ...all]))].join('.')
  }
  assert.deepEqual(read(resealed(() => undefined)), COUNTED)
  const wrong = [
    '',
    '.',
    parts.slice(0, -1).join('.'),
    `${text}.`,
    `.${text}`,
    text.replace('1.', '2.'),
    text.replace('1700000000000', '1700000000001'),
    resealed(all => (all[0] = '2')),
    resealed(all => (all[1] = 'x')),
    resealed(all => (all[1] = '-1')),
    resealed(all => (all[1] = '1'.repeat(16))),
    resealed(all => (all[1] = '1 ')),
    resealed(all => (all[2] = '+')),
    resealed(all => (all[2] = 'x'.repeat(44))),
    resealed(all => all.push('x')),
    resealed(all => void all.pop()),
  ]
  for (const one of wrong) assert.equal(read(one), 'not_ours', one)
})

const RECORD = {
  id: 'token',
  agentId: 'agent',
  clientId: 'client',
  credentialId: 'credential',
  scope: 'db:read',
  kid: 'kid',
  audience: ['a'],
  issuedAt: 0,
  expiresAt: 300,
  subject: { agentId: 'agent' },
  actors: [],
  ancestors: [],
}
const END = {
  at: 1000,
  reason: 'manual_revocation',
  endedBy: null,
  note: null,
  requestId: null,
  ancestorId: null,
  revocationId: null,
}

test('the code of a token is active where all checks pass, and else the reason of its end', () => {
  const explained = (isEnded: boolean, isPassed: boolean) =>
    ({
      life: { token: RECORD, end: isEnded ? END : null },
      checks: [passedCheck('end'), isPassed ? passedCheck('expiry') : failedCheck('expiry')],
    }) as unknown as LedgerExplanation
  assert.equal(codeOf(explained(false, true)), 'active')
  assert.equal(codeOf(explained(true, false)), 'manual_revocation')
  assert.throws(() => codeOf(explained(false, false)), /The token token is dead, and nothing ended it/)
})

test('an explanation is shown check by check, with the evidence that each has', () => {
  const checks = [
    passedCheck('end'),
    failedCheck('expiry', {
      issuer: 'i',
      id: null,
      isSigned: true,
      now: 0,
      expiresAt: 1000,
      seq: 1,
      endedSeq: 2,
      cutOffs: 3,
    }),
    failedCheck('cut_offs', { act: { reason: 'manual_revocation', at: 0, by: null, note: 'n', revocationId: 'r' } }),
  ]
  const explanation = explainText('foreign', checks)
  assert.deepEqual(explanation, { code: 'foreign', checks, explainedAt: null, life: null })
  const shown = formatExplanation(explanation)
  const [at0, at1] = ['1970-01-01T00:00:00.000Z', '1970-01-01T00:00:01.000Z']
  const evidence = { issuer: 'i', id: null, seq: 1, signed: true, now: at0, expires_at: at1, ended_seq: 2, cut_offs: 3 }
  const act = { reason: 'manual_revocation', at: at0, by: null, note: 'n', revocation_id: 'r' }
  assert.deepEqual(shown, {
    code: 'foreign',
    active: false,
    explained_at: null,
    checks: [
      { check: 'end', outcome: 'passed', evidence: {} },
      { check: 'expiry', outcome: 'failed', evidence },
      { check: 'cut_offs', outcome: 'failed', evidence: { act } },
    ],
    token: null,
  })
  const alive = formatExplanation({ code: 'active', checks: [], explainedAt: 0, life: { token: RECORD, end: null } })
  assert.deepEqual([alive.active, alive.explained_at, alive.token?.id], [true, at0, 'token'])
})

test('pages of the feed are joined second by second, and their facts counted', () => {
  const tails = (...numbers: readonly number[]) => new Uint8Array(numbers)
  const [cutOff, other] = [1, 2].map(seq => ({ seq, until: 9 }))
  assert.ok(cutOff !== undefined && other !== undefined)
  const first = { ended: new Map([[5, tails(1, 2)]]), cutOffs: [cutOff] }
  const second = {
    ended: new Map([
      [5, tails(3)],
      [6, tails(4)],
    ]),
    cutOffs: [other],
  }
  assert.deepEqual(joinPages([first, second]), {
    ended: [
      [5, tails(1, 2, 3)],
      [6, tails(4)],
    ],
    cutOffs: [cutOff, other],
  })
  assert.deepEqual(joinPages([]), { ended: [], cutOffs: [] })
  assert.equal(joinPages([first]).ended[0]?.[1], first.ended.get(5))
  const page = {
    ended: new Map([
      [5, new Uint8Array(16)],
      [6, new Uint8Array(8)],
    ]),
    cutOffs: [cutOff, other],
  }
  assert.equal(countFacts(page), 5)
  assert.equal(countFacts({ ended: new Map(), cutOffs: [] }), 0)
})

test('a segment whose facts are all over belongs to its neighbor', () => {
  const segment = (from: number, to: number, until: number, facts = 1): Segment => ({ from, to, until, facts })
  const now = 10_000
  assert.deepEqual(dropOver([], now), [])
  const alive = [segment(0, 5, 10), segment(5, 8, 11)]
  assert.deepEqual(dropOver(alive, now), alive)
  assert.deepEqual(dropOver([segment(0, 5, 9, 4), segment(5, 8, 11, 2)], now), [segment(0, 8, 11, 2)])
  assert.deepEqual(dropOver([segment(0, 5, 12, 4), segment(5, 8, 9, 2)], now), [segment(0, 8, 12, 4)])
  assert.deepEqual(dropOver([segment(0, 5, 9), segment(5, 8, 8), segment(8, 9, 11, 3)], now), [segment(0, 9, 11, 3)])
})

const KEY_RECORD: KeyRecord = {
  number: 1,
  thumbprint: 't',
  imported: false,
  createdAt: 0,
  signsFrom: 1000,
  signsUntil: null,
  goneAt: null,
  publicJwk: { kty: 'OKP', crv: 'Ed25519', x: 'x', alg: 'EdDSA', kid: 'kid', use: 'sig' },
  state: 'next',
  steadyMs: 1500,
  wanted: true,
}

test('a signing key is shown with how long it is published before and after it signs', () => {
  const shown = {
    kid: 'kid',
    algorithm: 'EdDSA',
    state: 'next',
    thumbprint: 't',
    imported: false,
    rotation_requested: true,
    created_at: '1970-01-01T00:00:00.000Z',
    signs_from: '1970-01-01T00:00:01.000Z',
    signs_until: null,
    rotates_at: null,
    gone_at: null,
    published_before_signing_seconds: 360,
    kept_after_signing_seconds: 660,
    ready_in_seconds: 359,
    leaves_in_seconds: null,
    public_jwk: KEY_RECORD.publicJwk,
  }
  assert.deepEqual(keyRecord({ key: KEY_RECORD, longest: 600, rotationDays: 30 }), shown)
  const retained = keyRecord({
    key: { ...KEY_RECORD, state: 'retained', imported: true },
    longest: 600,
    rotationDays: 30,
  })
  assert.deepEqual([retained.kept_after_signing_seconds, retained.ready_in_seconds], [86_460, null])
  assert.equal(retained.leaves_in_seconds, 86_459)
  assert.equal(
    keyRecord({ key: { ...KEY_RECORD, steadyMs: 400_000 }, longest: 600, rotationDays: 30 }).ready_in_seconds,
    0,
  )
  const current = { key: { ...KEY_RECORD, state: 'current' as const }, longest: 600, rotationDays: 1 }
  assert.equal(keyRecord(current).rotates_at, '1970-01-02T00:00:01.000Z')
  assert.equal(keyRecord({ ...current, rotationDays: null }).rotates_at, null)
  const changed = { key: KEY_RECORD, longest: 600, rotationDays: 30, current: KEY_RECORD, unknownUntil: null }
  assert.deepEqual(keyChangeRecord(changed), { ...shown, current_kid: 'kid', warning: null })
  assert.equal(
    keyChangeRecord({ ...changed, unknownUntil: 0 }).warning,
    'The key kid signs before it was published for 360 s. Until 1970-01-01T00:00:00.000Z a verifier that keeps the key set for 300 s, ' +
      'as it may, can refuse its tokens. Introspection knows them at once.',
  )
})
