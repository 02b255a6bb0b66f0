// The lists of the store.
import { runFolders } from './run-files.ts'

await runFolders('store/lists')
