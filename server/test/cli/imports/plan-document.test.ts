// The documents of other servers as mintmark import reads them: what is none, or more than may be read, is refused in a sentence.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planDocument, type Source } from '../../../src/cli/imports/plan-document.ts'
import { hydraRow, keycloakClient, realmExport } from '../../../../testkit/callers/foreign-exports.ts'

const DOCUMENT_VALUES_MAX = 500_000
const CANARY = 'c4n4ry-secret-of-another-server'
const SETTINGS = {
  scope: ['db:read'],
  defaultScope: null,
  scopeMap: new Map<string, readonly string[]>(),
  resources: null,
}

const planText = (source: Source, text: string) => planDocument(source, text, SETTINGS)
const plan = (source: Source, document: unknown) => planText(source, JSON.stringify(document))

const refused = (source: Source, document: unknown, message: string): void =>
  assert.throws(() => plan(source, document), { name: 'CommandFailed', message })

const WRONG = 'is not as the client of such a document.'
const NO_CLIENTS = 'The document holds no clients: it is an array of them, or an object with such an array as clients'

test('a document of another shape is refused, and none of its values is repeated', () => {
  refused('keycloak', null, `${NO_CLIENTS}.`)
  refused('hydra', { rows: [] }, `${NO_CLIENTS} or items.`)
  refused('hydra', CANARY, `${NO_CLIENTS} or items.`)
  refused('hydra', [CANARY], `The document.0 ${WRONG}`)
  refused('keycloak', [{ secret: CANARY }], `The document.0.clientId ${WRONG}`)
  const odd = { clientId: 'a', secret: { [CANARY]: 1 } }
  refused('keycloak', [keycloakClient('b'), odd], `The document.1.secret ${WRONG}`)
  const scopes = { clientId: 'a', defaultClientScopes: Array.from({ length: 1001 }, () => 1) }
  refused('keycloak', { clients: [scopes] }, `The document.0.defaultClientScopes ${WRONG}`)
  assert.throws(() => planText('hydra', '[] []'), { message: 'The document is not JSON.' })
})

test('a document holds 500,000 values, also in what is passed over, and not one more', () => {
  // Beside the others there are four: the document, its two members, and the place in clients.
  const full = `{"clients":[],"other":[${Array.from({ length: (DOCUMENT_VALUES_MAX - 4) / 2 }, () => '{}').join()}]}`
  assert.deepEqual(planText('keycloak', full), [])
  const message = 'The document holds more than 500000 values: leave out what is no client, or import it in parts.'
  assert.throws(() => planText('keycloak', full.replace('[{}', '[0,{}')), { message })
})

test('a text that is taken apart has at most 1000 parts', () => {
  const scope = (parts: number) => hydraRow('a', { grant_types: [], scope: 'x '.repeat(parts - 1) + 'x' })
  assert.equal(plan('hydra', [scope(1000)]).length, 1)
  refused('hydra', [scope(1001)], `The document.0.scope ${WRONG}`)
  const audience = JSON.stringify(Array.from({ length: 1001 }, (_, n) => `https://${n}.example`))
  refused('hydra', [hydraRow('a', { audience })], `The document.0.audience ${WRONG}`)
  const long = hydraRow('a', { client_credentials_grant_access_token_lifespan: '0'.repeat(65_537) })
  refused('hydra', [long], `The document.0.${Object.keys(long).at(-2)} ${WRONG}`)
})

test('of what is left out of a client the first hundred are listed', () => {
  const scopes = Array.from({ length: 150 }, (_, n) => `scope-${n}`)
  const audience = scopes.map(one => `${one} of no address`)
  const [one] = plan('hydra', [hydraRow('a', { scope: scopes.join(' '), audience })])
  assert.ok(one !== undefined && 'plan' in one)
  assert.deepEqual([one.plan.scopesLeftOut, one.plan.audiencesLeftOut], [scopes.slice(0, 100), audience.slice(0, 100)])
})

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`

test('deep documents and names of prototypes do no harm', () => {
  for (const depth of [1000, 200_000]) {
    assert.throws(() => planText('keycloak', nested(depth)), { name: 'CommandFailed' })
    assert.deepEqual(planText('keycloak', `{"clients":[],"other":${nested(depth)}}`), [])
  }
  for (const name of ['__proto__', '__proto\\u005f_']) {
    const text = `{"clients":[{"clientId":"a","${name}":{"serviceAccountsEnabled":true}}]}`
    assert.throws(() => planText('keycloak', text), { name: 'CommandFailed' })
  }
  const names = ['constructor', 'toString', 'hasOwnProperty']
  const odd = plan(
    'hydra',
    names.map(id => hydraRow(id, { grant_types: names, scope: 'toString' })),
  )
  assert.deepEqual(
    odd,
    names.map(clientId => ({ clientId, reason: 'no_client_credentials' })),
  )
})

test('a member given twice is refused by its name, however it is spelled', () => {
  for (const [members, message] of [
    ['"secret":"x","\\u0073ecret":"y"', 'clients.0.secret is given twice: give each member once.'],
    ['"attributes":{"an odd name":1,"an odd name":2}', 'A member is given twice: give each member once.'],
  ] as const) {
    assert.throws(() => planText('keycloak', `{"clients":[{"clientId":"a",${members}}]}`), { message })
  }
})

test('a client id that is as long as a document is repeated cut', () => {
  const [one] = plan('keycloak', realmExport(keycloakClient('y'.repeat(100_000))))
  assert.ok(one !== undefined && 'reason' in one)
  assert.deepEqual([one.reason, one.clientId.length], ['client_id_malformed', 255])
})
