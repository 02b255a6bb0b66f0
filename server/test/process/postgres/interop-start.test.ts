// The service of the interop suites leaves nothing behind where it does not start.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { startService, type Surroundings } from '../../../../proof/interop/service.ts'
import { databaseUrl, runStatement, testCluster } from '../../../../testkit/databases/postgres-cluster.ts'

/** Marks the databases of this file, because other files make some at the same time. */
const CONNECTIONS_MAX = 4711

const folder = mkdtempSync(join(tmpdir(), 'mintmark-'))
let countDatabases: () => Promise<unknown>

before(async () => {
  const url = databaseUrl(await testCluster(), 'postgres')
  countDatabases = async () => {
    const rows = await runStatement(
      url,
      `select count(*)::int from pg_database where datconnlimit = ${CONNECTIONS_MAX}`,
    )
    return rows[0]?.['count']
  }
  process.env['TMPDIR'] = folder
})

after(() => rmdirSync(folder))

/** The database is described in the environment when it is made, and the service refuses variables that it does not know. */
const start = (settings: Surroundings): ReturnType<typeof startService> => {
  process.env['MINTMARK_TEST_DATABASE'] = `connection limit ${CONNECTIONS_MAX}`
  const starting = startService(settings, 'postgres')
  delete process.env['MINTMARK_TEST_DATABASE']
  return starting
}

test('a service that does not start leaves no database and no folder', async () => {
  await assert.rejects(start({ MINTMARK_UNKNOWN: 'yes' }), /MINTMARK_UNKNOWN is not a variable/)
  assert.equal(await countDatabases(), 0)
  assert.deepEqual(readdirSync(folder), [])
})
