// What is asked of PostgreSQL, and the schema there.
import { runFolders } from './run-files.ts'

await runFolders('postgres/queries', 'postgres/schema')
