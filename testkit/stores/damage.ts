// A table that the store itself refuses, as where its disk has lost a page, while the rest of the store is well.
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { isDatabaseUrl } from '../databases/postgres-cluster.ts'
import { execBeside, readNumber, withFile } from './store-file.ts'

const TRIGGER = 'damaged'

/** What PostgreSQL says of a broken page. */
const refuseTable = (url: string, table: string) => {
  withFile(url, db =>
    db.exec(`create or replace function ${TRIGGER}() returns trigger language plpgsql as
      $$ begin raise exception 'invalid page in block 0' using errcode = 'data_corrupted'; end $$;
      create trigger ${TRIGGER} before insert or update or delete on ${table} for each statement execute function ${TRIGGER}()`),
  )
  return () => execBeside(url, `drop trigger ${TRIGGER} on ${table}`)
}

const swapPage = (file: string, position: number, page: Uint8Array): Uint8Array => {
  const handle = openSync(file, 'r+')
  try {
    const before = new Uint8Array(page.length)
    readSync(handle, before, 0, page.length, position)
    writeSync(handle, page, 0, page.length, position)
    return before
  } finally {
    closeSync(handle)
  }
}

const breakPage = (file: string, table: string) => {
  const size = readNumber(file, 'select page_size from pragma_page_size')
  const root = readNumber(file, `select rootpage from sqlite_schema where name = '${table}'`)
  withFile(file, db => db.pragma('wal_checkpoint(truncate)'))
  const position = (root - 1) * size
  const before = swapPage(file, position, new Uint8Array(size).fill(255))
  return () => {
    swapPage(file, position, before)
    // A commit of another connection lets the others read the page again.
    withFile(file, db => db.exec('update service set last_at = last_at + 1'))
  }
}

/** Damages a table; call it while no process has the store open. It returns the repair. */
export const damageTable =
  (table: string) =>
  (file: string): (() => Promise<void> | void) =>
    isDatabaseUrl(file) ? refuseTable(file, table) : breakPage(file, table)
