// The contract of the administration, and of what it says of single tokens.
import { runFolders } from './run-files.ts'

await runFolders('contract/admin', 'contract/tokens')
