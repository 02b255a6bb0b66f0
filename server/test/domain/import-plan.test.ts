// The plan of an import: the agent that a client of another server becomes, or the first reason against it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BLANK_SETTINGS } from '../../src/domain/clients/change-agent.ts'
import type { ForeignClient } from '../../src/domain/import/foreign-client.ts'
import { formatOutcome } from '../../src/domain/import/import-outcome.ts'
import { type ImportSettings, planImport } from '../../src/domain/import/import-plan.ts'
import { IMPORT_REASONS, type ImportReason, isSkipped } from '../../src/domain/import/import-reason.ts'

/** That of a client which is imported. */
const skip = null

const CLIENT: ForeignClient = {
  clientId: 'billing',
  skip,
  name: 'Billing',
  description: 'Sends bills',
  owner: 'team',
  isDisabled: false,
  secret: { form: 'secret', text: 'x'.repeat(20) },
  secretExpiresAt: null,
  defaultScopes: ['a:b'],
  optionalScopes: ['c:d'],
  audiences: ['https://a.example'],
  lifetimeSeconds: 600,
}

const SETTINGS: ImportSettings = { scope: null, defaultScope: null, scopeMap: new Map(), resources: null }

const plan = (client: Partial<ForeignClient> = {}, settings: Partial<ImportSettings> = {}) => {
  const planned = planImport({ ...CLIENT, ...client }, { ...SETTINGS, ...settings })
  assert.ok(typeof planned === 'object', JSON.stringify(planned))
  return planned
}

const reason = (client: Partial<ForeignClient>, settings: Partial<ImportSettings> = {}) =>
  planImport({ ...CLIENT, ...client }, { ...SETTINGS, ...settings })

test('a client becomes an agent with its name, scopes, audiences and lifetime', () => {
  assert.deepEqual(plan(), {
    clientId: 'billing',
    settings: {
      ...BLANK_SETTINGS,
      name: 'Billing',
      description: 'Sends bills',
      owner: 'team',
      scopes: ['a:b', 'c:d'],
      defaultScope: ['a:b'],
      resources: ['https://a.example'],
      lifetimeSeconds: 600,
    },
    scopesLeftOut: [],
    audiencesLeftOut: [],
  })
  assert.equal(plan({ name: null }).settings.name, 'billing')
  const odd = plan({ name: ' odd', description: ' odd', owner: 'odd ' })
  assert.deepEqual([odd.settings.name, odd.settings.description, odd.settings.owner], ['billing', null, null])
  const none = plan({ description: null, owner: null, secret: null, lifetimeSeconds: null })
  assert.deepEqual([none.settings.description, none.settings.owner, none.settings.lifetimeSeconds], [null, null, null])
})

test('a client that cannot be imported is refused by the first reason', () => {
  const skipped = Object.fromEntries([['skip', 'public_client']])
  assert.equal(reason({ ...skipped, clientId: '' }), 'public_client')
  assert.equal(reason({ clientId: ' ' }), 'client_id_malformed')
  for (const lifetimeSeconds of [0, -1, 1.5, 86_401, Number.NaN]) {
    assert.equal(reason({ lifetimeSeconds }), 'lifetime_out_of_range')
  }
  for (const lifetimeSeconds of [1, 86_400]) assert.equal(typeof reason({ lifetimeSeconds }), 'object')
  const secretOf = (length: number): ForeignClient['secret'] => ({ form: 'secret', text: 'x'.repeat(length) })
  assert.equal(reason({ secret: secretOf(19) }), 'secret_too_short')
  assert.equal(typeof reason({ secret: secretOf(1024) }), 'object')
  assert.equal(reason({ secret: secretOf(1025) }), 'secret_too_long')
  assert.equal(typeof reason({ secret: { form: 'hash', text: 'x' } }), 'object')
  for (const form of ['hash_unknown', 'hash_too_costly'] as const) {
    assert.equal(reason({ secret: { form, text: 'x'.repeat(30) } }), form)
  }
  assert.equal(reason({ secretExpiresAt: Number.NaN }), 'secret_expired')
  assert.equal(typeof reason({ secretExpiresAt: 5 }), 'object')
  assert.equal(typeof reason({ secret: null, secretExpiresAt: Number.NaN }), 'object')
  assert.equal(reason({ name: ' ', clientId: 'x'.repeat(101) }), 'name_malformed')
})

test('scopes are taken as they are, or as the operator maps them; what is neither is left out', () => {
  const scopeMap = new Map([
    ['openid', ['user:read', 'user:list']],
    ['a:b', ['a:*']],
  ])
  const mapped = plan(
    { defaultScopes: ['openid', 'a:b', 'profile'], optionalScopes: ['e:*', 'profile', 'c:d'] },
    { scopeMap },
  )
  assert.deepEqual(mapped.settings.scopes, ['a:*', 'c:d', 'user:list', 'user:read'])
  assert.deepEqual(mapped.settings.defaultScope, ['user:list', 'user:read'])
  assert.deepEqual(mapped.scopesLeftOut, ['profile', 'e:*'])
})

