// API keys as they could be made before: limited to audiences, with powers that no limit holds for. They live on.
import { withFile } from './store-file.ts'

/** Limits a key; call it before the key is used for the first time. */
export const limitKey = (storeFile: string, apiKeyId: string, audiences: readonly string[]): void => {
  const { changes } = withFile(storeFile, db =>
    db.prepare('update api_key set audiences = ? where id = ?').run(JSON.stringify(audiences), apiKeyId),
  )
  if (changes !== 1) throw new Error(`No API key has the id ${apiKeyId}.`)
}
