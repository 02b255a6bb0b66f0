// The write lock of the store, where another process has it first.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Unavailable } from '../../../src/domain/refusal.ts'
import { monotonicMs } from '../../../src/store/clocks.ts'
import { begin, type WritingConnection } from '../../../src/store/sqlite/connection/transaction.ts'
import { makeTestStore } from '../../../../testkit/stores/store.ts'
import { openBeside, withWritingConnection } from '../../../../testkit/stores/store-file.ts'

test('a file that is removed while its lock is waited for is not written to', async t => {
  const { file, clock, dispose } = await makeTestStore(null)
  t.after(dispose)
  const other = openBeside(file)
  t.after(() => other.close())
  other.exec('begin immediate')
  withWritingConnection({ file, clock: clock.wall() }, real => {
    real.db.pragma('busy_timeout = 0')
    let tries = 0
    const connection: WritingConnection = {
      ...real,
      guard: () => {
        if (tries > 0) throw new Unavailable('The file is gone.')
      },
      sql: <Row>(text: string) => {
        if (text === 'begin immediate') tries += 1
        // By the second try the other has given the lock back.
        if (tries === 2 && other.inTransaction()) other.exec('rollback')
        return real.sql<Row>(text)
      },
    }
    assert.throws(() => begin(connection, monotonicMs() + 60_000), /The file is gone/)
    assert.deepEqual([tries, real.db.inTransaction()], [2, false])
  })
})
