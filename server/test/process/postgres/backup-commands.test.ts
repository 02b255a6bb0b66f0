// mintmark backup, restore and restore accept on a PostgreSQL database, run as a person runs them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KEY, makeFolder, run, type Variables } from '../../../../testkit/commands/run-mintmark.ts'
import { makeTestDatabase } from '../../../../testkit/databases/postgres-cluster.ts'

test('a database is backed up into a file and restored into an empty one; one that holds a store is refused', async t => {
  const folder = makeFolder(t)
  const [one, other] = [await makeTestDatabase(), await makeTestDatabase()]
  t.after(() => Promise.all([one.drop(), other.drop()]))
  const on = (url: string): Variables => ({
    DATABASE_URL: url,
    MINTMARK_KEY_ENCRYPTION_KEY: KEY,
    MINTMARK_ALLOW_UNSAFE_DATABASE: 'fsync,full_page_writes',
  })
  const done = (url: string, ...args: readonly string[]): string => {
    const { status, stdout, stderr } = run(folder, args, on(url))
    assert.equal(status, 0, stderr)
    return stdout
  }
  done(one.url, 'migrate')
  done(one.url, 'agent', 'create', '--name', 'a', '--scope', 'db:read')
  assert.match(done(one.url, 'backup', 'backup.db'), /holds the store as of .*: 1 agent, 0 tokens and 0 ended ones; /)
  const refused = run(folder, ['restore', 'backup.db', '--yes'], on(one.url))
  assert.deepEqual([refused.status, /holds a store already: name an empty one/.test(refused.stderr)], [1, true])
  assert.match(done(other.url, 'restore', 'backup.db', '--yes'), /^The database .* is the store as of /)
  assert.match(
    done(other.url, 'restore', 'status'),
    /1 agent, 1 credential, 0 API keys and 0 trusted issuers are suspended/,
  )
  assert.match(done(other.url, 'restore', 'epoch', '--yes'), /^Every token in the store has ended/)
  assert.match(
    done(other.url, 'restore', 'accept', '--yes'),
    /^1 agent, 1 credential, 0 API keys and 0 trusted issuers can be used again/,
  )
  assert.match(done(other.url, 'audit', 'verify'), /There is no seal yet/)
})
