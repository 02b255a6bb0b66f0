// mintmark doctor of a store on PostgreSQL.
import assert from 'node:assert/strict'
import { after, test, type TestContext } from 'node:test'
import { examine } from '../../../../testkit/commands/doctor.ts'
import {
  freePorts,
  makeFolder,
  run,
  serveVariables,
  type Variables,
} from '../../../../testkit/commands/run-mintmark.ts'
import { makeTestDatabase, runStatement } from '../../../../testkit/databases/postgres-cluster.ts'
import { addressOf, withConnection } from '../../../../testkit/databases/postgres-store.ts'
import { startIdentityProvider } from '../../../../testkit/identity-providers/identity-provider.ts'
import { TIMING } from '../../../src/ports/timing.ts'
import { applyMigrations, MIGRATIONS } from '../../../src/store/postgres/schema/migrations.ts'

const provider = await startIdentityProvider()
after(() => provider.close())

const makeDatabase = async (t: TestContext, how?: string) => {
  const { url, name, drop } = await makeTestDatabase(how)
  t.after(drop)
  const folder = makeFolder(t)
  const [port] = await freePorts()
  const variables: Variables = {
    ...serveVariables(port),
    MINTMARK_IDP_ISSUER: provider.issuer,
    MINTMARK_IDP_AUDIENCE: provider.audience,
    DATABASE_URL: url,
    MINTMARK_ALLOW_UNSAFE_DATABASE: 'fsync,full_page_writes',
  }
  const ask = (text: string) => runStatement(url, text)
  return {
    url,
    name,
    variables,
    ask,
    doctor: (more: Variables = {}) => examine(folder, { ...variables, ...more }),
    folder,
  }
}

const makeStore = async (t: TestContext, how?: string) => {
  const made = await makeDatabase(t, how)
  assert.equal(run(made.folder, ['migrate'], made.variables).status, 0)
  return made
}

const OF_THE_STORE = ['store', 'schema', 'collation', 'clock', 'key_encryption_key', 'suspensions']

const ORDERS = [
  ['of a language', `template template0 locale_provider icu icu_locale 'en-US' locale 'C'`],
  ['C', `template template0 locale_provider libc locale 'C'`],
] as const

for (const [order, how] of ORDERS) {
  test(`a store in a database whose order is ${order}: every check of it is ok, and nothing is changed`, async t => {
    const { doctor, ask } = await makeStore(t, how)
    const rows = `select (select row_to_json(service) from service) as service, (select count(*) from audit) as audit,
      (select count(*) from pg_class) as tables`
    const before = await ask(rows)
    const { exitCode, statuses, messages } = await doctor()
    assert.equal(exitCode, 0)
    for (const name of OF_THE_STORE) assert.equal(statuses[name], 'ok', name)
    assert.match(messages('store').join(), /^The database test_\w+ can be read \(PostgreSQL \d+/)
    assert.match(messages('disk_space').join(), /cannot be seen from here/)
    assert.deepEqual(await ask(rows), before)
  })
}

test('a database without a store, and one of an older version, need mintmark migrate', async t => {
  const { doctor, name } = await makeDatabase(t)
  const empty = await doctor()
  assert.equal(empty.exitCode, 1)
  assert.deepEqual(empty.messages('schema'), ['The store has no tables yet. Run `mintmark migrate`.'])
  const address = await addressOf(name)
  const options = { madeBy: 'migrate', now: Date.now(), timing: TIMING, migrations: MIGRATIONS.slice(0, 1) } as const
  await withConnection(address, connection => applyMigrations(connection, options))
  const older = await doctor()
  assert.equal(older.statuses['store'], 'ok')
  assert.match(
    older.messages('schema').join(),
    new RegExp(`^The store is at version 1, and this program needs ${MIGRATIONS.length}\\. Make a backup, and run`),
  )
  for (const check of ['collation', 'clock', 'key_encryption_key'])
    assert.equal(older.statuses[check], 'warning', check)
})

test('each column with another order than that of bytes is a problem with the statement that corrects it', async t => {
  const { doctor, ask } = await makeStore(t)
  await ask('alter table api_key alter name type text collate "en-x-icu"')
  await ask('alter table agent alter owner type text collate "en-x-icu"')
  const { exitCode, messages, checks } = await doctor()
  assert.equal(exitCode, 1)
  assert.equal(checks.find(({ name }) => name === 'collation')?.findings.length, 2)
  const remedies = messages('collation').map(text => /Run: (alter table .*)\.$/.exec(text)?.[1] ?? '')
  for (const remedy of remedies) await ask(remedy)
  assert.equal((await doctor()).statuses['collation'], 'ok')
})

test('a role that may make functions where the service looks for them is a warning with the statement that ends it', async t => {
  const { doctor, ask } = await makeStore(t)
  await ask('grant create on schema public to public')
  const { messages, statuses } = await doctor()
  assert.equal(statuses['schema'], 'warning')
  const [message = ''] = messages('schema')
  assert.match(message, /^Every role may make functions in the schema public of the store/)
  await ask(/Run: (revoke .*)\.$/.exec(message)?.[1] ?? '')
  assert.equal((await doctor()).statuses['schema'], 'ok')
})

test('a clock of the database that is off is a warning, and from a minute on a problem', async t => {
  const { doctor, ask } = await makeStore(t)
  const shift = (ms: number) =>
    ask(`create or replace function mintmark_now() returns bigint language sql stable as
      'select (extract(epoch from clock_timestamp()) * 1000)::bigint + (${ms})'`)
  await shift(20_000)
  const ahead = await doctor()
  assert.match(
    ahead.messages('clock').join(),
    /^The clock of this machine is 20 s behind the clock of the store\. Run NTP/,
  )
  assert.deepEqual([ahead.exitCode, ahead.statuses['clock']], [0, 'warning'])
  await shift(-20_000)
  assert.match((await doctor()).messages('clock').join(), /is 20 s ahead of the clock of the store\./)
  await shift(90_000)
  assert.equal((await doctor()).statuses['clock'], 'problem')
})

test('what the service refuses of a database is a problem of the store', async t => {
  const { doctor } = await makeStore(t)
  const unsafe = await doctor({ MINTMARK_ALLOW_UNSAFE_DATABASE: '' })
  assert.match(
    unsafe.messages('store').join(),
    /^The database runs with fsync=off, and what was acknowledged would not survive a crash\. Switch it on, or allow/,
  )
  const { messages, statuses } = await doctor({ MINTMARK_KEY_ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('base64') })
  assert.match(messages('key_encryption_key').join(), /is sealed under the key-encryption key/)
  assert.equal(statuses['key_encryption_key'], 'problem')
})

test('a part of a store that is being copied is a problem of the store', async t => {
  const { doctor, ask } = await makeStore(t)
  await ask('create table copying (one integer)')
  assert.match(
    (await doctor()).messages('store').join(),
    /holds a part of a store that is being copied into it\. Run 'mintmark migrate-store --finish'/,
  )
})
