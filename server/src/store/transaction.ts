// What the statement programs of one write transaction share: its time, its numbers, its record of who acted, its live tokens.
import type { Act } from '../domain/audit/act.ts'
import type { EndingReason } from '../../../api/values/reason.ts'
import type { Programs } from './schema-version.ts'
import { only, run, type Program, type Value } from './statement-program.ts'
import type { Seen } from './snapshot.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { Milliseconds, Seconds } from '../../../api/values/time.ts'
import type { Timing } from '../ports/timing.ts'

/** Its `now` is the one time of everything it does: read after the lock, never smaller than an earlier one. */
export type Transaction = Seen &
  Programs & {
    readonly live: LiveTokens
    /** The reasons of the tokens that ended early in it, one for each. They count once it is committed. */
    readonly endings: EndingReason[]
    /** The number that was last given in a table, also where its row is gone; 0 where none was. None is left out. */
    readonly lastGiven: (table: NumberedTable) => Program<number>
  }

/** Tables in which a missing number shows that a row was removed. */
export type NumberedTable = 'audit' | 'seal'

type Moment = Pick<Seen, 'now'>

/** Takes the next number: for what can refuse or end something, and for what every process must forget that remembers it. */
export function* nextSeq({ now }: Moment): Program<number> {
  const { seq } = yield* only<{ seq: number }>('update service set seq = seq + 1, last_at = ? returning seq', now)
  return seq
}

// Neither this nor a number is cached: what a failed job of the group wrote is rolled back.
export const stampTime = ({ now }: Moment): Program<number> => run('update service set last_at = ?', now)

const ACT = 'insert into act (kind, actor, note, at, request_id, revocation_id) values (?, ?, ?, ?, ?, ?) returning n'

/** Records the act for history, and the revocation that it is, if it is one; its number. */
export function* recordAct({ now }: Moment, act: Act, revocationId: string | null = null): Program<number> {
  yield* stampTime({ now })
  const row = [act.kind, JSON.stringify(act.actor), act.note, now, act.requestId, revocationId]
  const { n } = yield* only<{ n: number }>(ACT, ...row)
  return n
}

const AUDIT = `insert into audit (at, kind, actor, request_id, source, subject, note, detail)`

const auditValues = (now: number, { kind, actor, requestId, source }: Act) =>
  [now, kind, JSON.stringify(actor), requestId, source] as const

/** What the audit says of where a leaked secret was found; nothing where the act is of no report. */
export const foundAtOf = ({ foundAt }: Act): object => (foundAt === undefined ? {} : { found_at: foundAt })

/** Writes the act's row of the audit. */
export function* audit({ now }: Moment, act: Act, subject: string | null, detail: object): Program<void> {
  yield* stampTime({ now })
  const row = [...auditValues(now, act), subject, act.note, JSON.stringify(detail)]
  yield* run(`${AUDIT} values (?, ?, ?, ?, ?, ?, ?, ?)`, ...row)
}

/** What the audit says of a change: the members of both records before and after, of what changed alone. */
export const differenceOf = (before: object, after: object): { readonly before: object; readonly after: object } => {
  const fresh = new Map<string, unknown>(Object.entries(after))
  const changed = Object.entries(before).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(fresh.get(name)),
  )
  return {
    before: Object.fromEntries(changed),
    after: Object.fromEntries(changed.map(([name]) => [name, fresh.get(name)])),
  }
}

/** Writes one for each of many subjects, the ids of the rows that `from` names: others wait for no statement each. */
export function* auditEach(
  { now }: Moment,
  act: Act,
  from: { readonly sql: string; readonly values: readonly Value[] },
  detail: object,
): Program<void> {
  yield* stampTime({ now })
  const row = [...auditValues(now, act), act.note, JSON.stringify(detail)]
  yield* run(`${AUDIT} select ?, ?, ?, ?, ?, id, ?, ? ${from.sql}`, ...row, ...from.values)
}

/** Tokens that ended early, once each: call it when the transaction that moved their rows is durable. */
export const countEndings = (metrics: Metrics, endings: readonly EndingReason[]): void => {
  for (const reason of endings) metrics.add('mintmark_tokens_ended_total', { reason })
}

