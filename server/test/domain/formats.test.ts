// The records of tokens and revocations as the wire has them, whole.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatDryRun, formatRevocation } from '../../src/domain/ledger/format-revocation.ts'
import { formatEndedRecord, formatLife, formatRecord } from '../../src/domain/ledger/format-token.ts'
import { NO_CONDITIONS } from '../../src/domain/ledger/revocation.ts'

const RECORD = {
  id: 'token',
  agentId: 'agent',
  clientId: 'client',
  credentialId: 'credential',
  scope: 'db:read',
  audience: ['https://one.example'],
  kid: 'kid',
  issuedAt: 1_700_000_000,
  expiresAt: 1_700_000_300,
  subject: { agentId: 'root agent' },
  actors: ['agent', 'other agent'],
  ancestors: [
    { id: 'parent', audience: ['https://one.example'] },
    { id: 'root', audience: ['https://two.example'] },
  ],
}

const SHOWN = {
  id: 'token',
  agent_id: 'agent',
  client_id: 'client',
  credential_id: 'credential',
  scope: 'db:read',
  audience: ['https://one.example'],
  kid: 'kid',
  issued_at: '2023-11-14T22:13:20.000Z',
  expires_at: '2023-11-14T22:18:20.000Z',
  subject: { agent_id: 'root agent', agent_name: null },
  parent_id: 'parent',
  root_id: 'root',
  depth: 2,
  actors: ['agent', 'other agent'],
  actor_names: [null, null],
  agent_name: null,
  owner: null,
}

const END = {
  endedAt: 1_700_000_100_007,
  reason: 'bulk_revocation',
  endedBy: { type: 'cli', id: 'ada' },
  note: 'why',
  revocationId: 'revocation',
  ancestorId: 'root',
} as const

const SHOWN_END = {
  ended_at: '2023-11-14T22:15:00.007Z',
  termination_reason: 'bulk_revocation',
  ended_by: { type: 'cli', id: 'ada' },
  note: 'why',
  revocation_id: 'revocation',
  ancestor_id: 'root',
}

test('a token is shown with its times in RFC 3339, alone, with its end, and with its state', () => {
  assert.deepEqual(formatRecord(RECORD), SHOWN)
  assert.deepEqual(formatEndedRecord({ ...RECORD, ...END }), { ...SHOWN, ...SHOWN_END })
  assert.deepEqual(formatLife({ token: RECORD, end: END }), { ...SHOWN, state: 'ended', ...SHOWN_END })
  const notEnded = Object.fromEntries(Object.keys(SHOWN_END).map(name => [name, null]))
  assert.deepEqual(formatLife({ token: RECORD, end: null }), { ...SHOWN, state: 'active', ...notEnded })
})

test('a revocation is shown with its conditions, and as one of all where it has none', () => {
  const made = { id: 'r', reason: END.reason, note: null, createdBy: END.endedBy, createdAt: END.endedAt } as const
  const revocation = { ...made, state: 'open', feedPosition: 12, tokensMoved: 7, agents: null } as const
  const conditions = {
    agent_id: null,
    credential_id: null,
    scope: null,
    audience: null,
    kid: null,
    issued_before: null,
    lineage: null,
    subject: null,
    issuer: null,
    owner: null,
    labels: null,
    disable_agents: false,
    agents: null,
  }
  const shown = {
    id: 'r',
    all: true,
    ...conditions,
    reason: 'bulk_revocation',
    note: null,
    created_by: { type: 'cli', id: 'ada' },
    created_at: '2023-11-14T22:15:00.007Z',
    state: 'open',
    tokens_moved: 7,
    verifiers: null,
  }
  assert.deepEqual(formatRevocation({ ...revocation, conditions: NO_CONDITIONS }, null), shown)
  const limited = { ...NO_CONDITIONS, scope: 'db:*', issuedBefore: 1_700_000_000_000 }
  const held = { total: 2, holding: 1, missing: [{ name: 'orders', apiKeyId: 'k', staleSeconds: 0.5 }] }
  assert.deepEqual(formatRevocation({ ...revocation, conditions: limited }, held), {
    ...shown,
    all: false,
    scope: 'db:*',
    issued_before: '2023-11-14T22:13:20.000Z',
    verifiers: { total: 2, holding: 1, missing: [{ name: 'orders', api_key_id: 'k', stale_seconds: 0.5 }] },
  })
})

test('a dry run counts, says whether that is exact, and shows a few', () => {
  assert.deepEqual(
    formatDryRun({
      instant: 1_700_000_000_000,
      planId: 'p',
      count: 3,
      isExact: false,
      agents: null,
      agentsDigest: null,
      sample: [RECORD],
    }),
    {
      dry_run: true,
      tokens: 3,
      tokens_exact: false,
      agents: null,
      sample: [SHOWN],
      plan_id: 'p',
      plan_expires_at: '2023-11-14T22:15:20.000Z',
    },
  )
})
