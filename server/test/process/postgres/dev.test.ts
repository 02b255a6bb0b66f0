// mintmark dev on a PostgreSQL database.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePorts, makeFolder, runShell, start } from '../../../../testkit/commands/run-mintmark.ts'
import { makeTestDatabase } from '../../../../testkit/databases/postgres-cluster.ts'

test('dev keeps its store in the database that it is given, and says so', async t => {
  const [folder, database] = [makeFolder(t), await makeTestDatabase()]
  t.after(() => database.drop())
  const [port, providerPort] = await freePorts()
  const variables = {
    DATABASE_URL: database.url,
    MINTMARK_ALLOW_UNSAFE_DATABASE: 'fsync,full_page_writes',
    PORT: String(port),
    MINTMARK_DEV_IDP_PORT: String(providerPort),
  }
  const { printed } = await start(t, folder, { args: ['dev'], variables, ready: /jwks\.json"; echo\n/ })
  assert.match(
    printed,
    new RegExp(`^The store is the PostgreSQL database ${database.name}; keys and secrets are kept`, 'm'),
  )
  assert.doesNotMatch(printed, /Everything is kept in one folder/)
  assert.ok(!existsSync(join(folder, '.mintmark', 'mintmark.db')))
  const [source, issue] = ['source .mintmark/dev.env', printed.split('\n').find(line => line.startsWith('TOKEN='))]
  assert.match(runShell(folder, `${source}\n${issue}`).stdout, /^[\w-]+\.[\w-]+\.[\w-]+\n$/)
})
