// What compares text, in a database that compares it by its bytes itself; all other tests have one that does not.
import { runOnPostgres } from '../../suites/run-files.ts'
import { filesAt, IN_C } from './on-postgres.ts'

process.env['MINTMARK_TEST_DATABASE'] = "locale_provider libc locale 'C'"

await runOnPostgres(...filesAt(IN_C))
