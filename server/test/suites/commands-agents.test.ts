// Commands about agents, their credentials and their import, that one process runs one after another.
import { runFolders } from './run-files.ts'

await runFolders('cli/agents', 'cli/imports')
