// What holds for every request.
import { runFolders } from './run-files.ts'

await runFolders('contract/wire')
