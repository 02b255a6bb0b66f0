// The commands that reach the store themselves, run as a person runs them on a PostgreSQL database.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { KEY, makeFolder, run, type Variables } from '../../../../testkit/commands/run-mintmark.ts'
import { keycloakClient, realmExport } from '../../../../testkit/callers/foreign-exports.ts'
import { databaseOf, makeTestDatabase, type TestDatabase } from '../../../../testkit/databases/postgres-cluster.ts'
import { addressOf } from '../../../../testkit/databases/postgres-store.ts'
import { issue } from '../../../../testkit/stores/store.ts'
import { countRows, readNumber, withFile } from '../../../../testkit/stores/store-file.ts'
import { TIMING } from '../../../src/ports/timing.ts'
import { openPostgresStore } from '../../../src/store/postgres/open.ts'
import { untilLeft } from '../../../../testkit/stores/store-alone.ts'

const OTHER_KEY = Buffer.alloc(32, 8).toString('base64')

const folder = makeFolder({ after: work => after(async () => void (await work())) })

let database: TestDatabase
let agent: { readonly agent_id: string; readonly client_id: string }
let tokenIds: readonly string[]

const variables = (more: Variables = {}): Variables => ({
  DATABASE_URL: database.url,
  MINTMARK_KEY_ENCRYPTION_KEY: KEY,
  MINTMARK_ALLOW_UNSAFE_DATABASE: 'fsync,full_page_writes',
  ...more,
})

const done = (args: readonly string[], more: Variables = {}): string => {
  const { status, stdout, stderr } = run(folder, args, variables(more))
  assert.equal(status, 0, stderr)
  return stdout
}

const json = (...args: readonly string[]): unknown => JSON.parse(done([...args, '--json']))

const dataOf = (...args: readonly string[]): readonly Record<string, unknown>[] =>
  (json(...args) as { data: readonly Record<string, unknown>[] }).data

/** Tokens as a service would issue them. */
const issueSome = async (): Promise<readonly string[]> => {
  const store = await openPostgresStore({
    address: await addressOf(databaseOf(database.url)),
    timing: TIMING,
    retention: null,
  })
  const credentialId = ''
  const { agent_id: id, client_id: clientId } = agent
  const issued = await issue(store, { id, clientId, credentialId }, {}, {}, {})
  await store.close()
  await untilLeft(database.url)
  return issued.map(token => token.id)
}

before(async () => {
  database = await makeTestDatabase()
  done(['migrate'])
  agent = json('agent', 'create', '--name', 'a', '--scope', 'db:read') as typeof agent
  tokenIds = await issueSome()
})

after(() => database.drop())

test('tokens are listed, shown, ended, and exported, and so is the history', () => {
  const [first = '', ...others] = tokenIds
  const listed = dataOf('token', 'list').map(token => token['id'])
  assert.deepEqual(new Set(listed), new Set(tokenIds))
  assert.equal(listed.length, tokenIds.length)
  done(['token', 'revoke', first, '--note', 'lost', '--yes'])
  assert.deepEqual(
    dataOf('token', 'history').map(token => [token['id'], token['termination_reason'], token['note']]),
    [[first, 'manual_revocation', 'lost']],
  )
  assert.match(done(['token', 'show', first]), /manual_revocation/)
  assert.deepEqual(
    ['export', 'export-history'].map(verb => done(['token', verb]).trim().split('\n').length),
    [others.length, 1],
  )
})

test('the audit log is listed, exported and checked, and what was refused is listed', () => {
  const entries = dataOf('audit', 'list')
  assert.equal(entries.length, countRows(database.url, 'audit'))
  assert.equal(done(['audit', 'export']).trim().split('\n').length, entries.length)
  assert.deepEqual(dataOf('audit', 'refusals'), [])
  assert.match(done(['audit', 'verify']), /There is no seal yet/)
})

test('clients of another server are imported', () => {
  const file = join(folder, 'realm.json')
  writeFileSync(file, JSON.stringify(realmExport(keycloakClient('from-there'))))
  done(['import', 'keycloak', file, '--scope', 'db:read'])
  assert.deepEqual(
    dataOf('agent', 'list').map(({ name }) => name),
    ['a', 'from-there'],
  )
  const imported = dataOf('agent', 'list').find(({ name }) => name === 'from-there')
  done(['agent', 'delete', String(imported?.['agent_id']), '--yes'])
})

test('the store is taken to another key-encryption key and back; the former one opens nothing then', () => {
  const both = { MINTMARK_KEY_ENCRYPTION_KEY: OTHER_KEY, MINTMARK_KEY_ENCRYPTION_KEY_OLD: KEY }
  assert.match(done(['key', 'reencrypt'], both), /^The store is sealed under the new key-encryption key/)
  assert.match(done(['key', 'reencrypt'], both), /^The store is sealed under this key-encryption key already/)
  assert.match(run(folder, ['migrate'], variables()).stderr, /^mintmark: Signing key .* is sealed under the key-enc/)
  done(['key', 'reencrypt'], { MINTMARK_KEY_ENCRYPTION_KEY_OLD: OTHER_KEY })
  done(['key', 'rotate', '--force'])
})

test('clock reset ends every token and sets a clock back that was carried ahead, and only with --yes', () => {
  withFile(database.url, db => db.exec('update service set clock_lease = clock_lease + 3600000'))
  assert.equal(run(folder, ['clock', 'reset'], variables()).status, 2)
  assert.match(done(['clock', 'reset', '--yes']), /every token that was alive has ended/)
  assert.equal(readNumber(database.url, 'select count(*) from service where clock_lease > mintmark_now()'), 0)
  assert.deepEqual(dataOf('token', 'list'), [])
  assert.equal(dataOf('token', 'history').length, tokenIds.length)
})
