// Counts the live tokens that an act would end now, in steps with room for others between them, however many counts there are.
import { setImmediate as turn } from 'node:timers/promises'
import type { Milliseconds } from '../../../../api/values/time.ts'
import { COUNT_EXACT_MAX, DESCENDANT_AGENTS_MAX, SAMPLE_RECORDS_MAX } from '../../../../api/values/lists.ts'
import { type DescendantAgent, type EndCount, endedBy, type Ending, wouldEnd } from '../../domain/ledger/ends.ts'
import type { CutOff } from '../../domain/ledger/ledger.ts'
import type { TokenRecord } from '../../domain/lists/page.ts'
import { makePermitQueue, type Release } from '../../ports/permit-queue.ts'
import type { Timing } from '../../ports/timing.ts'
import { isAnyOf } from '../lists/name-conditions.ts'
import { all, type Program } from '../statement-program.ts'
import type { Reader, Snapshot } from '../snapshot.ts'
import { hasLineages } from './lineages.ts'
import { scanAffectedRows, type ScanPosition } from './scan-affected-rows.ts'
import type { TokenRow } from './token-rows.ts'

const STEP_ROWS = 1000
/** Rows that one count looks at: some seconds' work, of which others wait for a step at a time. */
const EXAMINED_MAX = 1_000_000
/** A count may take so much of the deadline of the store: its caller has to hear what was found until then. */
const TIME_PART = 0.8

export type Decided<Refused> = { readonly endings: readonly Ending[] } | { readonly refused: Refused }

/** What the act ends, or why it is refused. */
export type Decide<Refused> = (snapshot: Snapshot) => Program<Decided<Refused>>

/** Makes the records of a sample; without it there is none. */
type RecordOf = ((snapshot: Snapshot, row: TokenRow) => Program<TokenRecord>) | undefined

type Counting = Pick<EndCount, 'tokens'> & {
  /** How many of each agent, by the store's numbers: together at most {@link COUNT_EXACT_MAX}. */
  readonly descendants: ReadonlyMap<number, number>
  /** As they would stand if they were made at the first step, all of them on the same agent, credential or key. */
  readonly cutOffs: readonly [CutOff, ...CutOff[]]
  /** Rows that the cut-offs may cover, and then, where there are any, rows that may descend from those. */
  readonly among: 'reached' | 'delegated'
  readonly from: ScanPosition | null
  readonly examined: number
  readonly sample: readonly TokenRecord[]
  readonly isDone: boolean
}

const NOTHING: EndCount = { tokens: 0, descendants: 0, descendantAgents: [], isExact: true, reasons: [] }

const START = {
  tokens: 0,
  descendants: new Map<number, number>(),
  among: 'reached',
  from: null,
  examined: 0,
  sample: [],
  isDone: false,
} as const

function* sampleWith(
  recordOf: RecordOf,
  snapshot: Snapshot,
  sample: readonly TokenRecord[],
  rows: readonly TokenRow[],
): Program<readonly TokenRecord[]> {
  if (recordOf === undefined) return sample
  const records = [...sample]
  for (const row of rows.slice(0, SAMPLE_RECORDS_MAX - sample.length)) records.push(yield* recordOf(snapshot, row))
  return records
}

const sum = (counts: ReadonlyMap<number, number>): number =>
  [...counts.values()].reduce((total, count) => total + count, 0)

const addAgents = (counts: ReadonlyMap<number, number>, rows: readonly TokenRow[]): ReadonlyMap<number, number> => {
  if (rows.length === 0) return counts
  const added = new Map(counts)
  for (const { agent } of rows) added.set(agent, (added.get(agent) ?? 0) + 1)
  return added
}

/** The agents that hold the most of these. */
function* nameAgents(counts: ReadonlyMap<number, number>): Program<readonly DescendantAgent[]> {
  const most = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, DESCENDANT_AGENTS_MAX)
  const [where] = isAnyOf(
    'n',
    most.map(([agent]) => agent),
  )
  if (where === undefined) return []
  const select = `select n, id as "agentId", name from agent where ${where.sql}`
  const rows = yield* all<Omit<DescendantAgent, 'tokens'> & { readonly n: number }>(select, ...where.values)
  const named = new Map(rows.map(({ n, ...agent }) => [n, agent]))
  return most.flatMap(([n, tokens]) => {
    const agent = named.get(n)
    return agent === undefined ? [] : [{ ...agent, tokens }]
  })
}

