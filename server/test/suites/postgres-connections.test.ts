// Connections to PostgreSQL.
import { runFolders } from './run-files.ts'

await runFolders('postgres/connections')
