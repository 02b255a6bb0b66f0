// Signing keys, the audit log and what it must not hold, on PostgreSQL.
import { runOnPostgres } from '../../suites/run-files.ts'

await runOnPostgres(
  ['store/signing-keys', ['key-acts', 'key-compromise', 'key-scheduler', 'signing-keys']],
  ['store/audit', ['audit', 'refusals']],
  ['store/sqlite', ['background-faults']],
)
