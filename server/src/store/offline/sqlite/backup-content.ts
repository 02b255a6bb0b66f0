// What a backup holds, or what a backup of this store would hold.
import type { BackupContent } from '../../../domain/restore.ts'
import { countUsable } from '../../repositories/suspensions.ts'
import { all, only, type Program } from '../../statement-program.ts'

type Counts = Pick<BackupContent, 'tokens' | 'ended' | 'auditEntries'>

const COUNTS = `select (select count(*) from token) as tokens, (select count(*) from ended) as ended,
  (select count(*) from audit) as "auditEntries"`

/** `madeAt`: when what is counted was so. */
export function* readContent(madeAt: number): Program<BackupContent> {
  const keys = yield* all<{ id: string }>('select distinct key_encryption_key_id as id from signing_key')
  const counts = yield* only<Counts>(COUNTS)
  const usable = yield* countUsable({ now: madeAt })
  return { madeAt, keyEncryptionKeyIds: keys.map(({ id }) => id), ...counts, ...usable }
}
