// The contract of the OAuth endpoints.
import { runFolders } from './run-files.ts'

await runFolders('contract/oauth')
