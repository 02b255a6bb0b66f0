// What node:sqlite does not check, and its callers rely on.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { type Database, openDatabase } from '../../../src/store/sqlite/connection/database.ts'

const openMemory = (t: TestContext): Database => {
  const db = openDatabase(':memory:')
  t.after(db.close)
  db.exec('create table thing (n integer, name text)')
  return db
}

test('a statement takes a value for each of its parameters, and none that SQLite has no type for', t => {
  const db = openMemory(t)
  const insert = db.prepare(`insert into thing values (?, ? || '?') -- ? /* ? */`)
  assert.deepEqual(insert.run(1, 'a'), { changes: 1 })
  for (const values of [[], [1], [1, 'a', 'b']]) assert.throws(() => insert.run(...values), RangeError)
  for (const value of [true, undefined, {}, [], new Date(), NaN, () => 1]) {
    assert.throws(() => insert.run(1, value), TypeError)
    // What comes first the module takes for the values of named parameters, if it is an object.
    assert.throws(() => insert.run(value, 'a'), TypeError)
  }
  assert.deepEqual(db.prepare('select n, name from thing').all(), [{ n: 1, name: 'a?' }])
  assert.deepEqual(db.prepareArrays('select n, name from thing').get(), [1, 'a?'])
})

test('one statement is prepared at a time', t => {
  const db = openMemory(t)
  assert.throws(() => db.prepare('delete from thing; drop table thing'), TypeError)
  assert.equal(db.prepare(`select ';' as text from thing; -- nothing more`).get(), undefined)
})

test('a transaction is done as a whole, or undone', t => {
  const db = openMemory(t)
  const insert = db.prepare('insert into thing values (?, null)')
  const fault = new Error('after the first')
  const half = (): void => {
    insert.run(1)
    throw fault
  }
  assert.throws(() => db.transaction(half), fault)
  assert.equal(db.inTransaction(), false)
  db.transaction(() => insert.run(2), 'begin immediate')
  assert.deepEqual(db.prepareArrays('select n from thing').all(), [[2]])
})
