// POST /api/v1/imports, asked badly: what is no document, or meant to harm, is 400 or 413 and changes nothing.
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { IMPORT_BYTES_MAX, IMPORTED_CLIENTS_MAX } from '../../../../api/values/bounds.ts'
import { JSON_TYPE } from '../../../../testkit/callers/administration.ts'
import { hydraRow, keycloakClient, realmExport } from '../../../../testkit/callers/foreign-exports.ts'
import { HOSTLESS } from '../../../../testkit/callers/hostless-addresses.ts'
import { type Answer, assertProblem, send, statusBeforeBody } from '../../../../testkit/callers/requests.ts'
import { countRows } from '../../../../testkit/stores/store-file.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const CANARY = 'c4n4ry-secret-of-another-server'

const service = useService()
let headers: Readonly<Record<string, string>>

service.before(async () => {
  headers = { ...JSON_TYPE, 'x-api-key': (await service.createApiKey('agents:write')).key }
})
afterEach(() => {
  assert.equal(countRows(service.storeFile, 'agent'), 0)
  assert.ok(!service.log().includes(CANARY))
})

const postText = (body: string, as = headers): Promise<Answer> =>
  send(service, { method: 'POST', path: '/api/v1/imports', headers: as, body })

const post = (body: unknown): Promise<Answer> => postText(JSON.stringify(body))

const refused = async (body: unknown, description: string, error = 'invalid_request'): Promise<void> =>
  assertProblem(await post(body), 400, error, description)

const NO_REALM = 'document holds no clients: it is an array of them, or an object with such an array as clients.'
const NO_ROWS =
  'document holds no clients: it is an array of them, or an object with such an array as clients or items.'
const WRONG = 'is not as the client of such a document.'
const document = realmExport(keycloakClient('never', { secret: CANARY }))
const good = { source: 'keycloak', document }

test('the answer to a body of another shape says what is wrong with it, and none of its values', async () => {
  await refused({ ...good, source: CANARY }, 'source is not keycloak or hydra.')
  await refused({ source: 'keycloak' }, NO_REALM)
  await refused({ source: 'hydra', document: { rows: [] } }, NO_ROWS)
  await refused({ source: 'hydra', document: CANARY }, NO_ROWS)
  await refused({ source: 'hydra', document: [CANARY] }, `document.0 ${WRONG}`)
  await refused({ source: 'keycloak', document: [{ secret: CANARY }] }, `document.0.clientId ${WRONG}`)
  const odd = { clientId: 'a', secret: { [CANARY]: 1 } }
  await refused({ source: 'keycloak', document: [keycloakClient('b'), odd] }, `document.1.secret ${WRONG}`)
  const scopes = { clientId: 'a', defaultClientScopes: Array.from({ length: 1001 }, () => 1) }
  await refused({ source: 'keycloak', document: { clients: [scopes] } }, `document.0.defaultClientScopes ${WRONG}`)
  await refused({ ...good, dry_run: 'no' }, 'dry_run is missing, or is not of the type boolean.')
  await refused({ ...good, [CANARY]: 1 }, 'The body has a member that this operation does not know.')
})

test('settings that are no scope, no map or no resource are refused', async () => {
  const scopeForm = 'is not 1 to 16 items of the form resource:action (or resource:*), separated by single spaces.'
  await refused({ ...good, scope: CANARY }, `scope ${scopeForm}`, 'invalid_scope')
  await refused(
    { ...good, default_scope: 'db:*' },
    'default_scope is not 1 to 16 items of the form resource:action, separated by single spaces.',
    'invalid_scope',
  )
  await refused({ ...good, scope_map: { read: CANARY } }, `scope_map has a value that ${scopeForm}`, 'invalid_scope')
  await refused(
    { ...good, resources: [CANARY] },
    'resources has one that is neither an absolute URI without a fragment nor *.',
    'invalid_target',
  )
  for (const uri of HOSTLESS) {
    const description = 'resources has one that is neither an absolute URI without a fragment nor *.'
    await refused({ ...good, resources: [uri] }, description, 'invalid_target')
  }
  const many = Array.from({ length: 65 }, (_, n) => `https://api.example/${n}`)
  await refused({ ...good, resources: many }, 'resources has more than 64 members.')
  const map = Object.fromEntries(many.flatMap(one => Array.from({ length: 16 }, (_, n) => [`${one}/${n}`, 'db:read'])))
  await refused({ ...good, scope_map: map }, 'scope_map has more than 1000 members.')
})

test('one client more than a request may hold is refused', async () => {
  const clients = Array.from({ length: IMPORTED_CLIENTS_MAX + 1 }, (_, n) => ({ clientId: `public-${n}` }))
  await refused({ source: 'keycloak', document: clients }, 'document holds more than 1000 clients: import it in parts.')
  const answer = await post({ source: 'keycloak', document: clients.slice(1) })
  assert.equal(answer.status, 200)
  assert.equal((answer.json as { data: readonly unknown[] }).data.length, IMPORTED_CLIENTS_MAX)
})

test('a body as long as may be is read, and one byte more is 413', async () => {
  const text = JSON.stringify({ source: 'keycloak', document: { ...realmExport(), padding: '' } })
  const fill = (bytes: number) => text.replace('"padding":""', `"padding":"${'x'.repeat(bytes - text.length)}"`)
  assert.equal((await postText(fill(IMPORT_BYTES_MAX))).status, 200)
  assert.equal((await postText(fill(IMPORT_BYTES_MAX + 1))).status, 413)
})

