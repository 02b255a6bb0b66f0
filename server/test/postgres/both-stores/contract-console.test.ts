// What the console has of its own, on PostgreSQL: sign-in, sessions, the stream of changes, and the check of seals that it shows.
import { runOnPostgres } from '../../suites/run-files.ts'

await runOnPostgres(['contract/console', ['check-seals', 'events', 'session-cookie', 'session-life', 'sign-in']])
