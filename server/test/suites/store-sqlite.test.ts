// SQLite itself.
import { runFolders } from './run-files.ts'

await runFolders('store/sqlite')
