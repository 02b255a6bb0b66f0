// The audit log, its seals and signing keys, in the store.
import { runFolders } from './run-files.ts'

await runFolders('store/audit', 'store/signing-keys', 'store/offline')
