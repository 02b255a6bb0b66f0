// The seals of the audit log of a database: what who can write to it did to the log is found and named. What the embedded
// store is asked in thousands of places is asked here once in each column, and of PostgreSQL's own numbering.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Tampering } from '../../../../api/values/audit.ts'
import type { AuditVerdict, KnownSeal } from '../../../src/domain/audit/seal.ts'
import { auditSealKey } from '../../../src/keys/at-rest/sealed-bytes.ts'
import { ENTRY_COLUMNS } from '../../../src/store/audit/seal-chain.ts'
import { sealStep } from '../../../src/store/audit/seals.ts'
import { beginCheck } from '../../../src/store/offline/verify-audit.ts'
import type { Connection } from '../../../src/store/postgres/connection/connection.ts'
import { runner } from '../../../src/store/postgres/connection/run-program.ts'
import { lastGiven } from '../../../src/store/postgres/writer/open-transaction.ts'
import type { Program } from '../../../src/store/statement-program.ts'
import { audit, type Transaction } from '../../../src/store/transaction.ts'
import { databaseOf } from '../../../../testkit/databases/postgres-cluster.ts'
import { addressOf, withConnection } from '../../../../testkit/databases/postgres-store.ts'
import { act, makeTestStore, type TestStore } from '../../../../testkit/stores/store.ts'
import { checkByParts, comparable } from '../../store/audit/check-by-parts.ts'
import { inTransaction, withWritingConnection } from '../../../../testkit/stores/store-file.ts'

process.env['MINTMARK_TEST_STORE'] = 'postgres'

const KEY = auditSealKey(new Uint8Array(32).fill(7))
const UNKNOWN: KnownSeal = { number: null, head: null }
const SEALED = [5, 1, 20, 9]
const ENTRIES = 1 + SEALED.reduce((sum, count) => sum + count, 0)
const UNSEALED = 3

let world: TestStore

function* writeEntries(tx: Transaction, count: number): Program<void> {
  for (let n = 0; n < count; n += 1) {
    const done = { ...act('agent.disable', `Nöte ${n}`), source: '192.0.2.1' as const }
    yield* audit(tx, done, `agent-${n}`, { n })
  }
}

before(async () => {
  world = await makeTestStore(null)
  withWritingConnection(world, connection => {
    for (const count of SEALED) {
      inTransaction(connection, tx => writeEntries(tx, count))
      inTransaction(connection, tx => sealStep(tx, KEY))
    }
    inTransaction(connection, tx => writeEntries(tx, UNSEALED))
  })
})

after(() => world.dispose())

const check = async (connection: Connection, known: KnownSeal): Promise<AuditVerdict> => {
  const { step } = beginCheck({ key: KEY, known }, lastGiven)
  for (;;) {
    const verdict = await runner.runProgram(connection, step())
    if (verdict !== 'more') return verdict
  }
}

/** Checks the log as it is after these statements, and takes them back. */
const checkAfter = async (statements: string, known = UNKNOWN): Promise<AuditVerdict> =>
  withConnection(await addressOf(databaseOf(world.file)), async connection => {
    await connection.ask({ text: 'begin' })
    if (statements !== '') await connection.ask({ text: statements })
    const verdict = await check(connection, known)
    const byParts = await runner.runProgram(connection, checkByParts(KEY, lastGiven))
    if (known === UNKNOWN) assert.deepEqual(byParts, comparable(verdict))
    await connection.ask({ text: 'rollback' })
    return verdict
  })

const assertFound = (verdict: AuditVerdict, entry: number, ...tamperings: readonly Tampering[]): void => {
  assert.ok(!verdict.good, 'it was not found')
  assert.equal(verdict.entry, entry, verdict.because)
  assert.ok(tamperings.includes(verdict.tampering), `${verdict.tampering}: ${verdict.because}`)
}

test('a log that nobody touched is good', async () => {
  const verdict = await checkAfter('')
  assert.ok(verdict.good)
  const { entries, seals, unsealed } = verdict
  assert.deepEqual({ entries, seals, unsealed }, { entries: ENTRIES, seals: SEALED.length, unsealed: UNSEALED })
})

const CHANGED: Readonly<Record<string, string>> = { n: 'n + 1000000', at: 'at + 1' }

test('a change in any column of an entry is found, and the entry named', async () => {
  for (const column of ENTRY_COLUMNS) {
    const value = CHANGED[column] ?? `coalesce(${column}, '') || 'x'`
    const verdict = await checkAfter(`update audit set ${column} = ${value} where n = 12`)
    assertFound(verdict, 12, column === 'n' ? 'removed' : 'changed')
  }
})

test('a change in any column of a seal is found, and the first entry that it covers named', async () => {
  for (const column of ['n', 'first_n', 'last_n', 'entries', 'head', 'marks', 'mac', 'at']) {
    const isBytes = ['head', 'marks', 'mac'].includes(column)
    const value = isBytes ? `set_byte(${column}, 0, get_byte(${column}, 0) # 1)` : `${column} + 1000`
    assertFound(await checkAfter(`update seal set ${column} = ${value} where n = 2`), 7, 'unsealed')
  }
})

test('an entry that was removed, put in or taken for another is found', async () => {
  assertFound(await checkAfter('delete from audit where n = 12'), 12, 'removed')
  assertFound(await checkAfter(`delete from audit where n >= ${ENTRIES + 2}`), ENTRIES + 2, 'cut_off')
  const swap =
    'update audit set n = -12 where n = 12; update audit set n = 12 where n = 20; update audit set n = 20 where n = -12'
  assertFound(await checkAfter(swap), 12, 'changed')
  const added = `insert into audit (n, at, kind, actor, detail) values (-3, 1, 'agent.create', '{"type":"system"}', '{}')`
  assertFound(await checkAfter(added), -3, 'added')
})

test('an end that was cut off with its seals is named by what the database has numbered, or by a head from elsewhere', async () => {
  const cut = 'delete from audit where n >= 28; delete from seal where n >= 4'
  assertFound(await checkAfter(cut), 28, 'unsealed')
  const setBack = `${cut}; update given set n = 27 where what = 'audit'; update given set n = 3 where what = 'seal'`
  assert.equal((await checkAfter(setBack)).good, true, 'the database alone does not show it')
  assertFound(await checkAfter(setBack, { number: 4, head: null }), 28, 'cut_off')
})
