// Signing keys, the audit log and what it must not hold, on PostgreSQL.
import { testOnPostgres } from './store-tests.ts'

await testOnPostgres(['key-acts', 'key-compromise', 'key-keeper', 'signing-keys'])
await testOnPostgres(['audit', 'audit-list', 'canaries', 'refusals'])
