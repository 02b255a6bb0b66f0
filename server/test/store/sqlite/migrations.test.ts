// The schema of the store: made once, brought forward whole or not at all, and refused in one line where it does not fit.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { Database } from '../../../src/store/sqlite/connection/database.ts'
import { TIMING } from '../../../src/ports/timing.ts'
import { StoreProblem } from '../../../src/store/store-problem.ts'
import {
  applyMigrations,
  MIGRATIONS,
  PROGRAM_VERSION,
  schemaVersionOf,
} from '../../../src/store/sqlite/schema/migrations.ts'
import { migrateSqliteStore, openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { createAgent, issue, KEEP_LONG, makeTestStore, START } from '../../../../testkit/stores/store.ts'
import { readRows, withFile } from '../../../../testkit/stores/store-file.ts'

const FIRST = { madeBy: 'migrate', now: START } as const

const makeFolder = (t: TestContext): string => {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-migrations-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const migrated = async (t: TestContext): Promise<string> => {
  const file = join(makeFolder(t), 'mintmark.db')
  await migrateSqliteStore({ file, timing: TIMING, ...FIRST })
  return file
}

/** One line for a person that names the file and says what is wrong. */
const problem = (pattern: RegExp) => (fault: unknown) =>
  fault instanceof StoreProblem && !fault.message.includes('\n') && pattern.test(fault.message)

const migrate = async (file: string) => migrateSqliteStore({ file, timing: TIMING, ...FIRST })
const open = (file: string) => openSqliteStore({ file, timing: TIMING, retention: KEEP_LONG })

const contentOf = (file: string) =>
  withFile(file, db => [
    db.prepare('select type, name, sql from sqlite_schema order by name').all(),
    db.prepare('select version, name, oldest_program, applied_at from migration').all(),
    db.prepare('select made_by, seq, clock_lease from service').all(),
  ])

test('migrating makes a store that opens, readable by its owner only', async t => {
  const file = join(makeFolder(t), 'mintmark.db')
  assert.deepEqual(await migrateSqliteStore({ file, timing: TIMING, madeBy: 'dev', now: START }), {
    from: 0,
    to: PROGRAM_VERSION,
  })
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const store = await open(file)
  assert.equal(store.madeBy, 'dev')
  assert.equal(await store.health.check(), null)
  await store.close()
  assert.deepEqual(
    readRows(file, 'select version, oldest_program as oldest, applied_at as at from migration order by version'),
    // The feed of a new store is open: no program that does not know it may use the store.
    MIGRATIONS.map(({ name, oldestProgram }, n) => ({
      version: n + 1,
      oldest: name === 'revocation feed' ? n + 1 : oldestProgram,
      at: START,
    })),
  )
})

test('migrating a store that is up to date changes nothing, whatever version made it', async t => {
  const file = await migrated(t)
  const before = contentOf(file)
  assert.deepEqual(await migrateSqliteStore({ file, timing: TIMING, madeBy: 'dev', now: START + 1 }), {
    from: PROGRAM_VERSION,
    to: PROGRAM_VERSION,
  })
  assert.deepEqual(contentOf(file), before)
})

test('a later migration is applied once, keeps what is there, and records itself', async t => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  const tokens = await issue(world.store, await createAgent(world.store), {})
  await world.store.close()
  const { oldestProgram } = withFile(world.file, schemaVersionOf)
  const later = Array.from({ length: PROGRAM_VERSION }, () => ({ name: 'earlier', sql: 'fail', oldestProgram: 1 }))
  const list = [...later, { name: 'a column', sql: 'alter table agent add column extra text', oldestProgram: 1 }]
  for (const _ of [1, 2]) withFile(world.file, db => applyMigrations(db, FIRST, list))
  assert.deepEqual(withFile(world.file, schemaVersionOf), { version: PROGRAM_VERSION + 1, oldestProgram })
  const { store, dispose } = await world.reopen(null) // yesterday's program on tomorrow's schema
  t.after(dispose)
  assert.deepEqual(
    (await store.ledger.find(tokens)).map(token => token?.dead),
    [false],
  )
})

const insertEnded = (db: Database, id: string, at: number): void => {
  const insert = `insert into ended (id, life, agent, cred, key, scope, aud, at, reason, act)
    values (?, 300, 1, 1, 1, 1, 1, ?, 2, 1)`
  db.prepare(insert).run(Buffer.from(id.repeat(16), 'hex'), at)
}

test('the minutes in which tokens ended are made from what is there, and kept whichever program ends one', t => {
  const file = join(makeFolder(t), 'mintmark.db')
  withFile(file, db => {
    applyMigrations(db, FIRST, MIGRATIONS.slice(0, 1))
    for (const [id, at] of [
      ['22', 119_999],
      ['44', 60_000],
      ['33', 61_000],
      ['11', 120_000],
    ] as const)
      insertEnded(db, id, at)
    applyMigrations(db, FIRST, MIGRATIONS.slice(0, 2))
  })
  const minutes = () =>
    readRows(file, 'select minute, hex(oldest) as oldest, hex(newest) as newest from ended_minute order by minute').map(
      ({ minute, oldest, newest }) => [minute, String(oldest).slice(0, 2), String(newest).slice(0, 2)],
    )
  assert.deepEqual(minutes(), [
    [1, '22', '44'],
    [2, '11', '11'],
  ])
  for (const [id, at] of [
    ['34', 119_000],
    ['10', 120_001],
    ['12', 179_999],
    ['50', 180_000],
  ] as const)
    withFile(file, db => insertEnded(db, id, at))
  assert.deepEqual(minutes(), [
    [1, '22', '44'],
    [2, '10', '12'],
    [3, '50', '50'],
  ])
})

test('the spans in which tokens of an audience set were issued are made from what is there, and kept whichever program issues or ends one', t => {
  const file = join(makeFolder(t), 'mintmark.db')
  const insertToken = (db: Database, id: string, aud: number): void => {
    const insert = `insert into token (life, id, digest, agent, cred, key, scope, aud, seq) values (300, ?, x'00', 1, 1, 1, 1, ?, 1)`
    db.prepare(insert).run(Buffer.from(id.repeat(16), 'hex'), aud)
  }
  withFile(file, db => {
    applyMigrations(db, FIRST, MIGRATIONS.slice(0, 10))
    for (const [id, aud] of [
      ['22', 7],
      ['44', 8],
    ] as const)
      insertToken(db, id, aud)
    insertEnded(db, '33', 1)
    applyMigrations(db, FIRST)
    for (const [id, aud] of [
      ['55', 7],
      ['66', 8],
    ] as const)
      insertToken(db, id, aud)
    insertEnded(db, '77', 2)
  })
  const spans = readRows(file, 'select aud, hex(span) as span from audience_span order by aud, span')
  assert.deepEqual(
    spans.map(({ aud, span }) => [aud, String(span)]),
    [
      [1, '333333'],
      [1, '777777'],
      [7, '222222'],
      [7, '555555'],
      [8, '444444'],
      [8, '666666'],
    ],
  )
})

test('a migration that fails leaves the store as it was, those before it included', async t => {
  const file = await migrated(t)
  const before = contentOf(file)
  const done = Array.from({ length: PROGRAM_VERSION }, () => ({ name: 'done', sql: 'fail', oldestProgram: 1 }))
  const good = { name: 'good', sql: 'create table good (n integer) strict', oldestProgram: 1 }
  const bad = { name: 'bad', sql: 'update service set seq = 99; insert into nowhere values (1)', oldestProgram: 1 }
  assert.throws(() => withFile(file, db => applyMigrations(db, FIRST, [...done, good, bad])), /nowhere/)
  assert.deepEqual(contentOf(file), before)
})

test('a first migration that fails leaves a file without a schema', t => {
  const file = join(makeFolder(t), 'mintmark.db')
  const bad = { name: 'bad', sql: 'create table half (n integer); create table half (n integer)', oldestProgram: 1 }
  assert.throws(() => withFile(file, db => applyMigrations(db, FIRST, [bad])), /half/)
  assert.deepEqual(readRows(file, 'select name from sqlite_schema'), [])
})

test('a store of a newer version that still allows this program opens', async t => {
  const file = await migrated(t)
  const insert = `insert into migration values (?, 'later', ?, ${START})`
  withFile(file, db => db.prepare(insert).run(PROGRAM_VERSION + 1, PROGRAM_VERSION))
  await (await open(file)).close()
})

test('a store of a newer version that does not allow this program is refused, and migrating it changes nothing', async t => {
  const file = await migrated(t)
  const insert = `insert into migration values (?, 'later', ?, ${START})`
  withFile(file, db => db.prepare(insert).run(PROGRAM_VERSION + 1, PROGRAM_VERSION + 1))
  const before = contentOf(file)
  await assert.rejects(open(file), problem(/mintmark\.db is of a newer version of Mintmark than this program/))
  await assert.rejects(migrate(file), problem(/mintmark\.db is of a newer version of Mintmark/))
  assert.deepEqual(contentOf(file), before)
})

test('a store that was never migrated is refused with the command that is missing', async t => {
  const folder = makeFolder(t)
  await assert.rejects(open(join(folder, 'none.db')), problem(/none\.db does not exist: run 'mintmark migrate' first/))
  assert.deepEqual(readdirSync(folder), [], 'looking for it makes nothing')
  const empty = join(folder, 'empty.db')
  writeFileSync(empty, '')
  await assert.rejects(open(empty), problem(/empty\.db is not set up yet: run 'mintmark migrate' first/))
})

test('a store of an older version is refused with the command that is missing', async t => {
  const file = await migrated(t)
  withFile(file, db => db.exec(`delete from migration where version = ${PROGRAM_VERSION}`))
  await assert.rejects(open(file), problem(/older version: run 'mintmark migrate' first/))
})

test('a file that is not a database is refused and stays as it is', async t => {
  const file = join(makeFolder(t), 'letter.db')
  writeFileSync(file, 'Dear Ada, '.repeat(500))
  await assert.rejects(open(file), problem(/letter\.db cannot be opened as a store \(file is not a database\)/))
  await assert.rejects(migrate(file), problem(/letter\.db cannot be opened as a store \(file is not a database\)/))
  assert.equal(statSync(file).size, 5000)
})

test('a folder in the place of the store is refused', async t => {
  const folder = join(makeFolder(t), 'mintmark.db')
  mkdirSync(folder)
  await assert.rejects(open(folder), problem(/mintmark\.db cannot be opened as a store/))
  await assert.rejects(migrate(folder), problem(/mintmark\.db cannot be opened as a store/))
})

test('a store in a folder that is missing, or is no folder, is refused', async t => {
  const folder = makeFolder(t)
  await assert.rejects(
    migrate(join(folder, 'missing', 'mintmark.db')),
    problem(/mintmark\.db cannot be written \(ENOENT\): make the folder exist and writable/),
  )
  writeFileSync(join(folder, 'file'), '')
  await assert.rejects(
    migrate(join(folder, 'file', 'mintmark.db')),
    problem(/mintmark\.db cannot be written \(ENOTDIR\): make the folder exist and writable/),
  )
})

/** Runs `work` as a user who owns nothing, where this one may write everywhere. */
const unprivileged = <T>(work: () => T): T => {
  if (process.getuid?.() !== 0) return work()
  process.seteuid?.(65_534)
  try {
    return work()
  } finally {
    process.seteuid?.(0)
  }
}

test('a folder that this user may not write is refused', async t => {
  const folder = makeFolder(t)
  chmodSync(folder, 0o555)
  await assert.rejects(
    unprivileged(() => migrate(join(folder, 'mintmark.db'))),
    problem(/mintmark\.db cannot be written \(EACCES\): make the folder exist and writable/),
  )
})

test('docs/development/embedded-store.md names every table and the columns of every index', async t => {
  const text = readFileSync(join(import.meta.dirname, '../../../../docs/development/embedded-store.md'), 'utf8')
  const file = await migrated(t)
  const made = `sqlite_schema where name not like 'sqlite_%'`
  const tables = readRows(file, `select name from ${made} and type = 'table'`)
  assert.ok(tables.length > 10)
  for (const { name } of tables) assert.ok(text.includes(`\`${String(name)}\``), `the table ${String(name)} is missing`)
  for (const { sql } of readRows(file, `select sql from ${made} and type = 'index'`)) {
    const [columns = ''] = /\([^)]*\)/.exec(String(sql)) ?? []
    assert.ok(text.includes(`${columns}\``) || text.includes(`\`${columns}`), `missing: ${String(sql)}`)
  }
})
