// What compares text, in a database that compares it by its bytes itself; all other tests have one that does not.
import { runOnPostgres } from '../../suites/run-files.ts'

process.env['MINTMARK_TEST_DATABASE'] = "locale_provider libc locale 'C'"

await runOnPostgres(
  ['contract/admin', ['list-agents', 'idempotency-key']],
  ['contract/clients', ['workload-identity']],
  ['store/lists', ['list-agents']],
)
