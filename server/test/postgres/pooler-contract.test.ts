// The contract on the wire, on PostgreSQL behind a PgBouncer that gives each transaction another connection.
import { after, test } from 'node:test'
import { findPooler, openStoresThrough, SKIP_WITHOUT_POOLER, startPooler } from '../support/pooler.ts'
import { testOnPostgres } from './store-tests.ts'

const FILES = ['introspect-tokens', 'revoke-token', 'agent-limits']

if (findPooler() === undefined) {
  test('the contract, through PgBouncer in transaction mode', SKIP_WITHOUT_POOLER, () => undefined)
} else {
  const pooler = await startPooler({ pool_mode: 'transaction' })
  after(pooler.stop)
  openStoresThrough(pooler)
  await testOnPostgres(['contract', FILES])
}