test('an agent without scopes of its own has those of the operator, and a default as far as they allow it', () => {
  const [none, scope] = [{ defaultScopes: [], optionalScopes: ['odd'] }, ['x:*', 'y:z']]
  assert.equal(reason(none), 'no_scope')
  assert.deepEqual(plan(none, { scope }).settings.defaultScope, null)
  const chosen = plan(none, { scope, defaultScope: ['y:z', 'x:b', 'q:r', 'y:z'] })
  assert.deepEqual([chosen.settings.scopes, chosen.settings.defaultScope], [scope, ['x:b', 'y:z']])
  assert.deepEqual(plan({ defaultScopes: [] }, { defaultScope: ['x:y'] }).settings.defaultScope, null)
  assert.deepEqual(plan({}, { defaultScope: ['c:d'] }).settings.defaultScope, ['a:b'])
  assert.deepEqual(plan({}, { scope }).settings.scopes, ['a:b', 'c:d'])
})

test('an agent has no more scopes and resources than it can have, each once', () => {
  const items = (count: number) => Array.from({ length: count }, (_, n) => `r:a${n}`)
  assert.equal(typeof reason({ optionalScopes: items(15) }), 'object')
  assert.equal(reason({ optionalScopes: items(16) }), 'too_many_scopes')
  assert.equal(typeof reason({ optionalScopes: [...items(15), ...items(15)] }), 'object')
  const long = ['a', 'b'].map(letter => `r:${letter.repeat(600)}`)
  assert.equal(reason({ optionalScopes: long }), 'too_many_scopes')
  const audiences = (count: number) => Array.from({ length: count }, (_, n) => `https://${n}.example`)
  assert.equal(plan({ audiences: [...audiences(64), 'https://1.example'] }).settings.resources.length, 64)
  assert.equal(reason({ audiences: audiences(65) }), 'too_many_resources')
  const odd = plan({ audiences: ['odd', 'https://a.example', 'other'] }, { resources: ['https://b.example'] })
  assert.deepEqual([odd.settings.resources, odd.audiencesLeftOut], [['https://a.example'], ['odd', 'other']])
  assert.deepEqual(plan({ audiences: [] }, { resources: ['https://b.example'] }).settings.resources, [
    'https://b.example',
  ])
  assert.deepEqual(plan({ audiences: [] }).settings.resources, [])
  const many = Array.from({ length: 101 }, (_, n) => `odd${n}`)
  assert.equal(plan({ audiences: many }).audiencesLeftOut.length, 100)
  assert.equal(plan({ optionalScopes: many }).scopesLeftOut.length, 100)
})

test('an outcome has every member, and of a trial neither an id nor a secret', () => {
  const nothing = {
    client_id: 'billing',
    reason: null,
    description: null,
    agent_id: null,
    name: null,
    owner: null,
    secret: null,
    client_secret: null,
    scope: null,
    default_scope: null,
    resources: [],
    disabled: false,
  }
  assert.deepEqual(formatOutcome({ clientId: 'billing', outcome: 'exists' }, false), { ...nothing, outcome: 'exists' })
  const refused = { clientId: 'billing', outcome: 'refused', reason: 'no_scope' } as const
  const text = IMPORT_REASONS.no_scope
  assert.deepEqual(formatOutcome(refused, true), {
    ...nothing,
    outcome: 'refused',
    reason: 'no_scope',
    description: text,
  })
  const own = {
    id: 'agent',
    clientId: 'billing',
    name: 'Billing',
    createdAt: 0,
    disabledAt: 5,
    suspendedAt: null,
    managedBy: null,
  }
  const agent = { ...plan().settings, ...own }
  const imported = {
    clientId: 'billing',
    outcome: 'imported',
    agent,
    secret: 'new',
    clientSecret: 'mmc',
  } as const
  const shown = {
    ...nothing,
    outcome: 'imported',
    agent_id: 'agent',
    name: 'Billing',
    owner: 'team',
    secret: 'new',
    client_secret: 'mmc',
    scope: 'a:b c:d',
    default_scope: 'a:b',
    resources: ['https://a.example'],
    disabled: true,
  }
  assert.deepEqual(formatOutcome(imported, false), shown)
  const enabled = { ...imported, agent: { ...agent, disabledAt: null } }
  assert.deepEqual(formatOutcome(enabled, true), { ...shown, agent_id: null, disabled: false })
})

test('the reasons are sentences, and five of them are of clients that are skipped', () => {
  const reasons = Object.keys(IMPORT_REASONS) as ImportReason[] // its own keys
  assert.deepEqual(reasons.filter(isSkipped), [
    'other_protocol',
    'public_client',
    'bearer_only',
    'no_client_credentials',
    'other_authentication',
  ])
  for (const one of reasons) assert.match(IMPORT_REASONS[one], /^[A-Z].{20,}\.$/)
  assert.match(IMPORT_REASONS.secret_too_short, /less than 20 characters/)
  assert.match(IMPORT_REASONS.secret_too_long, /more than 1024 characters/)
  assert.match(IMPORT_REASONS.hash_too_costly, /2\^13 rounds of bcrypt or 1000000 of PBKDF2/)
  assert.match(IMPORT_REASONS.name_malformed, /1 to 100 printable characters/)
})
