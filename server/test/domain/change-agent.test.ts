// Changes of an agent: what its settings become, why a change is refused, and what its tokens lose.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AgentChange,
  type AgentSettings,
  applyChange,
  audiencesKept,
  BLANK_SETTINGS,
  changedSettings,
  losesActors,
  scopesKept,
} from '../../src/domain/clients/change-agent.ts'
import { agentRecord, changeOf, delegationRecord, settingsRecord } from '../../src/domain/clients/agent-record.ts'
import { actsForPrincipal } from '../../../api/values/delegation.ts'
import { delegationBy } from '../../src/domain/clients/delegation.ts'
import { type Agent, isClientId } from '../../src/domain/clients/agent.ts'

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const [A, B, SERVICE] = ['https://a.example', 'https://b.example', 'https://service.example']
const BEFORE: AgentSettings = { ...BLANK_SETTINGS, name: 'billing', scopes: ['a:*', 'b:c'], resources: [A] }

const change = (wanted: AgentChange, before = BEFORE): AgentSettings => {
  const after = applyChange(before, wanted)
  assert.ok(!('refusal' in after), JSON.stringify(after))
  return after
}

const refusal = (wanted: AgentChange, before = BEFORE) => {
  const after = applyChange(before, wanted)
  assert.ok('refusal' in after)
  return [after.refusal.code, after.refusal.description]
}

test('a new agent may do nothing until its settings say so', () => {
  assert.deepEqual(BLANK_SETTINGS, {
    name: '',
    description: null,
    owner: null,
    labels: {},
    scopes: [],
    defaultScope: null,
    resources: [],
    defaultAudience: null,
    lifetimeSeconds: null,
    tokensPerMinute: null,
    tokensPerDay: null,
    liveTokensMax: null,
    atLiveTokensMax: 'refuse',
    dpopBound: false,
    certificateBound: false,
    grantTypes: ['client_credentials'],
    actsFor: [],
    receives: [],
    issuerClients: {},
    claims: {},
    expiresAt: null,
  })
})

test('a change sets what it names, null too, and leaves the rest', () => {
  const before = { ...BEFORE, labels: { env: 'test', team: 'x' }, owner: 'ada' }
  assert.deepEqual(change({}, before), before)
  assert.deepEqual(change({ name: undefined, labels: undefined }, before), before)
  assert.deepEqual(change({ owner: null, name: 'other' }, before), { ...before, owner: null, name: 'other' })
  assert.deepEqual(change({ labels: { env: null, city: 'Bern' } }, before).labels, { city: 'Bern', team: 'x' })
  assert.deepEqual(change({ labels: null }, before).labels, {})
  assert.deepEqual(changedSettings(before, change({ owner: null, labels: { env: null } }, before)), ['owner', 'labels'])
  assert.deepEqual(changedSettings(before, { ...before, scopes: [...before.scopes] }), [])
})

test('an agent has at most 32 labels', () => {
  const labels = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`l${n}`, 'x']))
  assert.equal(Object.keys(change({ labels: labels(32) }).labels).length, 32)
  assert.deepEqual(refusal({ labels: labels(33) }), ['invalid_request', 'An agent may have at most 32 labels.'])
})

test('an agent is bound to one kind of key', () => {
  assert.equal(change({ dpopBound: true }).dpopBound, true)
  assert.equal(change({ certificateBound: true }).certificateBound, true)
  assert.deepEqual(refusal({ dpopBound: true, certificateBound: true }), [
    'invalid_request',
    'dpop_bound_access_tokens and tls_client_certificate_bound_access_tokens exclude each other: a token is bound to one key.',
  ])
})

test('a default scope stays within the scope', () => {
  assert.deepEqual(change({ defaultScope: ['a:x', 'b:c'] }).defaultScope, ['a:x', 'b:c'])
  assert.deepEqual(refusal({ defaultScope: ['a:x', 'b:d'] }), [
    'invalid_scope',
    'The default scope holds b:d, which the scope does not allow.',
  ])
  const before = { ...BEFORE, defaultScope: ['a:x'] }
  assert.equal(refusal({ scopes: ['b:c'] }, before)[0], 'invalid_scope')
})

