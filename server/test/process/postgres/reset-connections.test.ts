// Callers who reset their connections, against mintmark serve on a PostgreSQL database.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertOutlivesResets } from '../../../../testkit/commands/reset-callers.ts'
import { freePorts, makeFolder, run, serveVariables, start } from '../../../../testkit/commands/run-mintmark.ts'
import { makeTestDatabase } from '../../../../testkit/databases/postgres-cluster.ts'

test('no thread of serve ends by a thousand callers who reset their connections', async t => {
  const [folder, database] = [makeFolder(t), await makeTestDatabase()]
  t.after(() => database.drop())
  const [port] = await freePorts()
  const variables = {
    ...serveVariables(port),
    DATABASE_URL: database.url,
    MINTMARK_ALLOW_UNSAFE_DATABASE: 'fsync,full_page_writes',
    MINTMARK_WORKERS: '2',
    MINTMARK_DRAIN_SECONDS: '0',
  }
  assert.equal(run(folder, ['migrate'], variables).status, 0)
  const timing = { handOverMs: 100 }
  const running = await start(t, folder, { timing, args: ['serve'], variables, ready: /another audience\.\n/ })
  await assertOutlivesResets({ folder, variables, port, running })
})
