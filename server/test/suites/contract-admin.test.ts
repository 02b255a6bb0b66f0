// The contract of the administration.
import { runFolders } from './run-files.ts'

await runFolders('contract/admin')
