// How long a process waits stands in one table, server/src/ports/timing.ts, which compose/ hands down: so a test can give another.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BASE } from '../../../testkit/services/base-environment.ts'
import { findIn, nothing, readFiles, readText, type SourceFile } from '../../../testkit/sources/source-files.ts'
import { SILENT_SECONDS } from '../../../api/values/verifiers.ts'
import { timingOf } from '../../src/compose/timing.ts'
import { TIMING } from '../../src/ports/timing.ts'
import { readServeConfig } from '../../src/config/config.ts'

const TABLE = 'server/src/ports/timing.ts'

const SOURCES = readFiles('server/src/**/*.ts').filter(
  ({ path }) => path !== TABLE && !path.startsWith('server/src/domain/'),
)

/** A constant of a module in milliseconds, or a record of them. A text is none. */
const DECLARED = /^(?:export )?const ((?:[A-Z][A-Z0-9_]*_)?(?:MS|MILLISECONDS)(?:_MAX)?)(?:: [^=\n]+)? = (?!['"`])/gm

/** Rules of time, which say nothing about how long the process waits, by the reason. */
const RULES: Readonly<Record<string, readonly string[]>> = {
  'a window in which a number of events is too many': ['compose/thread-ends/WINDOW_MS'],
  'how soon after another an act is more often a slip than meant': ['cli/key/REPEAT_MS'],
  'what the first bytes of a token id say': ['store/lists/audience-spans/SPAN_MS'],
  'requests in a millisecond: a rate': ['http/wire/start-queue/PER_MS'],
  'the longest time that a timer of Node has': ['metrics/process-metrics/NEVER_MS'],
  'the age of keys and metadata of another server': [
    'keys/providers/provider-key-cache/KEYS_FRESH_MILLISECONDS',
    'keys/providers/provider-key-cache/KEYS_HELD_MILLISECONDS_MAX',
    'keys/providers/provider-key-set/METADATA_MILLISECONDS_MAX',
  ],
  'the lease of the clock, and how far clocks may be apart': [
    ...['LEASE_MS', 'LEASE_WAIT_MS', 'CLOCK_OFF_MS_MAX', 'CLOCK_STEPS_MS', 'ANSWER_MS'].map(
      name => `store/lease/${name}`,
    ),
    'store/ledger/end-tokens/ID_BEFORE_ROW_MS',
    'store/lists/asked-numbers/PERIOD_MARGIN_MS',
    'store/postgres/hot/insert-plain/ID_AGE_MS_MAX',
    'store/postgres/partitions/partitions/CLOCKS_APART_MS',
  ],
  'how long something is kept, or does not change any more': [
    'store/feed/report-positions/KEPT_MS',
    'store/postgres/partitions/partition-maintenance/UNCHANGED_AFTER_MS',
    'store/postgres/partitions/partition-maintenance/CLOSED_AFTER_MS',
    'store/postgres/writer/maintenance/PARTITION_MS',
    'store/retention/REFUSALS_KEPT_MS',
    'store/usage/evidence/count-uses/USES_KEPT_MS',
  ],
  'to which step of time something is recorded, or counts': [
    'store/ledger/quota-check/SECOND_MS',
    'store/lists/ended-minutes/LIFETIME_MS_MAX',
    'store/lists/ended-minutes/MINUTE_MS',
    'store/metrics/facts/SOON_MS',
    'store/repositories/last-uses/LAST_USE_STEP_MS',
    'store/repositories/managed/apply-record/PLAN_MS_MAX',
    'store/repositories/sessions/CLAIM_MS',
    'store/repositories/sessions/SESSION_USE_STEP_MS',
  ],
}

const keysOf = ({ path, text }: SourceFile): readonly string[] =>
  [...text.matchAll(DECLARED)].map(([, name]) => `${path.slice('server/src/'.length, -'.ts'.length)}/${name}`)

test('no module has a constant that says how long the process waits', () => {
  const found = SOURCES.flatMap(keysOf)
  const known = Object.values(RULES).flat()
  const wrong = found.filter(key => !known.includes(key))
  nothing(wrong, `Make it a member of ${TABLE}; or, if it is a rule of time, name it in RULES here, with the reason.`)
  const stale = known.filter(key => !found.includes(key))
  nothing(stale, 'These are gone: remove them from this test.')
})

test('only compose/ has the values of the table: all else is handed what it waits by', () => {
  const imports = /import \{[^}]*(?<!type )\bTIMING\b[^}]*\} from '[^']*ports\/timing\.ts'/
  assert.match(readText('server/src/compose/timing.ts'), imports)
  nothing(
    findIn(
      SOURCES.filter(({ path }) => !path.startsWith('server/src/compose/')),
      imports,
    ),
    'Take `timing: Pick<Timing, …>`, or make it by timingOf() of compose/timing.ts.',
  )
})

test('the table says how long a service drains that is configured by nothing else', async () => {
  assert.deepEqual(timingOf(await readServeConfig(BASE)), timingOf())
  assert.equal(timingOf(await readServeConfig({ ...BASE, MINTMARK_DRAIN_SECONDS: '7' })).drainMs, 7000)
})

const constantOf = (path: string, name: string): number =>
  Number(new RegExp(`const ${name} = ([\\d_]+)$`, 'm').exec(readText(path))?.[1]?.replaceAll('_', ''))

test('the service and a follower hear of each other twice before either gives the other up', () => {
  const quietMs = constantOf('packages/verify/src/feed/stream.ts', 'STREAM_QUIET_MS_MAX')
  const reportMs = constantOf('packages/verify/src/feed/reports.ts', 'REPORT_MS_MAX')
  assert.ok(2 * TIMING.feedHeartbeatMs < quietMs, `${TIMING.feedHeartbeatMs} ms beside ${quietMs} ms`)
  assert.ok(2 * reportMs < 1000 * SILENT_SECONDS, `${reportMs} ms beside ${SILENT_SECONDS} s`)
})
