// The port of usage: counts handed over in the background, lists of uses, and answers of all agents that are read at most once a
// second in each thread.
import { type MonotonicMilliseconds, DAY_MS } from '../../../../api/values/time.ts'
import type { Timing } from '../../ports/timing.ts'
import type { UsageCounts } from '../../ports/usage.ts'
import { EXPIRING_MAX, EXPIRING_DAYS } from '../../../../api/values/status.ts'
import type { SeriesWindow } from '../../../../api/values/usage.ts'
import type { SeriesRequest } from '../../domain/clients/usage-series.ts'
import type { OnFault } from '../background.ts'
import type { Writer } from '../subjects.ts'
import { monotonicMs } from '../clocks.ts'
import type { CountLive } from '../metrics/count-live.ts'
import type { NameCaches } from '../ledger/name-caches.ts'
import { namePage } from '../lists/read-names.ts'
import type { Reader, Snapshot } from '../snapshot.ts'
import type { Ages } from './evidence/count-late-uses.ts'
import type { UseBatch } from './evidence/count-uses.ts'
import { readRefusals } from './issuing/read-refusals.ts'
import { readSeries } from './issuing/read-series.ts'
import { readUsage, readUsageOf } from './issuing/read-usage.ts'
import { listLateUses, listUses } from './evidence/read-uses.ts'
import { type ResolvedCount, resolveUses } from './evidence/resolve-uses.ts'
import { makeUsageCounter } from './issuing/usage-counter.ts'
import { makeUseCounter, type Span } from './evidence/use-counter.ts'
import type { Expiring, ServiceStatus } from '../../domain/service-status.ts'
import { all, type Program, only } from '../statement-program.ts'
import { scheduler } from 'node:timers/promises'
import { sumInWindow, USAGE_WINDOWS, type UsageWindow } from '../../domain/clients/agent-usage.ts'
import { readFacts } from '../metrics/facts.ts'

// Reads the state of the whole service: what all agents got, and what the store reports of itself.

const SUMS = `select
    cast(coalesce(sum(case when slot > ? then issued else 0 end), 0) as bigint) as whole,
    cast(coalesce(sum(case when slot > ? then 0 else issued end), 0) as bigint) as cut,
    cast(coalesce(sum(case when slot > ? then refused else 0 end), 0) as bigint) as "wholeRefused",
    cast(coalesce(sum(case when slot > ? then 0 else refused end), 0) as bigint) as "cutRefused"
  from agent_usage where slot_ms = ? and slot > ? and slot <= ?`

type SumRow = Readonly<Record<'whole' | 'cut' | 'wholeRefused' | 'cutRefused', number>>

const AGENTS = `select count(*) as agents, count(disabled_at) as "agentsDisabled" from agent where deleted_at is null`

// A limit of an agent is no failed authentication.
const FAILED = `select cast(coalesce(sum(count), 0) as bigint) as failed from refused where at > ? and way <> 'limit'`

function* sumOf({ now }: Snapshot, window: UsageWindow): Program<{ issued: number; refused: number }> {
  const from = now - window.windowMs
  const sums = yield* only<SumRow>(SUMS, from, from, from, from, window.slotMs, from - window.slotMs, now)
  return {
    issued: sumInWindow(window, now, sums),
    refused: sumInWindow(window, now, { whole: sums.wholeRefused, cut: sums.cutRefused }),
  }
}

function* readSums(snapshot: Snapshot) {
  const { minute, hour, day } = USAGE_WINDOWS
  const lastHour = yield* sumOf(snapshot, hour)
  const counts = yield* only<Pick<ServiceStatus, 'agents' | 'agentsDisabled'>>(AGENTS)
  const { failed } = yield* only<{ failed: number }>(FAILED, snapshot.now - hour.windowMs)
  return {
    ...counts,
    tokensLastMinute: (yield* sumOf(snapshot, minute)).issued,
    tokensLastHour: lastHour.issued,
    tokensLastDay: (yield* sumOf(snapshot, day)).issued,
    refusals: lastHour.refused,
    failedAuthentications: failed,
  }
}

const readStatus = async ({ read }: Reader, countLive: CountLive): Promise<ServiceStatus> => {
  // First: what is counted as of a moment stands in a status of then or later.
  const liveTokens = await countLive()
  const facts = await read(readFacts)
  await scheduler.yield()
  const sums = await read(readSums)
  return { ...facts, ...sums, liveTokens }
}

// Reads which credentials and API keys expire soon.

const LIVE = 'revoked_at is null and {}.expires_at > ? and {}.expires_at <= ? order by {}.expires_at, {}.id limit ?'

const liveOf = (table: string): string => `${table}.${LIVE.replaceAll('{}', table)}`

const columnsOf = (table: string): string =>
  `${table}.id, ${table}.name, ${table}.expires_at as "expiresAt", ${table}.last_used_at as "lastUsedAt"`

const CREDENTIALS = `select 'credential' as kind, agent.id as "agentId", agent.name as "agentName", ${columnsOf('credential')}
  from credential join agent on agent.n = credential.agent where agent.deleted_at is null and ${liveOf('credential')}`

