// Commands about tokens, keys and what is printed, that one process runs one after another.
import { runFolders } from './run-files.ts'

await runFolders('cli/commands', 'cli/terminal', 'cli/remote')
