// What is done to a whole database only while nobody else uses it: a session that is about to go is waited for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TIMING } from '../../../src/ports/timing.ts'
import { resetDatabaseClock } from '../../../src/store/offline/postgres/act-alone.ts'
import { SERVING } from '../../../src/store/postgres/connection/connection.ts'
import { connectPatiently } from '../../../src/store/postgres/connection/primary.ts'
import { until } from '../../../../testkit/processes/until.ts'
import { runStatement } from '../../../../testkit/databases/postgres-cluster.ts'
import { addressOf } from '../../../../testkit/databases/postgres-store.ts'
import { makeStoreDatabase } from '../../../../testkit/databases/postgres-template.ts'
import { act } from '../../../../testkit/stores/store.ts'

const LOOKED = `select 1 from pg_stat_activity
  where datname = current_database() and application_name = '${SERVING}' and query like '%pg_stat_activity%'`

test('a session whose program has just ended is waited for before a whole database is acted on', async t => {
  const database = await makeStoreDatabase(Date.now())
  t.after(database.drop)
  const address = await addressOf(database.name)
  const leaving = await connectPatiently({ address, timing: TIMING })
  const seen: string[] = []
  const reset = resetDatabaseClock({ address, timing: TIMING }, act('clock.reset')).then(
    () => void seen.push('reset'),
    (fault: unknown) => void seen.push(String(fault)),
  )
  await until('it looked', async () => seen.length > 0 || (await runStatement(database.url, LOOKED)).length > 0)
  seen.push('leaves')
  await leaving.close()
  await reset
  assert.deepEqual(seen, ['leaves', 'reset'])
})