const API_KEYS = `select 'api_key' as kind, null as "agentId", null as "agentName", ${columnsOf('api_key')}
  from api_key where ${liveOf('api_key')}`

/** Reads what expires soon, soonest first. */
function* readExpiring({ now }: Snapshot): Program<readonly Expiring[]> {
  const soon = [now, now + EXPIRING_DAYS * DAY_MS, EXPIRING_MAX] as const
  const found = [...(yield* all<Expiring>(CREDENTIALS, ...soon)), ...(yield* all<Expiring>(API_KEYS, ...soon))]
  return found.toSorted((a, b) => a.expiresAt - b.expiresAt).slice(0, EXPIRING_MAX)
}

type Answer<Item> = { readonly at: MonotonicMilliseconds; readonly limit: number; readonly items: readonly Item[] }

/**
 * Reads one answer at a time, however many ask. What was counted is visible once the pause between two hand-overs and the
 * time in which an answer is given again have passed.
 */
export const makeBuffered = <Item>(
  read: (limit: number) => Promise<readonly Item[]>,
  { usageFreshMs }: Pick<Timing, 'usageFreshMs'>,
  now: () => MonotonicMilliseconds = monotonicMs,
): ((limit: number) => Promise<readonly Item[]>) => {
  let answer: Answer<Item> | undefined
  let last: Promise<unknown> = Promise.resolve()

  const answerTo = async (limit: number): Promise<readonly Item[]> => {
    if (answer === undefined || now() - answer.at >= usageFreshMs || answer.limit < limit) {
      answer = undefined
      const at = now()
      answer = { at, limit, items: await read(limit) }
    }
    return answer.items.slice(0, limit)
  }

  return limit => {
    const asked = last.then(() => answerTo(limit))
    last = asked.catch(() => undefined)
    return asked
  }
}

/** Converts times into ages as of `now`, when the counts are written: they may have waited for the store. */
const batchOf = (counts: readonly ResolvedCount[], now: MonotonicMilliseconds): UseBatch => {
  const aged = <Count extends Span>({ firstAt, lastAt, ...count }: Count): Omit<Count, keyof Span> & Ages => ({
    ...count,
    firstAgoMs: now - firstAt,
    lastAgoMs: now - lastAt,
  })
  return {
    pairs: counts.filter(one => one.kind === 'pair').map(aged),
    ended: counts.filter(one => one.kind === 'ended').map(aged),
    reports: counts.filter(one => one.kind === 'reported'),
  }
}

type Parts = {
  readonly nameCaches: NameCaches
  readonly timing: Pick<Timing, 'handOverMs' | 'usageFreshMs'>
  readonly onFault: OnFault
  readonly countLive: CountLive
}

export const makeUsageCounts = (
  reader: Reader,
  writer: Writer,
  { nameCaches, timing, onFault, countLive }: Parts,
): UsageCounts & { readonly settle: () => Promise<void> } => {
  const counter = makeUsageCounter({ handOver: counts => writer.call('countUsage', counts), timing, onFault })
  const uses = makeUseCounter({
    handOver: async counts =>
      writer.call('countUses', batchOf(await resolveUses(reader, nameCaches, counts), monotonicMs())),
    timing,
    onFault,
  })
  const statuses = makeBuffered(async () => [await readStatus(reader, countLive)], timing)
  // It looks at every credential, and each page of the console asks for it after an act.
  const expiring = makeBuffered(() => reader.read(readExpiring), timing)
  const ofAll = <Item>(read: (request: SeriesRequest) => Promise<readonly Item[]>) => {
    const over = (window: SeriesWindow) => makeBuffered(() => read({ over: window, agentId: null }), timing)
    return { '1h': over('1h'), '24h': over('24h') }
  }
  const series = ofAll(async request => [await readSeries(reader, request)])
  const refusals = ofAll(request => readRefusals(reader, request))
  return {
    countIssued: counter.issued,
    countRefused: counter.refused,
    afterAnswers: uses.afterAnswers,
    countActive: uses.countActive,
    countInactive: uses.countInactive,
    countReported: uses.countReported,
    list: makeBuffered(limit => readUsage(reader, limit), timing),
    listEach: (agentIds, limit) => readUsageOf(reader, agentIds, limit),
    listUses: request => reader.readUntimed(() => namePage(listUses(request), request.named)),
    listLateUses: request => reader.readUntimed(() => namePage(listLateUses(request), request.named)),
    status: async () => {
      const [status] = await statuses(1)
      if (status === undefined) throw new Error('The status was not read.')
      return status
    },
    series: async request =>
      request.agentId === null ? (await series[request.over](1))[0] : readSeries(reader, request),
    listRefusals: request =>
      request.agentId === null ? refusals[request.over](Number.POSITIVE_INFINITY) : readRefusals(reader, request),
    listExpiring: () => expiring(EXPIRING_MAX),
    /** Hands over what it has counted and not handed over yet. Never rejects. */
    settle: async () => {
      await counter.settle()
      await uses.settle()
    },
  }
}
