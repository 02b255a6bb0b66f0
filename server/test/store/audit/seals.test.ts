// The seals of the audit log: what was done to it, anywhere in 3,000 entries, is found and named.
import { before, test } from 'node:test'
import { type Database, runProgram, statementsOf } from '../../../src/store/sqlite/connection/database.ts'
import type { Tampering } from '../../../../api/values/audit.ts'
import type { AuditVerdict, KnownSeal } from '../../../src/domain/audit/seal.ts'
import { auditSealKey } from '../../../src/keys/at-rest/sealed-bytes.ts'
import { TIMING } from '../../../src/ports/timing.ts'
import { ENTRY_COLUMNS } from '../../../src/store/audit/seal-chain.ts'
import { isSealDue, sealStep } from '../../../src/store/audit/seals.ts'
import { lastGiven, writingConnection } from '../../../src/store/sqlite/connection/transaction.ts'
import { checkAudit } from '../../../src/store/offline/sqlite/verify-audit.ts'
import { START } from '../../../../testkit/stores/store.ts'
import { inTransaction } from '../../../../testkit/stores/store-file.ts'
import { checkByParts, comparable } from './check-by-parts.ts'
import { makeSealedLog, openImage, type SealedLog } from './sealed-log.ts'
import assert from 'node:assert/strict'
import fc from 'fast-check'

const ENTRIES = 3000
const KEY = auditSealKey(new Uint8Array(32).fill(7))
const OTHER_KEY = auditSealKey(new Uint8Array(32).fill(8))
const UNKNOWN: KnownSeal = { number: null, head: null }
const UNSEALED = 5

let log: SealedLog

before(async () => {
  log = await makeSealedLog(ENTRIES, UNSEALED, KEY)
})

let checks = 0
/** One check in so many is made by parts too. */
const BY_PARTS_EACH = 8

/** Does something to a copy of the store, as who can write the file could, and checks it. */
const checkAfter = (
  tamper: (db: Database) => void,
  { key = KEY, known = UNKNOWN }: { readonly key?: Uint8Array; readonly known?: KnownSeal } = {},
): AuditVerdict => {
  const db = openImage(log.image)
  try {
    tamper(db)
    const verdict = checkAudit(db, { key, known })
    checks += 1
    if (known === UNKNOWN && checks % BY_PARTS_EACH === 1)
      assert.deepEqual(runProgram(statementsOf(db), checkByParts(key, lastGiven)), comparable(verdict))
    return verdict
  } finally {
    db.close()
  }
}

const assertFound = (verdict: AuditVerdict, entry: number, ...tamperings: readonly Tampering[]): void => {
  assert.ok(!verdict.good, 'it was not found')
  assert.equal(verdict.entry, entry, verdict.because)
  assert.ok(tamperings.includes(verdict.tampering), `${verdict.tampering}: ${verdict.because}`)
}

const firstOfSeal = (n: number): number => log.seals.find(seal => seal.n === n)?.first ?? 0

const flip = (bytes: Uint8Array, position: number): Buffer => {
  const flipped = Buffer.from(bytes)
  const at = Math.floor(position / 8) % flipped.length
  flipped[at] = (flipped[at] ?? 0) ^ (1 << (position % 8))
  return flipped
}

/** Flips one bit of a text or a blob, moves a number, and gives null a value. */
const flipIn = (
  db: Database,
  { table, n, column, bit }: { table: string; n: number; column: string; bit: number },
): void => {
  const select = `select typeof(${column}) as type, cast(${column} as blob) as bytes, ${column} as value from ${table} where n = ?`
  const row = db.prepare<{ type: string; bytes: Buffer; value: unknown }>(select).get(n)
  if (row === undefined) throw new Error(`There is no row ${n}.`)
  const set = (value: string, ...values: readonly unknown[]) =>
    db.prepare(`update ${table} set ${column} = ${value} where n = ?`).run(...values, n)
  if (row.type === 'null') set(`''`)
  else if (row.type === 'integer') set(column === 'n' ? `${column} + 1000000` : `${column} + 1`)
  else
    set(row.type === 'text' ? 'cast(? as text)' : '?', row.bytes.length === 0 ? Buffer.from('x') : flip(row.bytes, bit))
}

