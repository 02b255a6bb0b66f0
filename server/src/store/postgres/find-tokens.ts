// Looks tokens up by their address: one point read each in one partition, the numbers that may have ended them, the open
// cut-offs and the time, all in one statement and so in one snapshot.
import type { TokenAddress } from '../../domain/claims.ts'
import { type CutOff, isDead } from '../../domain/ledger.ts'
import { Unavailable } from '../../domain/refusal.ts'
import type { FoundToken } from '../../ports.ts'
import { LATE, type Lease } from '../lease.ts'
import { type CutOffRow, cutOffOf } from '../ledger/cut-offs.ts'
import { type Labels, recordWith } from '../ledger/labels.ts'
import type { Sets } from '../ledger/sets.ts'
import { tokenOf, type TokenNumbers } from '../ledger/token-rows.ts'
import { recall } from '../remembered.ts'
import { hexOfBytes } from '../rows.ts'
import type { Script } from '../script.ts'
import type { Connection } from './connection.ts'
import type { Session } from './session.ts'

// `= any (…)` under a plan for any values reads every partition; a look-up beside each address reads its own. Every column
// has a name of its own: of four that were called ended_seq the last would stand for all. What is the same for every row
// comes with the first.
const findStatement = (fence: string): string => `select t.digest, t.agent, t.cred, t.key, t.scope, t.aud, t.seq,
    a.ended_seq as agent_ended_seq, c.ended_seq as credential_ended_seq, k.ended_seq as key_ended_seq,
    case when u.n = 1 then json_build_array(s.ended_seq, s.last_end_seq, s.clock_lease, s.last_at, mintmark_now(),
      case when pg_is_in_recovery() then 1 else 0 end,
      (select json_agg(json_build_object('seq', x.seq, 'conditions', x.conditions, 'reason', x.reason, 'act', x.act,
        'at', x.at) order by x.seq) from cutoff x where x.state = 'open'))::text end as common,
    case when u.n = 1 and ${fence} then pg_logical_emit_message(true, 'mintmark', '') end as fenced
  from unnest($1::integer[], $2::uuid[]) with ordinality as u (life, id, n)
  cross join service s
  left join lateral (select * from token where token.life = u.life and token.id = u.id limit 1) t on true
  left join agent a on a.n = t.agent
  left join credential c on c.n = t.cred
  left join signing_key k on k.n = t.key
  order by u.n`

type Row = TokenNumbers & {
  readonly digest: Uint8Array | null
  readonly agent_ended_seq: number
  readonly credential_ended_seq: number
  readonly key_ended_seq: number
  readonly common: string | null
}

type Common = {
  readonly endedSeq: number
  readonly lastEndSeq: number
  readonly clockLease: number
  readonly now: number
  readonly cutOffs: readonly CutOff[]
}

const readCommon = (json: string | null | undefined, { clock }: Session): Common => {
  if (json === null || json === undefined) throw new Error('The store has no service row.')
  const [endedSeq, lastEndSeq, clockLease, lastAt, told, isStandby, open] = JSON.parse(json) as [
    ...[number, number, number, number, number, number],
    readonly CutOffRow[] | null,
  ]
  if (isStandby === 1) throw new Unavailable('The database has become a standby.')
  const now = clock.observe({ told, lastAt, clockLease })
  return { endedSeq, lastEndSeq, clockLease, now, cutOffs: (open ?? []).map(cutOffOf) }
}

const endedSeqsOf = (row: Row, { endedSeq }: Common) => ({
  service: endedSeq,
  agent: row.agent_ended_seq,
  credential: row.credential_ended_seq,
  key: row.key_ended_seq,
})

type Names = { readonly labels: Labels; readonly sets: Pick<Sets, 'scope' | 'audience'> }

function* foundToken(
  address: TokenAddress,
  row: Row & { readonly digest: Uint8Array },
  common: Common,
  { labels, sets }: Names,
): Script<FoundToken> {
  const scope = yield* recall(sets.scope, row.scope)
  const audience = yield* recall(sets.audience, row.aud)
  const publicJwk = yield* recall(labels.publicJwk, row.key)
  const [agent, credential] = [yield* recall(labels.agent, row.agent), yield* recall(labels.credential, row.cred)]
  const token = tokenOf(address, row, { scope: scope.items, audience })
  return {
    ...recordWith(address, { agent, credential, publicJwk, scope, audience }),
    dead: isDead(token, endedSeqsOf(row, common), common.cutOffs, common.now),
    digest: hexOfBytes(row.digest),
    publicJwk,
  }
}

const isThere = (row: Row | undefined): row is Row & { readonly digest: Uint8Array } => (row?.digest ?? null) !== null

/** In order; LATE where the lease of the clock does not cover the time of the answer. */
export type Found = readonly (FoundToken | undefined)[] | typeof LATE

export type FindTokens = (connection: Connection, addresses: readonly TokenAddress[]) => Promise<Found>

/** In order; undefined where there is no row, because the token was never written or has been moved. */
export const makeFindTokens = (session: Session, names: Names, lease: Lease): FindTokens => {
  const text = findStatement(session.fence)
  return async (connection, addresses) => {
    const values = [addresses.map(({ lifetimeSeconds }) => lifetimeSeconds), addresses.map(({ id }) => id)]
    const notices = connection.notices()
    const answered = await session.transactions.once(connection, { text, values, name: 'find_tokens' })
    if (connection.notices() !== notices) throw new Unavailable('The standby of the database did not answer.')
    const rows = answered.rows as readonly Row[] // as the statement lists them
    const common = readCommon(rows[0]?.common, session)
    if (!lease.covers(common.now, common.clockLease)) return LATE
    const tokens: (FoundToken | undefined)[] = []
    for (const [n, address] of addresses.entries()) {
      const row = rows[n]
      tokens.push(
        isThere(row) ? await session.driver.drive(connection, foundToken(address, row, common, names)) : undefined,
      )
    }
    return tokens
  }
}

/** The statement of look-ups, for the test that reads its plan. */
export const FIND_STATEMENT = findStatement('true')
