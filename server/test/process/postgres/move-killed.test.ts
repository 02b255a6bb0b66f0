// mintmark migrate-store as a person runs it: killed at any point it goes on where it was, and what it prints says what to do.
import { TIMING } from '../../../src/ports/timing.ts'
import { TABLES } from '../../../src/store/tables.ts'
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { migratePostgresStore } from '../../../src/store/postgres/schema/migrate.ts'
import { KEY, makeFolder, PROGRAM, run, type Variables } from '../../../../testkit/commands/run-mintmark.ts'
import { makeTestDatabase, runStatement } from '../../../../testkit/databases/postgres-cluster.ts'
import { addressOf } from '../../../../testkit/databases/postgres-store.ts'
import { withFile } from '../../../../testkit/stores/store-file.ts'

const FROM = ['migrate-store', '--from', 'sqlite:.mintmark/mintmark.db']
const VARIABLES: Variables = {
  MINTMARK_KEY_ENCRYPTION_KEY: KEY,
  MINTMARK_ALLOW_UNSAFE_DATABASE: 'fsync,full_page_writes',
}

/** A store with tokens, and a database without rows. */
const makeWorld = async (t: TestContext) => {
  const [folder, database] = [makeFolder(t), await makeTestDatabase()]
  t.after(database.drop)
  const done = (args: readonly string[], variables: Variables = {}): string => {
    const { status, stdout, stderr } = run(folder, args, { ...VARIABLES, ...variables })
    assert.equal(status, 0, stderr)
    return stdout
  }
  done(['migrate'])
  done(['agent', 'create', '--name', 'a', '--scope', 'db:read'])
  withFile(join(folder, '.mintmark/mintmark.db'), db => {
    db.exec(`with recursive c(i) as (select 1 union all select i + 1 from c where i < 3000)
      insert into token select 60, unhex(printf('019aa5a0%04x7c1e9d0f2b1a7c3e9a10', i)), randomblob(16), 1, 1, 1, 1, 1, 1, null, null, null from c`)
  })
  return { folder, url: database.url, address: await addressOf(database.name), done }
}

const WAITS = 'select count(*)::int as n from pg_locks where not granted and relation = '

/** Kills the command while it waits for this table, which it needs. */
const killAt = async (folder: string, url: string, table: string, args: readonly string[]): Promise<void> => {
  const owner = new pg.Client({ connectionString: url })
  await owner.connect()
  await owner.query(`begin; lock table ${table} in access exclusive mode`)
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: folder, env: { ...VARIABLES }, stdio: 'ignore' })
  const ended = once(child, 'close')
  const isWaiting = async (): Promise<boolean> =>
    (await runStatement(url, `${WAITS}'${table}'::regclass`))[0]?.['n'] === 1
  while (child.exitCode === null && !(await isWaiting())) await delay(10)
  child.kill('SIGKILL')
  await ended
  await owner.end()
  assert.equal(child.signalCode, 'SIGKILL')
}

test('a move that is killed goes on where it was, before the end and in the middle of it', async t => {
  const { folder, url, address, done } = await makeWorld(t)
  await migratePostgresStore({ address, timing: TIMING, madeBy: 'migrate', now: Date.now() })
  const copy = [...FROM, '--to', url]
  for (const table of ['credential', 'ended', 'seal']) await killAt(folder, url, table, copy)
  const unfinished = run(folder, ['agent', 'list'], { ...VARIABLES, DATABASE_URL: url })
  assert.equal(unfinished.status, 1)
  assert.match(
    unfinished.stderr,
    /holds a part of a store that is being copied into it: run 'mintmark migrate-store --finish'/,
  )
  assert.match(done(copy), /has what the store has by now: .*\nStop the service, and run this again with --finish;/)
  done(['agent', 'create', '--name', 'b', '--scope', 'db:read'])
  done(copy)
  // Nothing has changed since, so that this is the last thing to be written: the file is marked by then.
  await killAt(folder, url, 'given', [...copy, '--finish', '--yes'])
  const marked = run(folder, ['agent', 'list'], VARIABLES)
  assert.deepEqual([marked.status, /was copied into a database/.test(marked.stderr)], [1, true])
  assert.match(
    done([...copy, '--finish', '--yes']),
    new RegExp(`^The database test_\\w+ is the store: 3,0\\d\\d rows in ${TABLES.length} tables compared`),
  )
  assert.match(done(['agent', 'list'], { DATABASE_URL: url }), /\bb\b/)
  assert.match(done(['audit', 'verify'], { DATABASE_URL: url }), /There is no seal yet/)
  assert.deepEqual(await runStatement(url, 'select count(*)::int as n from token'), [{ n: 3000 }])
})

test('with --json nothing but one record is printed, and DATABASE_URL may name the database', async t => {
  const { url, done } = await makeWorld(t)
  const record = JSON.parse(done([...FROM, '--finish', '--yes', '--json'], { DATABASE_URL: url })) as {
    readonly tables: readonly { readonly table: string; readonly rows: number; readonly sha256: string }[]
  }
  const { tables, ...rest } = record
  assert.deepEqual(rest, { finished: true, rows: tables.reduce((sum, { rows }) => sum + rows, 0), changed: 0 })
  assert.deepEqual([tables.length, tables.find(({ table }) => table === 'token')?.rows], [TABLES.length, 3000])
  assert.ok(tables.every(({ sha256 }) => /^[0-9a-f]{64}$/.test(sha256)))
})

test('a password in --to is refused with a line that says where it belongs, and no line repeats it', async t => {
  const { folder, url } = await makeWorld(t)
  const refused = (args: readonly string[], variables: Variables = {}): string => {
    const { status, stdout, stderr } = run(folder, [...FROM, ...args], { ...VARIABLES, ...variables })
    assert.deepEqual([status, stdout], [1, ''])
    assert.doesNotMatch(stderr, /hunter2/)
    return stderr
  }
  const withPassword = url.replace('mintmark@', 'mintmark:hunter2@')
  assert.match(refused(['--to', withPassword]), /--to holds a password, .*; expected it in PGPASSWORD, PGPASSWORD_FILE/)
  assert.match(refused(['--to', 'mysql://u:hunter2@h/d']), /--to cannot be read as the address of a database/)
  assert.match(refused([]), /No database is named; expected --to postgres:/)
  assert.match(refused([], { DATABASE_URL: 'sqlite:a.db' }), /No database is named/)
  assert.match(refused(['--to', 'postgres://u@db.example/d?sslmode=require']), /--to asks for an sslmode that does not/)
  const both = { PGPASSWORD: 'hunter2', PGPASSWORD_FILE: 'x' }
  assert.match(refused(['--to', url], both), /PGPASSWORD and PGPASSWORD_FILE are both set/)
  const asked = run(folder, [...FROM, '--to', url, '--finish'], VARIABLES)
  assert.equal(asked.status, 2)
  assert.match(asked.stderr, /nothing serves .*mintmark\.db afterwards\. If that is meant, run it again with --yes/)
})

test('what was begun is abandoned, and the store keeps no log', async t => {
  const { url, done } = await makeWorld(t)
  assert.match(done([...FROM, '--abandon']), /was not being copied/)
  done([...FROM, '--to', url])
  assert.deepEqual(JSON.parse(done([...FROM, '--abandon', '--json'])), { abandoned: true })
})
