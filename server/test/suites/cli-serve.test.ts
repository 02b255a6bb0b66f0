// `mintmark serve` and `mintmark dev` as processes of their own.
import { runFolders } from './run-files.ts'

await runFolders('cli/serve')
