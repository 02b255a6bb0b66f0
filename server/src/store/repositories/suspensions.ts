// What a restore has suspended: agents, credentials, API keys and trusted issuers, each until an operator accepts it. Nothing is
// issued to or by what is suspended, and it is recognized nowhere; it can be changed, revoked and deleted as ever.
import type { Act } from '../../domain/audit/act.ts'
import {
  type Acceptance,
  isAnySuspended,
  NONE_SUSPENDED,
  type RestoreState,
  type Suspended,
} from '../../domain/restore.ts'
import { all, first, only, run, type Program } from '../statement-program.ts'
import { audit, nextSeq, type Transaction } from '../transaction.ts'

type Moment = Pick<Transaction, 'now'>

// What is over stays so by itself, and is not counted as waiting.
const USABLE = {
  agent: 'deleted_at is null',
  credential: `revoked_at is null and (expires_at is null or expires_at > ?)
    and agent in (select n from agent where deleted_at is null)`,
  apiKey: 'revoked_at is null and (expires_at is null or expires_at > ?)',
  issuer: 'deleted_at is null',
} as const

/** Suspends all that could be used. */
export function* suspendAll({ now }: Moment): Program<void> {
  yield* run(`update agent set suspended_at = ? where suspended_at is null and ${USABLE.agent}`, now)
  yield* run(`update credential set suspended_at = ? where suspended_at is null and ${USABLE.credential}`, now, now)
  yield* run(`update api_key set suspended_at = ? where suspended_at is null and ${USABLE.apiKey}`, now, now)
  yield* run(`update trusted_issuer set suspended_at = ? where suspended_at is null and ${USABLE.issuer}`, now)
}

type SuspendedTable = 'agent' | 'credential' | 'api_key' | 'trusted_issuer'

function* countIn(table: SuspendedTable, where: string, ...values: readonly number[]): Program<number> {
  return (yield* only<{ count: number }>(`select count(*) as count from ${table} where ${where}`, ...values)).count
}

function* countEach({ now }: Moment, where: string): Program<Suspended> {
  return {
    agents: yield* countIn('agent', where + USABLE.agent),
    credentials: yield* countIn('credential', where + USABLE.credential, now),
    apiKeys: yield* countIn('api_key', where + USABLE.apiKey, now),
    issuers: yield* countIn('trusted_issuer', where + USABLE.issuer),
  }
}

/** How many could be used, were they not suspended. */
export const countSuspended = (moment: Moment): Program<Suspended> => countEach(moment, 'suspended_at is not null and ')

/** How many a restore would suspend, those that are suspended already included. */
export const countUsable = (moment: Moment): Program<Suspended> => countEach(moment, '')

const LAST = `select at, detail from audit where kind = 'store.restore' order by at desc, n desc limit 1`

/** The last restore, and what waits since; undefined where the store was never restored. */
export function* readRestoreState(moment: Moment): Program<RestoreState | undefined> {
  const last = yield* first<{ at: number; detail: string }>(LAST)
  if (last === undefined) return undefined
  const { backup_made_at: madeAt } = JSON.parse(last.detail) as { readonly backup_made_at: number | null } // by restore.ts
  return { restoredAt: last.at, madeAt, suspended: yield* countSuspended(moment) }
}

/** What waits since a restore. Of a store that was never restored nothing is counted. */
export function* readSuspended(moment: Moment): Program<Suspended> {
  const last = yield* first(LAST)
  return last === undefined ? NONE_SUSPENDED : yield* countSuspended(moment)
}

const accept = (table: SuspendedTable, where: string, ...values: readonly (string | number)[]): Program<number> =>
  run(`update ${table} set suspended_at = null where suspended_at is not null ${where}`, ...values)

const OWNER = {
  agent: 'select n from agent where id = ? and deleted_at is null',
  credential: 'select agent as n from credential where id = ?',
  api_key: 'select n from api_key where id = ?',
  issuer: `select n from trusted_issuer where alias = ? and ${USABLE.issuer}`,
} as const

/** Returns how many of each are accepted; undefined where nothing has the id. */
function* lift(acceptance: Acceptance): Program<Suspended | undefined> {
  if (acceptance.kind === 'all') {
    const [agents, credentials] = [yield* accept('agent', ''), yield* accept('credential', '')]
    const [apiKeys, issuers] = [yield* accept('api_key', ''), yield* accept('trusted_issuer', `and ${USABLE.issuer}`)]
    return { agents, credentials, apiKeys, issuers }
  }
  const { kind, id } = acceptance
  const [owner] = yield* all<{ n: number }>(OWNER[kind], id)
  if (owner === undefined) return undefined
  if (kind === 'api_key') return { ...NONE_SUSPENDED, apiKeys: yield* accept('api_key', 'and n = ?', owner.n) }
  if (kind === 'issuer') return { ...NONE_SUSPENDED, issuers: yield* accept('trusted_issuer', 'and n = ?', owner.n) }
  const [which, value] = kind === 'agent' ? ['and agent = ?', owner.n] : ['and id = ?', id]
  const credentials = yield* accept('credential', which, value)
  return { ...NONE_SUSPENDED, agents: yield* accept('agent', 'and n = ?', owner.n), credentials }
}

type AcceptRestored = { readonly acceptance: Acceptance; readonly act: Act }

/**
 * Lets what came back be used again. It takes a number where issuers are accepted, because every process remembers which ones
 * are trusted, and so which are not. Agents, credentials and API keys need none: no refusal of them is given from memory, and
 * nothing that was ended comes back. Accepting what does not wait changes nothing.
 */
export function* acceptRestored(tx: Transaction, { acceptance, act }: AcceptRestored): Program<Suspended | 'unknown'> {
  const lifted = yield* lift(acceptance)
  if (lifted === undefined) return 'unknown'
  if (!isAnySuspended(lifted)) return lifted
  const { agents, credentials, apiKeys, issuers } = lifted
  const counts = { agents, credentials, api_keys: apiKeys, issuers }
  const numbered = issuers > 0 ? { seq: yield* nextSeq(tx) } : {}
  const subject = acceptance.kind === 'all' ? null : acceptance.id
  yield* audit(tx, act, subject, { accepted: acceptance.kind, ...counts, ...numbered })
  return lifted
}
