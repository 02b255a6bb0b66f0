// Statement programs on SQLite: each statement is asked for as its program wants it, and a hint becomes what it means there.
import { test } from 'node:test'
import {
  type Database,
  openDatabase,
  runProgram,
  sqliteText,
  statementsOf,
} from '../../../src/store/sqlite/connection/database.ts'
import { all, asBytes, byIndex, first, given, only, run, type Program } from '../../../src/store/statement-program.ts'
import assert from 'node:assert/strict'

type Thing = { readonly n: number; readonly name: string }

const withThings = (work: (perform: <T>(program: Program<T>) => T, db: Database) => void): void => {
  const db = openDatabase(':memory:')
  try {
    db.exec('create table thing (n integer primary key, name text); create index thing_name on thing (name)')
    work(program => runProgram(statementsOf(db), program), db)
  } finally {
    db.close()
  }
}

const INSERT = 'insert into thing (name) values (?) returning n'

function* makeTwo(one: string, two: string): Program<readonly Thing[]> {
  const { n } = yield* only<{ n: number }>(INSERT, one)
  yield* run('update thing set name = ? where n = ?', `${one} ${n}`, n)
  yield* only<{ n: number }>(INSERT, two)
  return yield* all<Thing>('select n, name from thing order by n')
}

test('a script is given the answer to each of its statements, in order', () =>
  withThings(perform => {
    assert.deepEqual(perform(makeTwo('a', 'b')), [
      { n: 1, name: 'a 1' },
      { n: 2, name: 'b' },
    ])
  }))

test('a script gets all rows, the first one, or how many it changed', () =>
  withThings(perform => {
    perform(makeTwo('a', 'b'))
    const select = 'select n from thing order by n desc'
    assert.deepEqual(perform(all(select)), [{ n: 2 }, { n: 1 }])
    assert.deepEqual(perform(first(select)), { n: 2 })
    assert.equal(perform(first('select n from thing where n > ?', 2)), undefined)
    assert.equal(perform(run('update thing set name = ?', 'c')), 2)
    assert.equal(perform(given('nothing asked')), 'nothing asked')
  }))

test('a script that must have a row throws where there is none', () =>
  withThings(perform => {
    assert.throws(() => perform(only('select n from thing')), /no row for: select n from thing/)
  }))

test('a fault of a statement ends the script: it cannot go on as if nothing were', () =>
  withThings(perform => {
    let wentOn = false
    function* work(): Program<void> {
      try {
        yield* run('insert into nowhere values (1)')
      } finally {
        wentOn = true
      }
    }
    assert.throws(() => perform(work()), /no such table: nowhere/)
    assert.equal(wentOn, false)
  }))

test('hints become an index to scan, and the bytes of a column', () =>
  withThings((perform, db) => {
    const select = `select n from thing ${byIndex('thing_name')} where name > ?`
    const [step] = db.prepare<{ detail: string }>(`explain query plan ${sqliteText(select)}`).all('')
    assert.match(step?.detail ?? '', /USING COVERING INDEX thing_name/)
    perform(run('insert into thing (name) values (?)', 'é'))
    const row = perform(first<{ name: Uint8Array }>(`select ${asBytes('name')} from thing`))
    assert.deepEqual(row?.name, new TextEncoder().encode('é'))
  }))
