// Commands about the store and the machine itself, that one process runs one after another.
import { runFolders } from './run-files.ts'

await runFolders('cli/local')