/** Seals what waits for it, as the service would. */
const sealAll = (db: Database, key: Uint8Array): void => {
  const connection = writingConnection(db, () => START, { timing: TIMING })
  while (runProgram(connection.sql, isSealDue({ bytes: key, keyEncryptionKeyId: 'test' }))) {
    inTransaction(connection, tx => sealStep(tx, key))
  }
}

const position = fc.integer({ min: 1, max: ENTRIES })
const sealNumber = fc.nat().map(random => log.seals[random % log.seals.length]?.n ?? 1)
const bit = fc.nat({ max: 10_000 })

// Prints its seed where it fails.
const always = (property: fc.IRawProperty<unknown>, numRuns: number): void => void fc.assert(property, { numRuns })

test('a log that nobody touched is good: entries, seals, the last head, and what is not sealed yet', () => {
  assert.deepEqual(
    checkAfter(() => undefined),
    { good: true, entries: ENTRIES, seals: log.logged.length, last: log.logged.at(-1), unsealed: UNSEALED },
  )
  assert.equal(
    log.logged.reduce((sum, { count }) => sum + count, 0),
    ENTRIES,
  )
})

test('a bit that was flipped in any column of any entry is found, and the entry named', () => {
  always(
    fc.property(position, fc.constantFrom(...ENTRY_COLUMNS), bit, (n, column, flipped) => {
      const verdict = checkAfter(db => flipIn(db, { table: 'audit', n, column, bit: flipped }))
      assertFound(verdict, n, column === 'n' ? 'removed' : 'changed')
    }),
    60,
  )
})

test('every column of the table is sealed, and flipped bytes that no text has are seen too', () => {
  const db = openImage(log.image)
  const columns = db.prepare<{ name: string }>(`select name from pragma_table_info('audit')`).all()
  db.close()
  assert.deepEqual(columns.map(({ name }) => name).toSorted(), [...ENTRY_COLUMNS].toSorted())
  const writeNote = (note: string) => (copy: Database) =>
    copy.exec(`update audit set note = cast(x'${note}' as text) where n = 2000`)
  assertFound(checkAfter(writeNote('FF')), 2000, 'changed')
})

test('an entry that was removed anywhere is named', () => {
  always(
    fc.property(position, n => {
      assertFound(
        checkAfter(db => void db.prepare('delete from audit where n = ?').run(n)),
        n,
        'removed',
      )
    }),
    25,
  )
})

test('an entry that was removed, with all after it moved up by one, is named', () => {
  always(
    fc.property(position, n => {
      const verdict = checkAfter(db => {
        db.prepare('delete from audit where n = ?').run(n)
        db.prepare('update audit set n = -n where n > ?').run(n)
        db.exec('update audit set n = -n - 1 where n < 0')
      })
      assertFound(verdict, n, 'changed', 'removed')
    }),
    10,
  )
})

test('of two entries that were swapped the first is named', () => {
  always(
    fc.property(fc.uniqueArray(position, { minLength: 2, maxLength: 2 }), ([a = 1, b = 2]) => {
      const verdict = checkAfter(db => {
        const move = db.prepare('update audit set n = ? where n = ?')
        move.run(-1, a)
        move.run(a, b)
        move.run(b, -1)
      })
      assertFound(verdict, Math.min(a, b), 'changed')
    }),
    25,
  )
})

test('an end that was cut off is named by its first entry: under its seals, and after the last of them', () => {
  always(
    fc.property(position, n => {
      assertFound(
        checkAfter(db => void db.prepare('delete from audit where n >= ?').run(n)),
        n,
        'removed',
      )
    }),
    15,
  )
  for (const n of [ENTRIES + 1, ENTRIES + UNSEALED]) {
    assertFound(
      checkAfter(db => void db.prepare('delete from audit where n >= ?').run(n)),
      n,
      'cut_off',
    )
  }
  assertFound(
    checkAfter(db => void db.prepare('delete from audit where n = ?').run(ENTRIES + 2)),
    ENTRIES + 2,
    'removed',
  )
})

