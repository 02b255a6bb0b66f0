// Signing keys, the audit log and what it must not hold, on PostgreSQL.
import { testOnPostgres } from './store-tests.ts'

await testOnPostgres([
  'store',
  ['key-acts', 'key-compromise', 'key-keeper', 'signing-keys', 'audit', 'background-faults', 'refusals'],
])