function* step(snapshot: Snapshot, counting: Counting, recordOf: RecordOf): Program<Counting> {
  const { cutOffs, among, from, tokens, descendants } = counting
  const [cutOff, ...others] = cutOffs
  const limits = { examinedMax: STEP_ROWS, coveredMax: COUNT_EXACT_MAX + 1 - tokens - sum(descendants) }
  const scanned = yield* scanAffectedRows(snapshot, cutOff, { among, others, from, ...limits })
  // Tokens that an earlier act ended are not counted. Descendants of covered rows are counted in the second scan.
  const wanted = among === 'reached' ? 'token' : 'descendant'
  const rows = scanned.covered.filter(({ cause }) => endedBy(cutOffs, cause) === wanted).map(({ row }) => row)
  const counted = {
    cutOffs,
    examined: counting.examined + STEP_ROWS,
    tokens: tokens + (among === 'reached' ? rows.length : 0),
    descendants: among === 'delegated' ? addAgents(descendants, rows) : descendants,
    sample: yield* sampleWith(recordOf, snapshot, counting.sample, rows),
  }
  if (!scanned.done || among === 'delegated') return { ...counted, among, from: scanned.at, isDone: scanned.done }
  return { ...counted, among: 'delegated', from: null, isDone: !(yield* hasLineages()) }
}

const isWithin = ({ tokens, descendants }: Counting): boolean => tokens + sum(descendants) <= COUNT_EXACT_MAX

type Found = {
  /** When the count began, by the clock of the store. */
  readonly at: Milliseconds
  readonly cutOffs: readonly CutOff[]
  readonly count: EndCount
  readonly sample: readonly TokenRecord[]
}

type InTurn = <T>(work: () => Promise<T>) => Promise<T>

/** Runs one step of one count in a turn of the event loop: counts side by side would delay all other work by a step of each. */
const makeTurns = (): InTurn => {
  const steps = makePermitQueue({ atOnceMax: 1, waitingMax: Number.POSITIVE_INFINITY })
  return async work => {
    const release = await new Promise<Release>((begin, refuse) => steps.enter('', { begin, refuse }))
    try {
      await turn()
      return await work()
    } finally {
      release()
    }
  }
}

type Means = { readonly reader: Reader; readonly inTurn: InTurn; readonly storeMs: number }

const countFrom = async (
  { reader, inTurn, storeMs }: Means,
  start: Counting,
  recordOf: RecordOf,
): Promise<Pick<Found, 'count' | 'sample'>> => {
  const until = performance.now() + TIME_PART * storeMs
  const isInTime = (): boolean => performance.now() < until
  let counting = start
  while (!counting.isDone && isWithin(counting) && counting.examined < EXAMINED_MAX && isInTime()) {
    const current = counting
    counting = await inTurn(async () =>
      isInTime() ? reader.read(snapshot => step(snapshot, current, recordOf)) : current,
    )
  }
  const { sample, isDone, cutOffs } = counting
  const tokens = Math.min(counting.tokens, COUNT_EXACT_MAX)
  const descendants = Math.min(sum(counting.descendants), COUNT_EXACT_MAX - tokens)
  const descendantAgents = descendants === 0 ? [] : await reader.read(() => nameAgents(counting.descendants))
  const reasons = [...new Set(cutOffs.map(({ reason }) => reason))]
  return { count: { tokens, descendants, descendantAgents, isExact: isDone && isWithin(counting), reasons }, sample }
}

/** Exact up to COUNT_EXACT_MAX in all, as far as it is found in time. What is refused here is what the act would be refused for. */
export type CountEnds = <Refused>(
  decide: Decide<Refused>,
  recordOf?: RecordOf,
) => Promise<Found | { readonly refused: Refused }>

const countEnds = async <Refused>(
  means: Means,
  decide: Decide<Refused>,
  recordOf: RecordOf,
): Promise<Found | { readonly refused: Refused }> => {
  const begun = await means.reader.read(function* (snapshot): Program<
    Pick<Found, 'at' | 'cutOffs'> | { readonly refused: Refused }
  > {
    const decided = yield* decide(snapshot)
    if ('refused' in decided) return decided
    const { now: at, service } = snapshot
    return { at, cutOffs: wouldEnd(decided.endings, { after: service.seq, at }) }
  })
  if ('refused' in begun) return begun
  const [first, ...others] = begun.cutOffs
  if (first === undefined) return { ...begun, count: NOTHING, sample: [] }
  return { ...begun, ...(await countFrom(means, { ...START, cutOffs: [first, ...others] }, recordOf)) }
}

export const makeEndCounter = (reader: Reader, { storeMs }: Pick<Timing, 'storeMs'>): CountEnds => {
  const means = { reader, inTurn: makeTurns(), storeMs }
  return (decide, recordOf) => countEnds(means, decide, recordOf)
}