test('a body holds 500,000 values, also in what is passed over, and with one more it is 413', async () => {
  // Beside the others there are six: the body, its two members, those of the document, and the place in clients.
  const full = `{"source":"keycloak","document":{"clients":[],"other":[${Array.from({ length: 249_997 }, () => '{}').join()}]}}`
  assert.equal((await postText(full)).status, 200)
  const description = 'The body holds more than 500000 values: leave out what is no client, or import it in parts.'
  assertProblem(await postText(full.replace('[{}', '[0,{}')), 413, 'request_too_large', description)
})

test('a text that is taken apart has at most 1000 parts', async () => {
  const scope = (parts: number) => hydraRow('a', { grant_types: [], scope: 'x '.repeat(parts - 1) + 'x' })
  assert.equal((await post({ source: 'hydra', document: [scope(1000)] })).status, 200)
  await refused({ source: 'hydra', document: [scope(1001)] }, `document.0.scope ${WRONG}`)
  const audience = JSON.stringify(Array.from({ length: 1001 }, (_, n) => `https://${n}.example`))
  await refused({ source: 'hydra', document: [hydraRow('a', { audience })] }, `document.0.audience ${WRONG}`)
  const lifespan = '0'.repeat(65_537)
  const long = hydraRow('a', { client_credentials_grant_access_token_lifespan: lifespan })
  await refused({ source: 'hydra', document: [long] }, `document.0.${Object.keys(long).at(-2)} ${WRONG}`)
})

test('the resources of all agents together have 4 MiB at most', async () => {
  const resources = Array.from({ length: 64 }, (_, n) => `https://api.example/${n}/`.padEnd(512, 'x'))
  const body = (count: number) => ({
    source: 'keycloak',
    dry_run: true,
    document: Array.from({ length: count }, (_, n) => keycloakClient(`client-${n}`)),
    resources,
  })
  assert.equal((await post(body(128))).status, 200)
  const description = 'The resources of all agents have more than 4194304 characters: import the clients in parts.'
  assertProblem(await post(body(129)), 413, 'request_too_large', description)
})

test('of what is left out of a client the first hundred are listed', async () => {
  const scopes = Array.from({ length: 150 }, (_, n) => `scope-${n}`)
  const audience = scopes.map(one => `${one} of no address`)
  const client = hydraRow('a', { scope: scopes.join(' '), audience })
  const answer = await post({ source: 'hydra', dry_run: true, scope: 'db:read', document: [client] })
  assert.equal(answer.status, 200, answer.text)
  const [one] = (answer.json as { data: readonly { scopes_left_out: unknown; audiences_left_out: unknown }[] }).data
  assert.deepEqual(one?.scopes_left_out, scopes.slice(0, 100))
  assert.deepEqual(one?.audiences_left_out, audience.slice(0, 100))
})

test('who may not import hears so before the body is read', async () => {
  assert.equal(await statusBeforeBody(service, '/api/v1/imports', IMPORT_BYTES_MAX), 401)
})

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`

test('deep documents, names of prototypes and repeated members do no harm', async () => {
  const wrap = (text: string, members = '') => `{"source":"keycloak"${members},"document":${text}}`
  for (const depth of [1000, 400_000]) {
    assert.equal((await postText(wrap(nested(depth)))).status, 400)
    const passedOver = await postText(wrap(`{"clients":[],"other":${nested(depth)}}`))
    assert.equal(passedOver.status, 200, passedOver.text)
  }
  const escaped = '__proto\\u005f_'
  for (const name of ['__proto__', escaped]) {
    assert.equal(
      (await postText(wrap(`{"clients":[{"clientId":"a","${name}":{"serviceAccountsEnabled":true}}]}`))).status,
      400,
    )
    assert.equal((await postText(wrap('[]', `,"scope_map":{"${name}":"db:read"}`))).status, 400)
  }
  const names = ['constructor', 'toString', 'hasOwnProperty']
  const scopes = keycloakClient('x', { publicClient: true, defaultClientScopes: names })
  assert.equal((await post({ ...good, document: [scopes], scope_map: { constructor: 'db:read' } })).status, 200)
  const odd = await post({
    source: 'hydra',
    document: names.map(id => hydraRow(id, { grant_types: names, scope: 'toString' })),
  })
  assert.equal(odd.status, 200, odd.text)
})

test('a member given twice is refused by its name, in the document too, however it is spelled and how long the body is', async () => {
  const client = (members: string): string =>
    `{"source":"keycloak","document":{"clients":[{"clientId":"a",${members}}]}}`
  const secret = '"secret":"x","\\u0073ecret":"y"'
  for (const [body, member] of [
    ['{"source":"keycloak","source":"hydra","document":[]}', 'source'],
    ['{"source":"hydra","document":[],"dry_run":false,"dry_run":true}', 'dry_run'],
    ['{"source":"hydra","document":[],"scope_map":{"a":"db:read","a":"db:write"}}', 'scope_map.a'],
    [client(secret), 'document.clients.0.secret'],
    [client(`"pad":"${'x'.repeat(100_000)}",${secret}`), 'document.clients.0.secret'],
    [client(`"attributes":{"an odd name":1,"an odd name":2}`), 'A member'],
  ] as const) {
    const description = `${member} is given twice: give each member once.`
    assertProblem(await postText(body), 400, 'invalid_request', description)
  }
})

test('a client id that is as long as a body is repeated cut', async () => {
  const answer = await post({ source: 'keycloak', document: [keycloakClient('y'.repeat(100_000))] })
  const [one] = (answer.json as { data: readonly { client_id: string; reason: string }[] }).data
  assert.deepEqual([one?.reason, one?.client_id.length], ['client_id_malformed', 255])
})
