// Reads API keys by hash for all callers that present one which is not cached: one statement for many, and one at a time.
import type { Sha256 } from '../../../domain/text/text.ts'
import type { MonotonicMilliseconds } from '../../../../../api/values/time.ts'
import { type Metrics, NO_METRICS } from '../../../ports/metrics.ts'
import type { ReadApiKeys } from '../../repositories/client-repositories.ts'
import { API_KEY_COLUMNS, type ApiKeyRow, apiKeyOf, IS_KEPT } from '../../repositories/api-keys.ts'
import { hexOfBytes } from '../../rows.ts'
import { timeRead } from '../../time-read.ts'
import type { Connection } from '../connection/connection.ts'
import type { Session } from '../connection/session.ts'
import { listOf } from '../connection/values.ts'
import { askFenced, momentOf, SERVICE } from './batched-lookup.ts'
import { makeBatches } from './batches.ts'

/** Whatever strangers present, they use one connection of the pool that introspection uses. */
const IN_FLIGHT_MAX = 1
/** Callers in one statement: a group, or one request of the administration. */
const TOGETHER_MAX = 64

const statementOf = (fence: string): string => `select ${SERVICE}, k.*,
    (select case when ${fence} then pg_logical_emit_message(true, 'mintmark', '') end) as fenced
  from service left join (
    select key_hash as "keyHash", ${API_KEY_COLUMNS}
    from unnest($1::text[]) as u (hash) join api_key on key_hash = decode(u.hash, 'hex')
    where ${IS_KEPT}) k on true`

type Row = ApiKeyRow & { readonly keyHash: Uint8Array | null }

type Read = Awaited<ReturnType<ReadApiKeys>>

export const makeReadApiKeys = (
  session: Session,
  deadline: () => MonotonicMilliseconds,
  metrics: Metrics = NO_METRICS,
): ReadApiKeys => {
  const text = statementOf(session.fence)

  const readAll = async (connection: Connection, keyHashes: readonly Sha256[]): Promise<Read> => {
    const asked = { text, values: [listOf([...new Set(keyHashes)])], name: 'read_api_keys' }
    const answered = await askFenced(session.transactions, connection, asked)
    const found = new Map<Sha256, ReturnType<typeof apiKeyOf>>()
    for (const { keyHash, ...row } of answered.rows as readonly Row[]) {
      if (keyHash !== null) found.set(hexOfBytes(keyHash), apiKeyOf(row))
    }
    return { ...momentOf(answered, session), found }
  }

  const ask = makeBatches<readonly Sha256[], Read>({
    pool: session.pool,
    inFlightMax: IN_FLIGHT_MAX,
    sizeMax: TOGETHER_MAX,
    send: async (connection, batch) => {
      const read = await timeRead(metrics, 'snapshot', readAll(connection, batch.flat()))
      return batch.map(() => read)
    },
  })
  return keyHashes => ask(keyHashes, deadline())
}
