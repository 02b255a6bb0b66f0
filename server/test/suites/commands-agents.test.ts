// Commands about agents, their credentials, their files and their import, that one process runs one after another.
import { runFolders } from './run-files.ts'

await runFolders('cli/agents', 'cli/apply', 'cli/imports')
