// In this folder: the hot path on PostgreSQL: one statement for many look-ups, inserts, ends or reads of the feed.
// Looks into the store for all who ask meanwhile: tokens by their address, the numbers that may have ended them, the open
// cut-offs and the time, in one statement and so in one snapshot. A request for no token joins.
import type { TokenAddress } from '../../../domain/ledger/claims.ts'
import type { CutOff } from '../../../domain/ledger/ledger.ts'
import { Unavailable } from '../../../domain/refusal.ts'
import type { Milliseconds } from '../../../../../api/values/time.ts'
import { COMPARED, type CutOffRow, cutOffOf } from '../../ledger/judge.ts'
import type { TokenNumbers } from '../../ledger/token-rows.ts'
import { SERVICE_COLUMNS, type ServiceRow } from '../../snapshot.ts'
import { type Ask, makeBatches } from './batches.ts'
import type { Answered, Asked, Connection } from '../connection/connection.ts'
import { type Metrics, NO_METRICS } from '../../../ports/metrics.ts'
import { timeRead } from '../../time-read.ts'
import type { Session } from '../connection/session.ts'
import { listOf } from '../connection/values.ts'

const IN_FLIGHT_MAX = 4
const TOGETHER_MAX = 512

export const SERVICE = `${SERVICE_COLUMNS}, mintmark_now() as reported, case when pg_is_in_recovery() then 1 else 0 end as "isStandby"`

const SERVICE_STATEMENT: Asked = { text: `select ${SERVICE} from service`, name: 'service' }

// `= any (…)` under a plan for any values reads every partition; a look-up beside each address reads its own, and those that
// hold no id between the least and the greatest are not even opened. One text for all rows: the library makes each value of each
// row an event and a member of an object, which cost more than the look-up.
const lookupStatement = (fence: string): string => `select ${SERVICE},
  (select json_agg(json_build_object('seq', x.seq, 'conditions', x.conditions, 'reason', x.reason, 'act', x.act,
    'at', x.at) order by x.seq) from cutoff x where ${COMPARED}) as "cutOffs",
  case when ${fence} then pg_logical_emit_message(true, 'mintmark', '') end as fenced,
  (select json_agg(json_build_array(t.digest, t.agent, t.cred, t.key, t.scope, t.aud, t.seq,
      a.ended_seq, c.ended_seq, k.ended_seq, t.lineage, t.principal,
      case when t.principal is not null then (select json_build_array(i.ended_seq, p.ended_seq)
        from principal p join trusted_issuer i on i.n = p.issuer where p.n = t.principal) end) order by u.n)
    from unnest($1::integer[], $2::uuid[]) with ordinality as u (life, id, n)
    left join lateral (select * from token where token.life = u.life and token.id = u.id
      and token.id between $3::uuid and $4::uuid limit 1) t on true
    left join agent a on a.n = t.agent
    left join credential c on c.n = t.cred
    left join signing_key k on k.n = t.key) as tokens
  from service`

/** A row of `token` as the statement lists it, and by which numbers of others it may have ended. */
export type TokenColumns = readonly [
  digest: string,
  agent: number,
  cred: number,
  key: number,
  scope: number,
  aud: number,
  seq: number,
  agentEndedSeq: number,
  credentialEndedSeq: number,
  keyEndedSeq: number,
  lineage: number | null,
  principal: number | null,
  /** Null where it acts for its agent. */
  issuerAndPrincipalEndedSeqs: readonly [number, number] | null,
]

/** The numbers of the token itself. */
export const numbersOf = ([
  ,
  agent,
  cred,
  key,
  scope,
  aud,
  seq,
  ,
  ,
  ,
  lineage,
  principal,
]: TokenColumns): TokenNumbers => ({
  agent,
  cred,
  key,
  scope,
  aud,
  seq,
  lineage,
  principal,
})

/** The numbers by which its agent, credential, key, issuer and principal end tokens. */
export const endedSeqsOf = (columns: TokenColumns) => {
  if (columns[11] !== null && columns[12] === null) throw new Error('A token acts for a principal that is not there.')
  const [issuer, principal] = columns[12] ?? [0, 0]
  return { agent: columns[7], credential: columns[8], key: columns[9], issuer, principal }
}

