// How clients authenticate, on the wire.
import { runFolders } from './run-files.ts'

await runFolders('contract/clients')
