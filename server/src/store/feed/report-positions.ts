// Writes where verifiers say that they are: a row for each name of an API key.
import type { PositionReport } from '../../domain/clients/verifier.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import { all, first, only, run, type Program, type Value } from '../statement-program.ts'
import type { Transaction } from '../transaction.ts'

/** The most verifiers of a key; beyond them those that were not heard of for the longest time are forgotten. */
const VERIFIERS_OF_KEY_MAX = 1000
/** The most verifiers of all keys together. */
const VERIFIERS_MAX = 10_000

/** How long a report waited for a store that could not be had. */
type WaitedReport = PositionReport & { readonly waitedMs: number }

export type ReportPositions = {
  /** The epoch of the feed. */
  readonly epoch: string
  /** The reports, each verifier once. */
  readonly reports: readonly WaitedReport[]
}

/** The numbers of rows in one statement, the largest that fits first: few texts are prepared, once each. */
const BLOCKS = [64, 8, 1] as const

/** What is late changes nothing: a smaller position in one epoch, and another epoch once the present one was reported. */
const upsertOf = (rows: number): string =>
  `insert into verifier (api_key, name, address, epoch, position, reported_at, first_at, uses)
  values ${Array.from({ length: rows }, () => '(?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}
  on conflict (api_key, name) do update set
    address = excluded.address,
    epoch = case when verifier.epoch = ? then verifier.epoch else excluded.epoch end,
    position = case
      when verifier.epoch <> excluded.epoch and verifier.epoch = ? then verifier.position
      when verifier.epoch = excluded.epoch and verifier.position > excluded.position then verifier.position
      else excluded.position end,
    reported_at = case when verifier.reported_at > excluded.reported_at then verifier.reported_at
      else excluded.reported_at end,
    uses = coalesce(excluded.uses, verifier.uses)
  returning api_key as "apiKeyId", case when first_at = reported_at then 1 else 0 end as "isNew"`

const UPSERT = new Map(BLOCKS.map(rows => [rows, upsertOf(rows)]))

type Written = { readonly apiKeyId: string; readonly isNew: number }

const valuesOf = (report: WaitedReport, now: Milliseconds): readonly Value[] => {
  const { apiKeyId, name, address, epoch, position, uses, waitedMs } = report
  const at = now - Math.round(waitedMs)
  return [apiKeyId, name, address, epoch, position, at, at, uses === null ? null : JSON.stringify(uses)]
}

/** Sorts reports into one order: two processes that write the same rows wait for each other and never deadlock. */
const inOrder = (reports: readonly WaitedReport[]): readonly WaitedReport[] => {
  const keyOf = ({ apiKeyId, name }: WaitedReport): string => apiKeyId + name
  return reports.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

function* write(now: Milliseconds, { epoch, reports }: ReportPositions): Program<readonly Written[]> {
  const written: Written[] = []
  const ordered = inOrder(reports)
  let from = 0
  for (const rows of BLOCKS) {
    for (; ordered.length - from >= rows; from += rows) {
      const values = ordered.slice(from, from + rows).flatMap(report => valuesOf(report, now))
      written.push(...(yield* all<Written>(UPSERT.get(rows) ?? upsertOf(rows), ...values, epoch, epoch)))
    }
  }
  return written
}

type Scope = { readonly where: string; readonly values: readonly Value[]; readonly max: number }

const ofKey = (apiKeyId: string): Scope => ({
  where: 'where api_key = ?',
  values: [apiKeyId],
  max: VERIFIERS_OF_KEY_MAX,
})
const OF_ALL: Scope = { where: '', values: [], max: VERIFIERS_MAX }

function* forgetOldest({ where, values, max }: Scope): Program<void> {
  const { count } = yield* only<{ count: number }>(`select count(*) as count from verifier ${where}`, ...values)
  if (count <= max) return
  const oldest = `select api_key, name from verifier ${where} order by reported_at, api_key, name limit ?`
  yield* run(`delete from verifier where (api_key, name) in (${oldest})`, ...values, count - max)
}

/** Each verifier where it says that it is. Two processes with new ones may be over a bound until the next new one. */
export function* reportPositions({ now }: Pick<Transaction, 'now'>, batch: ReportPositions): Program<null> {
  const added = (yield* write(now, batch)).filter(({ isNew }) => isNew === 1)
  for (const apiKeyId of new Set(added.map(one => one.apiKeyId))) yield* forgetOldest(ofKey(apiKeyId))
  if (added.length > 0) yield* forgetOldest(OF_ALL)
  return null
}

const KEPT_MS = 24 * 3_600_000
const STEP_ROWS = 500

const OLD = 'select 1 as found from verifier where reported_at < ? limit 1'
const REMOVE = `delete from verifier where (api_key, name) in
  (select api_key, name from verifier where reported_at < ? order by reported_at limit ?)`

export function* areVerifiersGone(now: Milliseconds): Program<boolean> {
  return (yield* first(OLD, now - KEPT_MS)) !== undefined
}

/** Removes in one step verifiers that were not heard of for a day. Returns whether there may be more to do. */
export function* removeVerifiers(now: Milliseconds): Program<'more' | 'nothing_left'> {
  return (yield* run(REMOVE, now - KEPT_MS, STEP_ROWS)) < STEP_ROWS ? 'nothing_left' : 'more'
}

/** Deletes all verifiers after the clock was set back: what was heard by another clock lies in the future. */
export const dropAllVerifiers = (): Program<number> => run('delete from verifier')
