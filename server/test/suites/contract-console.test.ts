// The contract of the console: sign-in and sessions, and the check of seals that it shows.
import { runFolders } from './run-files.ts'

await runFolders('contract/console')