test('a default audience that the resources lose is named again, or refused', () => {
  const before = { ...BEFORE, resources: [A, B], defaultAudience: A }
  assert.deepEqual(refusal({ resources: [B] }, before), [
    'invalid_target',
    `The default audience is ${A}, which the resources would no longer allow: name the default audience too.`,
  ])
  assert.equal(change({ resources: [B], defaultAudience: A }, before).defaultAudience, A)
  assert.equal(change({ resources: [B], defaultAudience: null }, before).defaultAudience, null)
  assert.equal(change({ resources: [A] }, before).defaultAudience, A)
  // It never was among them.
  assert.deepEqual(change({ resources: [B] }, { ...before, resources: [] }).resources, [B])
  assert.equal(refusal({ resources: [B] }, { ...before, resources: ['*'] })[0], 'invalid_target')
  assert.deepEqual(change({ resources: [] }, { ...before, defaultAudience: null }).resources, [])
})

test('tokens keep the scopes that are left, where a pattern was lost', () => {
  const scopes = (list: readonly string[]) => ({ ...BEFORE, scopes: list })
  assert.equal(scopesKept(BEFORE, BEFORE), null)
  assert.equal(scopesKept(BEFORE, scopes(['a:*', 'b:*'])), null)
  assert.deepEqual(scopesKept(BEFORE, scopes(['a:*'])), ['a:*'])
  assert.deepEqual(scopesKept(BEFORE, scopes(['a:x', 'b:c'])), ['a:x', 'b:c'])
})

test('an agent loses what it exchanged as soon as it may act for fewer', () => {
  const before = {
    ...BEFORE,
    grantTypes: ['client_credentials', EXCHANGE] as const,
    actsFor: ['x', 'y'],
    receives: [A],
  }
  const loses = (after: Partial<AgentSettings>) => losesActors(before, { ...before, ...after })
  assert.equal(loses({}), false)
  assert.equal(loses({ actsFor: ['y', 'x', 'z'], receives: [B, A] }), false)
  assert.equal(loses({ actsFor: ['x'] }), true)
  assert.equal(loses({ actsFor: ['*'] }), false)
  assert.equal(loses({ receives: [] }), true)
  assert.equal(loses({ actsFor: ['*'], receives: [] }), true)
  assert.equal(loses({ grantTypes: ['client_credentials'] }), true)
  assert.equal(losesActors(BEFORE, { ...BEFORE, grantTypes: ['client_credentials'] }), false)
})

test('tokens keep the audiences that are left, where one was lost', () => {
  const kept = (before: Partial<AgentSettings>, after: Partial<AgentSettings>, service: string | null = SERVICE) =>
    audiencesKept({ ...BEFORE, ...before }, { ...BEFORE, ...after }, service)
  assert.deepEqual(kept({}, {}), { keepAudiences: null })
  assert.deepEqual(kept({}, { resources: [A, B] }), { keepAudiences: null })
  assert.deepEqual(kept({}, { resources: ['*'] }), { keepAudiences: null })
  assert.deepEqual(kept({ resources: ['*'] }, {}), { keepAudiences: [A, SERVICE] })
  assert.deepEqual(kept({ resources: [A, B] }, {}), { keepAudiences: [A, SERVICE] })
  // Its tokens were for the service's audience, and now are for another.
  assert.deepEqual(kept({}, { defaultAudience: B }), { keepAudiences: [A, B] })
  assert.deepEqual(kept({}, { defaultAudience: B }, null), { keepAudiences: [A, B] })
  assert.deepEqual(kept({ defaultAudience: B }, { defaultAudience: B }, null), { keepAudiences: null })
  assert.deepEqual(kept({ defaultAudience: A }, {}), { keepAudiences: null })
  assert.deepEqual(kept({ defaultAudience: B }, {}), { keepAudiences: [A, SERVICE] })
  assert.deepEqual(kept({}, {}, null), { keepAudiences: null })
  const unknown = kept({ resources: [A, B] }, {}, null)
  assert.ok('refusal' in unknown)
  assert.equal(unknown.refusal.code, 'invalid_target')
  assert.match(
    unknown.refusal.description,
    /^Tokens for the default audience of the service would go on, .*MINTMARK_BASE_URL/,
  )
})

const AGENT: Agent = {
  ...BEFORE,
  id: '0199aaaa-0000-7000-8000-000000000001',
  clientId: 'billing',
  defaultScope: ['a:x', 'b:c'],
  grantTypes: ['client_credentials', EXCHANGE],
  actsFor: ['label:env=prod', 'label:team=x'],
  receives: [A],
  createdAt: 0,
  disabledAt: 1000,
  suspendedAt: null,
  managedBy: null,
}

