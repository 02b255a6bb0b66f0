// The statements by which the lists and the cut-offs reach tokens, as their programs ask them of a store that holds nothing.
import { LIFETIME_SECONDS_MAX } from '../../api/values/limits.ts'
import { NO_CONDITION } from '../../server/src/domain/ledger/ledger.ts'
import { ABOVE_EVERY_ID, lowestIdAt } from '../../server/src/domain/ledger/claims.ts'
import { readDescendants } from '../../server/src/store/ledger/cascades.ts'
import { makeSets } from '../../server/src/store/ledger/interned-sets.ts'
import { makeJudge } from '../../server/src/store/ledger/judge.ts'
import { scanAffectedRows } from '../../server/src/store/ledger/scan-affected-rows.ts'
import { reachOf } from '../../server/src/store/lists/ended-minutes.ts'
import { endedStreams } from '../../server/src/store/lists/ended-streams.ts'
import type { Condition } from '../../server/src/store/lists/name-conditions.ts'
import { isRareScope } from '../../server/src/store/lists/shares.ts'
import type { Access } from '../../server/src/store/lists/token-ranges.ts'
import { tokenStream } from '../../server/src/store/lists/token-streams.ts'
import { bytesOfId } from '../../server/src/store/rows.ts'
import type { Snapshot } from '../../server/src/store/snapshot.ts'
import { given } from '../../server/src/store/statement-program.ts'
import { statementsOf } from './asked-statements.ts'
import { NO_HISTORY_FILTERS, START } from './store.ts'

const SNAPSHOT: Snapshot = {
  now: START,
  sets: makeSets(),
  endedBetween: () => [0, START],
  service: { seq: 0, endedSeq: 0, lastEndSeq: 0, clockLease: 0, lastAt: 0 },
  cutOffs: () => given([]),
}
const JUDGE = makeJudge(SNAPSHOT, [])
const LIFE = 300
const LIVES = { 'from lifetime': [{ life: LIFE }] }
const LIMIT = 10
const POSITION = { at: START, id: lowestIdAt(START) }

const ACCESSES: readonly Access[] = Object.values({
  life: { by: 'life' },
  delegated: { by: 'delegated' },
  agent: { by: 'agent', n: 1 },
  scope: { by: 'scope', n: 1 },
  lineage: { by: 'lineage', n: 1 },
  subject: { by: 'subject', n: 1 },
  principal: { by: 'principal', n: 1 },
} satisfies Record<Access['by'], Access>)

/** By each way to live tokens: a range as a whole, or with a condition on columns both statements of a step. */
export const tokenRanges = (columns: Condition | null = null): readonly string[] =>
  ACCESSES.flatMap(access => {
    const way = { access, rootsOnly: false, columns }
    const bounds = { low: lowestIdAt(0), below: ABOVE_EVERY_ID, ceiling: START }
    const stream = tokenStream(SNAPSHOT, { way, life: LIFE, ...bounds, at: () => START, judge: JUDGE })
    return statementsOf(stream.fetch(POSITION, LIMIT))
  })

/** The same of ended tokens. */
export const endedRanges = (columns: Condition | null = null): readonly string[] =>
  ACCESSES.filter(({ by }) => by !== 'delegated').flatMap(access => {
    const way = { access, filters: NO_HISTORY_FILTERS, rootsOnly: false, columns }
    const asked = { after: null, reasons: ['manual_revocation'], acts: { by: null, number: null } } as const
    return endedStreams(SNAPSHOT, way, asked).flatMap(stream => statementsOf(stream.fetch(POSITION, LIMIT)))
  })

const CUT_OFF = { ...NO_CONDITION, seq: 1, at: START, reason: 'bulk_revocation', act: 1 } as const
const BOUNDS = { examinedMax: LIMIT, coveredMax: LIMIT }
const BEHIND = { life: LIFE, id: bytesOfId(POSITION.id) }

/** The scans of the rows that a cut-off may reach: from the start, and on from a row. */
export const CUT_OFF_SCANS: readonly string[] = [
  { cutOff: CUT_OFF, among: 'reached' as const },
  { cutOff: CUT_OFF, among: 'delegated' as const },
  { cutOff: { ...CUT_OFF, agent: 1 }, among: 'reached' as const },
].flatMap(({ cutOff, among }) =>
  [null, BEHIND]
    .flatMap(from => statementsOf(scanAffectedRows(SNAPSHOT, cutOff, { among, from, ...BOUNDS }), LIVES))
    .filter(text => text.includes('from token')),
)

/** The children of an ended token, which have yet to follow. */
export const DESCENDANTS: readonly string[] = statementsOf(
  readDescendants({ token: BEHIND.id, act: 1, at: START }, 0, LIMIT),
  { ...LIVES, 'from lineage': [{ n: 1 }] },
).filter(text => text.includes('from token'))

/** Whether a scope set is that of few ended tokens. */
export const RARE_SCOPE: readonly string[] = statementsOf(isRareScope(1, [], true))

/** The minutes of history that may hold tokens which were issued before a time, or since. */
export const OPEN_MINUTES: readonly string[] = ['issuedBefore', 'issuedAfter'].flatMap(bound => {
  const top = { at: START + 1000 * LIFETIME_SECONDS_MAX, id: ABOVE_EVERY_ID }
  return statementsOf(reachOf({ ...NO_HISTORY_FILTERS, [bound]: START }, top)(top))
})
