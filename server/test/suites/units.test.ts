// Rules, readers, cryptography and documents, without a service.
import { runFolders } from './run-files.ts'

await runFolders('domain', 'documents', 'http', 'operations', 'keys', 'ports')
