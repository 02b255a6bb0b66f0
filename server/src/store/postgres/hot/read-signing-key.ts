// Reads the key that signs by one statement for all who ask meanwhile, and only where an act may have changed it.
import type { MonotonicMilliseconds } from '../../../../../api/values/time.ts'
import type { SigningKey } from '../../../domain/keys/signing-key.ts'
import { type Metrics, NO_METRICS } from '../../../ports/metrics.ts'
import type { ReadSigningKey } from '../../repositories/client-repositories.ts'
import { SEALED_COLUMNS, type SealedRow, signingKeyOf } from '../../signing-keys/signing-keys.ts'
import { timeRead } from '../../time-read.ts'
import type { Connection } from '../connection/connection.ts'
import type { Session } from '../connection/session.ts'
import { momentOf, SERVICE } from './batched-lookup.ts'
import { makeShared } from './batches.ts'

const STATEMENT = `select ${SERVICE}, key.* from service left join (
  select ${SEALED_COLUMNS} from signing_key where state = 'current') key on service.seq <> $1`

type Row = SealedRow | { readonly number: null }

const isThere = (row: Row): row is SealedRow => row.number !== null

const keyIn = ({ number, publicJwk, thumbprint, sealedPrivateKey, keyEncryptionKeyId }: SealedRow): SigningKey =>
  signingKeyOf({ number, publicJwk, thumbprint, sealedPrivateKey, keyEncryptionKeyId })

export const makeReadSigningKey = (
  session: Session,
  deadline: () => MonotonicMilliseconds,
  metrics: Metrics = NO_METRICS,
): ReadSigningKey => {
  // The key as of a number of the service: no key changes without the next one.
  let known: { readonly seq: number; readonly signingKey: SigningKey } | undefined
  session.onFailOver(() => {
    known = undefined
  })

  const read = async (connection: Connection): Promise<Awaited<ReturnType<ReadSigningKey>>> => {
    const cached = known
    const asked = { text: STATEMENT, name: 'signing_key', values: [cached?.seq ?? -1] }
    const answered = await session.transactions.once(connection, asked)
    const { service, now } = momentOf(answered, session)
    const { seq } = service
    const [row] = answered.rows as readonly [Row] // momentOf found it
    const unchanged = cached?.seq === seq ? cached.signingKey : undefined
    const signingKey = isThere(row) ? keyIn(row) : unchanged
    if (signingKey !== undefined) known = { seq, signingKey }
    return { seq, now, signingKey }
  }

  const ask = makeShared(session.pool, connection => timeRead(metrics, 'snapshot', read(connection)))
  return () => ask(deadline())
}