// The cache of a writer: when each live token of an agent with a limit expires. Read from the ledger where it is first
// needed, then kept by each write and each end of a token; time alone ends the others. A writer that is not the only one
// keeps it for a transaction alone.

/** Expiries that are cached of all agents together, 8 bytes each; beyond them it begins anew. */
const CACHED_MAX = 1_000_000

/** When live tokens of an agent expire, as the ledger has it. */
export type LiveExpiries = {
  /** The expiries in seconds, ascending. */
  readonly expiries: readonly Seconds[]
  /** Whether all expiries are listed. If not, those left out are no later than the first that is listed. */
  readonly isWhole: boolean
  /** The time from which it must be read again, whatever happens. */
  readonly until: Milliseconds
}

export type LiveTokens = {
  /** Gets, before the rest of a transaction, the version of what others wrote: where it is another, the cache is cleared. */
  readonly follow: (version: number) => void
  /**
   * Returns what is cached of the agent, less what has expired by now; reads it where nothing is. What can be read only
   * roughly is to be read again at `recountAt`.
   */
  readonly expiriesOf: (
    agent: number,
    now: Milliseconds,
    read: (recountAt: Milliseconds) => Program<LiveExpiries>,
  ) => Program<readonly Seconds[]>
  readonly wasInserted: (agent: number, expiry: Seconds) => void
  /** Removes the expiry of a live token that ended alone. */
  readonly wasEnded: (agent: number, expiry: Seconds) => void
  /** Forgets an agent, or every agent where it is null: after an act that ended many, another ceiling, a rollback. */
  readonly forget: (agent: number | null) => void
}

/** Returns the index at which the expiry stands or would stand: after every expiry that is not later. */
const placeOf = (expiries: readonly Seconds[], expiry: Seconds): number =>
  expiries.findLastIndex(one => one <= expiry) + 1

type NameCache = LiveExpiries & { readonly expiries: Seconds[]; isWhole: boolean }

const dropExpired = (cached: NameCache, now: Milliseconds): void => {
  const { expiries } = cached
  if ((expiries[0] ?? Number.POSITIVE_INFINITY) > now / 1000) return
  const left = expiries.findIndex(one => one > now / 1000)
  expiries.splice(0, left === -1 ? expiries.length : left)
  // Expiries that were left out are no later than those that were dropped: all that are left are listed.
  cached.isWhole = true
}

export const makeLiveTokens = ({ liveRecountMs }: Pick<Timing, 'liveRecountMs'>): LiveTokens => {
  const agents = new Map<number, NameCache>()
  let version = 0

  const cache = (agent: number, { expiries: all, isWhole, until }: LiveExpiries): NameCache => {
    const fresh = { expiries: [...all], isWhole, until }
    const held = [...agents.values()].reduce((sum, { expiries }) => sum + expiries.length, fresh.expiries.length)
    if (held > CACHED_MAX) agents.clear()
    agents.set(agent, fresh)
    return fresh
  }

  /** Returns what can be changed of what is cached; where that is not all, it is read anew when it is needed. */
  const whole = (agent: number): Seconds[] | undefined => {
    const cached = agents.get(agent)
    if (cached?.isWhole === false) agents.delete(agent)
    return cached?.isWhole === true ? cached.expiries : undefined
  }

  return {
    follow: now => {
      if (now !== version) agents.clear()
      version = now
    },
    expiriesOf: function* (agent, now, read) {
      const known = agents.get(agent)
      const cached = known === undefined || known.until <= now ? cache(agent, yield* read(now + liveRecountMs)) : known
      dropExpired(cached, now)
      return cached.expiries
    },
    wasInserted: (agent, expiry) => {
      const expiries = whole(agent)
      expiries?.splice(placeOf(expiries, expiry), 0, expiry)
    },
    wasEnded: (agent, expiry) => {
      const expiries = whole(agent)
      const at = expiries?.lastIndexOf(expiry) ?? -1
      if (at === -1) agents.delete(agent)
      else expiries?.splice(at, 1)
    },
    forget: agent => {
      if (agent === null) agents.clear()
      else agents.delete(agent)
    },
  }
}
