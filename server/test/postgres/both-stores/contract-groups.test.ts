// Hostile text, groups with a bad member, and rows that hold garbage, on PostgreSQL.
import { runOnPostgres } from '../../suites/run-files.ts'

await runOnPostgres(
  ['contract/wire', ['hostile-claims', 'hostile-json', 'hostile-text']],
  ['contract/oauth', ['spoiled-groups', 'introspect-beside-strangers', 'revocation-feed', 'revocation-feed-order']],
  ['faults', ['stored-garbage', 'background-work', 'background-outage']],
)
