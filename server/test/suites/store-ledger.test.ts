// Tokens and what ends them, in the store.
import { runFolders } from './run-files.ts'

await runFolders('store/ledger', 'store/feed', 'store/repositories', 'store/usage')