const cutWithSeals = (seal: number) => (db: Database) => {
  db.prepare('delete from audit where n >= ?').run(firstOfSeal(seal))
  db.prepare('delete from seal where n >= ?').run(seal)
}

test('an end that was cut off together with its seals is named by what the store has numbered', () => {
  always(
    fc.property(sealNumber, n => {
      assertFound(checkAfter(cutWithSeals(n)), firstOfSeal(n), 'unsealed')
    }),
    10,
  )
})

test('where the numbering was set back too, a head or the number of a seal from the log of the service finds it', () => {
  const [last] = log.logged.slice(-1)
  assert.ok(last)
  const cut = (db: Database): void => {
    cutWithSeals(last.number - 3)(db)
    db.exec(`update sqlite_sequence set seq = (select max(n) from audit) where name = 'audit'`)
    db.exec(`update sqlite_sequence set seq = (select max(n) from seal) where name = 'seal'`)
  }
  const entry = firstOfSeal(last.number - 3)
  assert.equal(checkAfter(cut).good, true, 'the file alone does not show it')
  for (const known of [{ ...UNKNOWN, head: last.head }, { ...UNKNOWN, number: last.number }, last]) {
    assertFound(checkAfter(cut, { known }), entry, 'cut_off')
  }
  const untouched = { key: KEY, known: last }
  assert.equal(checkAfter(() => undefined, untouched).good, true)
  const [first] = log.logged
  assert.ok(first)
  assert.equal(checkAfter(() => undefined, { known: first }).good, true, 'an older one is as good')
  assert.equal(checkAfter(() => undefined, { known: { number: first.number, head: last.head } }).good, false)
})

test('a seal of which any column was changed is found, and the first entry that it covers named', () => {
  const columns = ['n', 'first_n', 'last_n', 'entries', 'head', 'marks', 'mac', 'at']
  always(
    fc.property(sealNumber, fc.constantFrom(...columns), bit, (n, column, flipped) => {
      const verdict = checkAfter(db => flipIn(db, { table: 'seal', n, column, bit: flipped }))
      assertFound(verdict, firstOfSeal(n), 'unsealed')
    }),
    40,
  )
})

test('a seal that was removed is found, the last one too, also once the service has sealed anew', () => {
  const remove = (n: number) => (db: Database) => void db.prepare('delete from seal where n = ?').run(n)
  always(
    fc.property(sealNumber, n => {
      assertFound(checkAfter(remove(n)), firstOfSeal(n), 'unsealed')
    }),
    10,
  )
  const last = log.seals.at(-1)?.n ?? 0
  assertFound(checkAfter(remove(last)), firstOfSeal(last), 'unsealed')
  const resealed = (db: Database): void => {
    remove(last)(db)
    sealAll(db, KEY)
  }
  assertFound(checkAfter(resealed), firstOfSeal(last), 'unsealed')
})

test('entries that were changed and sealed anew under another key are not good', () => {
  const forge = (db: Database): void => {
    db.exec(`update audit set subject = 'somebody else' where n = 700`)
    db.exec('delete from seal where last_n >= 700')
    db.exec(`update sqlite_sequence set seq = (select max(n) from seal) where name = 'seal'`)
    sealAll(db, OTHER_KEY)
  }
  assertFound(checkAfter(forge), log.seals.find(({ last }) => last >= 700)?.first ?? 0, 'unsealed')
})

test('a process with another key-encryption key than the store is sealed under seals nothing', () => {
  const { sql, db } = writingConnection(openImage(log.image), () => START, { timing: TIMING })
  const due = (keyEncryptionKeyId: string): boolean => runProgram(sql, isSealDue({ bytes: KEY, keyEncryptionKeyId }))
  assert.deepEqual([due('test'), due('another')], [true, false])
  db.close()
})

test('an entry that was put in before the first is found', () => {
  const verdict = checkAfter(db => {
    db.exec(`insert into audit (n, at, kind, actor, detail) values (-3, 1, 'agent.create', '{"type":"system"}', '{}')`)
  })
  assertFound(verdict, -3, 'added')
})
