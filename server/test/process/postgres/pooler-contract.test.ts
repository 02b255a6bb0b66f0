// The contract on the wire, on PostgreSQL behind a PgBouncer that gives each transaction another connection.
import { after } from 'node:test'
import { findPooler, startPooler, testWithPooler } from '../../../../testkit/databases/pooler.ts'
import { openStoresThrough } from '../../../../testkit/databases/postgres-store.ts'
import { runOnPostgres } from '../../suites/run-files.ts'

if (findPooler() === undefined) {
  testWithPooler('the contract holds through PgBouncer in transaction mode', () => Promise.resolve())
} else {
  const pooler = await startPooler({ pool_mode: 'transaction' })
  after(pooler.stop)
  openStoresThrough(pooler.through)
  await runOnPostgres(['contract/oauth', ['introspect-tokens', 'revoke-token']], ['contract/admin', ['agent-limits']])
}