const SETTINGS_SHOWN = {
  name: 'billing',
  description: null,
  owner: null,
  labels: {},
  scope: 'a:* b:c',
  default_scope: 'a:x b:c',
  resources: [A],
  default_audience: null,
  lifetime_seconds: null,
  tokens_per_minute: null,
  tokens_per_day: null,
  live_tokens_max: null,
  at_live_tokens_max: 'refuse',
  dpop_bound_access_tokens: false,
  tls_client_certificate_bound_access_tokens: false,
  grant_types: ['client_credentials', EXCHANGE],
  acts_for: ['label:env=prod', 'label:team=x'],
  receives: [A],
  issuer_clients: {},
  claims: {},
  expires_at: null,
}

test('the record of an agent has its settings under their names on the wire', () => {
  assert.deepEqual(settingsRecord(AGENT), SETTINGS_SHOWN)
  assert.equal(settingsRecord({ ...AGENT, defaultScope: null }).default_scope, null)
  assert.deepEqual(agentRecord(AGENT), {
    agent_id: AGENT.id,
    client_id: 'billing',
    ...SETTINGS_SHOWN,
    created_at: '1970-01-01T00:00:00.000Z',
    disabled_at: '1970-01-01T00:00:01.000Z',
    suspended_at: null,
    managed_by: null,
  })
})

test('a body changes the settings that it names', () => {
  assert.deepEqual(changeOf({}), {})
  const body = { name: 'x', default_scope: null, scope: ['a:b'], dpop_bound_access_tokens: true, lifetime_seconds: 60 }
  const wanted = { name: 'x', defaultScope: null, scopes: ['a:b'], dpopBound: true, lifetimeSeconds: 60 }
  assert.deepEqual(changeOf(body as unknown as Parameters<typeof changeOf>[0]), wanted)
})

test('who may act for whom is shown from both sides', () => {
  const peer = { id: 'p', name: 'peer', owner: 'ada', disabledAt: 0, by: '*' }
  const shown = { agent_id: 'p', name: 'peer', owner: 'ada', disabled_at: '1970-01-01T00:00:00.000Z', by: '*' }
  const [subjects, actors] = [
    { peers: [peer], hasMore: true },
    { peers: [], hasMore: false },
  ]
  assert.deepEqual(delegationRecord({ agent: AGENT, subjects, actors }), {
    agent_id: AGENT.id,
    grant_types: AGENT.grantTypes,
    acts_for: AGENT.actsFor,
    receives: [A],
    issuer_clients: AGENT.issuerClients,
    subjects: [shown],
    subjects_more: true,
    actors: [],
    actors_more: false,
  })
})

test('an agent acts for another by the entry that names it, else its label, else any', () => {
  const subject: Agent = { ...AGENT, id: '0199aaaa-0000-7000-8000-000000000002', labels: { team: 'x' } }
  const by = (actor: Partial<Agent>, other: Partial<Agent> = {}) =>
    delegationBy({ ...AGENT, ...actor }, { ...subject, ...other })
  assert.equal(by({}), 'label:team=x')
  assert.equal(by({}, { labels: { team: 'y' } }), undefined)
  assert.equal(by({ actsFor: ['*'] }), '*')
  assert.equal(by({ actsFor: ['*', 'label:team=x'] }), 'label:team=x')
  assert.equal(by({ actsFor: ['*', 'label:team=x', subject.id] }), subject.id)
  assert.equal(by({ actsFor: [] }), undefined)
  assert.equal(by({ receives: [] }), undefined)
  assert.equal(by({ grantTypes: ['client_credentials'] }), undefined)
  assert.equal(by({ actsFor: ['*'], id: subject.id }), undefined)
})

test('an agent acts for a subject of an issuer by an entry of exactly that issuer, never by any agent or a label', () => {
  const acts = (...actsFor: readonly string[]) => actsForPrincipal(actsFor, 'acme', 'a:b')
  assert.deepEqual([acts('issuer:acme'), acts('*', 'issuer:acme:a:b')], [true, true])
  const others = ['*', 'label:acme=a:b', 'issuer:acm', 'issuer:acme-2', 'issuer:acme:a', 'issuer:acme:A:B', 'acme:a:b']
  assert.equal(acts(...others), false)
})

test('a client id is 1 to 255 printable ASCII characters without spaces around them', () => {
  for (const text of ['a', 'a b', '!~', 'x'.repeat(255)]) assert.equal(isClientId(text), true, text)
  for (const text of ['', ' ', ' a', 'a ', 'é', 'a\nb', 'a\n', '\na', 'x'.repeat(256)])
    assert.equal(isClientId(text), false, text)
})