/** The values that are the same for all callers of a batch. */
export type Moment = { readonly service: ServiceRow; readonly now: Milliseconds }

export type LookedUp = {
  readonly moment: Moment
  readonly cutOffs: readonly CutOff[]
  /** The rows in the order of the addresses; null where there is no row. */
  readonly rows: readonly (TokenColumns | null)[]
}

export type BatchedLookup = Ask<readonly TokenAddress[], LookedUp>

/** The row of `service` as `SERVICE` lists it. */
type Head = ServiceRow & { readonly reported: Milliseconds; readonly isStandby: number }

type Row = Head & { readonly cutOffs?: string | null; readonly tokens?: string | null }

/** Throws Unavailable where the row is of a standby. */
export const momentOf = (answered: Answered, { clock }: Pick<Session, 'clock'>): Moment => {
  const [head] = answered.rows as readonly Head[] // as the statement lists it
  if (head === undefined) throw new Error('The store has no service row.')
  if (head.isStandby === 1) throw new Unavailable('The database has become a standby.')
  return { service: head, now: clock.observe(head) }
}

/** The numbers of the service and the time, alone. */
export const readMoment = async (connection: Connection, session: Pick<Session, 'clock'>): Promise<Moment> =>
  momentOf(await connection.ask(SERVICE_STATEMENT), session)

const lookedUpOf = (answered: Answered, session: Session): LookedUp => {
  const moment = momentOf(answered, session)
  const [{ cutOffs, tokens }] = answered.rows as readonly [Row] // as the statement lists it
  const open = JSON.parse(cutOffs ?? '[]') as readonly CutOffRow[] // as the statement builds them
  const rows = JSON.parse(tokens ?? '[]') as readonly (TokenColumns | readonly [null])[]
  return { moment, cutOffs: open.map(cutOffOf), rows: rows.map(one => (one[0] === null ? null : one)) }
}

const valuesOf = (addresses: readonly TokenAddress[]): readonly unknown[] => {
  const ids = addresses.map(({ id }) => id)
  // Lower case and of one length: their order as texts is that of the ids.
  const [least, greatest] = [ids.reduce((a, b) => (a < b ? a : b)), ids.reduce((a, b) => (a > b ? a : b))]
  return [listOf(addresses.map(({ lifetimeSeconds }) => lifetimeSeconds)), listOf(ids), least, greatest]
}

/** Asks one statement that waits for the standby by itself. */
export const askFenced = async (
  { once }: Pick<Session['transactions'], 'once'>,
  connection: Connection,
  asked: Asked,
): Promise<Answered> => {
  const notices = connection.notices()
  const answered = await once(connection, asked)
  if (connection.notices() !== notices) throw new Unavailable('The standby of the database did not answer.')
  return answered
}

/** Makes the function that reads a batch in one statement. */
const makeRead = (session: Session) => {
  const { transactions, fence } = session
  const text = lookupStatement(fence)
  return async (connection: Connection, addresses: readonly TokenAddress[]): Promise<LookedUp> => {
    const asked = addresses.length === 0 ? SERVICE_STATEMENT : { text, values: valuesOf(addresses), name: 'lookup' }
    return lookedUpOf(await askFenced(transactions, connection, asked), session)
  }
}

/** Cuts a list into pieces of these lengths. */
export const cut = <T>(list: readonly T[], lengths: readonly number[]): readonly (readonly T[])[] => {
  let from = 0
  return lengths.map(length => list.slice(from, (from += length)))
}

export const makeBatchedLookup = (session: Session, metrics: Metrics = NO_METRICS): BatchedLookup => {
  const read = makeRead(session)
  return makeBatches<readonly TokenAddress[], LookedUp>({
    pool: session.pool,
    inFlightMax: IN_FLIGHT_MAX,
    sizeMax: TOGETHER_MAX,
    send: async (connection, batch) => {
      const lookedUp = await timeRead(metrics, 'tokens', read(connection, batch.flat()))
      const lengths = batch.map(addresses => addresses.length)
      return cut(lookedUp.rows, lengths).map(rows => ({ ...lookedUp, rows }))
    },
  })
}
