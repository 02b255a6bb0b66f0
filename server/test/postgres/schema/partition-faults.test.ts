// Partitions that cannot be kept: it is reported, everybody is served, and the next round makes up for it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BackgroundTask } from '../../../src/store/background.ts'
import { until } from '../../../../testkit/processes/until.ts'
import { createAgent, issue, makeTestStore, openTestedStore } from '../../../../testkit/stores/store.ts'
import { countRows, withFile } from '../../../../testkit/stores/store-file.ts'

process.env['MINTMARK_TEST_STORE'] = 'postgres'

const DAY_MS = 86_400_000
const WAITING = { timeout: 60_000 }

/** A code of PostgreSQL that is our mistake, and one by which the database refuses its services. */
const FAULTS = { 'an error': 'P0001', 'a privilege that was taken away': '42501' } as const

const strike = (file: string, code: string): (() => void) => {
  withFile(file, db =>
    db.exec(`create function refuse() returns event_trigger language plpgsql as
        $$ begin raise exception 'refused' using errcode = '${code}'; end $$;
      create event trigger refuse on ddl_command_start when tag in ('DROP TABLE') execute function refuse()`),
  )
  return () => withFile(file, db => db.exec('drop event trigger refuse'))
}

for (const [name, code] of Object.entries(FAULTS)) {
  test(
    `partitions that cannot go for ${name}: it is reported, tokens are issued, and they go once they can`,
    WAITING,
    async t => {
      const { store, file, clock, dispose } = await makeTestStore(null)
      t.after(dispose)
      const agent = await createAgent(store)
      await issue(store, agent, {})
      clock.advance(30 * DAY_MS)
      await store.close()
      const mend = strike(file, code)
      const faults: BackgroundTask[] = []
      const serving = await openTestedStore({
        file,
        clock,
        retention: { expiredMs: DAY_MS, endedMs: DAY_MS },
        onFault: task => void faults.push(task),
      })
      t.after(serving.close)
      await until('two faults', async () => faults.length >= 2)
      assert.deepEqual([...new Set(faults)], ['partitions'])
      const [token] = await issue(serving, agent, {})
      assert.ok(token)
      assert.deepEqual(
        (await serving.ledger.find([token])).map(found => found?.dead),
        [false],
      )
      mend()
      await until(
        'the partition is gone',
        async () => countRows(file, `pg_class where relname = 'token_20261121'`) === 0,
      )
    },
  )
}
