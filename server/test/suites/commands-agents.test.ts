// Commands about agents and their credentials, that one process runs one after another.
import { runFolders } from './run-files.ts'

await runFolders('cli/agents')
