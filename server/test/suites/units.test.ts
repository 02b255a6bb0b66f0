// Rules, readers and cryptography, without a service.
import { runFolders } from './run-files.ts'

await runFolders('domain', 'http', 'operations', 'keys', 'ports')
