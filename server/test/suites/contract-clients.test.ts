// How clients authenticate, and which JWTs of trusted issuers they exchange, on the wire.
import { runFolders } from './run-files.ts'

await runFolders('contract/clients', 'contract/subjects')
