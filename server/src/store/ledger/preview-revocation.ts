// Counts what a revocation would end now, in steps with room for others between them.
import { setImmediate as turn } from 'node:timers/promises'
import { type CutOff, type CutOffConditions, isAncestorEnd } from '../../domain/ledger/ledger.ts'
import type { TokenRecord } from '../../domain/lists/page.ts'
import { COUNT_EXACT_MAX, SAMPLE_RECORDS_MAX } from '../../../../api/values/lists.ts'
import type { RevocationConditions, RevocationObstacle, RevocationPreview } from '../../domain/ledger/revocation.ts'
import type { Program } from '../statement-program.ts'
import type { Reader, Snapshot } from '../snapshot.ts'
import { hasLineages } from './lineages.ts'
import { type NameCaches, recordOf } from './name-caches.ts'
import { resolveConditions } from './revocations.ts'
import { scanAffectedRows, type ScanPosition } from './scan-affected-rows.ts'

const STEP_ROWS = 1000
/** Rows that one preview looks at: some seconds' work, of which others wait for a step at a time. */
const EXAMINED_MAX = 1_000_000

type Counting = {
  /** The cut-off as it would be if it were made at the first step. */
  readonly cutOff: CutOff
  /** Rows that the cut-off may cover, and then, where there are any, rows that may descend from those. */
  readonly among: 'reached' | 'delegated'
  readonly from: ScanPosition | null
  readonly examined: number
  readonly count: number
  readonly sample: readonly TokenRecord[]
  readonly done: boolean
}

const wouldBe = (conditions: CutOffConditions, { service, now }: Snapshot): CutOff => ({
  ...conditions,
  seq: service.seq + 1,
  at: now,
  reason: 'bulk_revocation',
  act: Number.MAX_SAFE_INTEGER,
})

function* begin(snapshot: Snapshot, conditions: RevocationConditions): Program<Counting | RevocationObstacle> {
  const resolved = yield* resolveConditions(conditions, snapshot)
  if (typeof resolved === 'string') return resolved
  const cutOff = wouldBe(resolved, snapshot)
  return { cutOff, among: 'reached', from: null, examined: 0, count: 0, sample: [], done: false }
}

function* step(snapshot: Snapshot, nameCaches: NameCaches, counting: Counting): Program<Counting> {
  const { cutOff, among, from, count } = counting
  const coveredMax = COUNT_EXACT_MAX + 1 - count
  const scanned = yield* scanAffectedRows(snapshot, cutOff, { among, from, examinedMax: STEP_ROWS, coveredMax })
  // What an act before has ended is not left to end, and what descends from covered rows is counted in the second scan.
  const covered = scanned.covered.filter(({ cause }) =>
    among === 'reached' ? cause === cutOff : isAncestorEnd(cause) && cause.act === cutOff.act,
  )
  const sample = [...counting.sample]
  for (const { row } of covered.slice(0, SAMPLE_RECORDS_MAX - sample.length)) {
    sample.push(yield* recordOf(row, nameCaches, snapshot.sets))
  }
  const examined = counting.examined + STEP_ROWS
  const counted = { cutOff, examined, count: count + covered.length, sample }
  if (!scanned.done || among === 'delegated') return { ...counted, among, from: scanned.at, done: scanned.done }
  return { ...counted, among: 'delegated', from: null, done: !(yield* hasLineages()) }
}

const mayGoOn = ({ done, count, examined }: Counting): boolean =>
  !done && count <= COUNT_EXACT_MAX && examined < EXAMINED_MAX

export const previewRevocation = async (
  reader: Reader,
  nameCaches: NameCaches,
  conditions: RevocationConditions,
): Promise<RevocationPreview | RevocationObstacle> => {
  const begun = await reader.read(snapshot => begin(snapshot, conditions))
  if (typeof begun === 'string') return begun
  let counting: Counting = begun
  while (mayGoOn(counting)) {
    await turn()
    const current = counting
    counting = await reader.read(snapshot => step(snapshot, nameCaches, current))
  }
  const { count, sample, done, cutOff } = counting
  const agents = cutOff.selected?.agents.length ?? null
  return {
    instant: Math.floor(cutOff.at),
    count: Math.min(count, COUNT_EXACT_MAX),
    isExact: done && count <= COUNT_EXACT_MAX,
    agents,
    sample,
  }
}
