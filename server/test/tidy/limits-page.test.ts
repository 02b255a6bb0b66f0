// docs/limits.md is the one table of limits: each value is that of the code, and no limit that a caller can meet is missing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingEntries } from '../../src/config/settings/settings.ts'
import { TIMING } from '../../src/ports/timing.ts'
import { nothing, readFiles, readText } from '../../../testkit/sources/source-files.ts'

/** A constant by its file and name, as `pipelining/OWN_WAITING_MAX`, or a wait, as `timing/answerMs`; in ms, bytes, or pieces. */
type Values = ReadonlyMap<string, number>

const DECLARED = /^(?:export )?const ([A-Z][A-Z0-9_]*)(?:: [^=\n]+)? = (\{[^}]*\}|[^\n]+)/gm
const PRODUCT = /^[\d_]+(?: \* [\d_]+)*$/

const valueOf = (text: string): number | undefined =>
  PRODUCT.test(text)
    ? text.split(' * ').reduce((product, one) => product * Number(one.replaceAll('_', '')), 1)
    : undefined

const unitOf = (name: string): number =>
  /SECONDS/.test(name) && !/MILLISECONDS/.test(name) ? 1000 : /DAYS/.test(name) ? 86_400_000 : 1

const stemOf = (path: string): string => path.replace(/^.*\//, '').replace(/\.ts$/, '')

const SOURCES = ['api', 'server/src', 'packages/verify/src/readers'].flatMap(folder => readFiles(`${folder}/**/*.ts`))

/** All constants of the code, and those among them that are called limits. */
const readConstants = () => {
  const values = new Map<string, number>()
  const limits = new Set<string>()
  const doubled: string[] = []
  const add = (key: string, text: string): void => {
    const value = valueOf(text.trim())
    if (value === undefined) return
    if (values.has(key) && key.endsWith('_MAX')) doubled.push(key)
    values.set(key, value * unitOf(key))
  }
  for (const { path, text } of SOURCES) {
    for (const [, name = '', right = ''] of text.matchAll(DECLARED)) {
      const key = `${stemOf(path)}/${name}`
      if (name.endsWith('_MAX')) limits.add(key)
      if (!right.startsWith('{')) add(key, right.replace(/ (?:as const|\/\/).*$/, ''))
      else
        for (const [, member = '', value = ''] of right.matchAll(/(\w+): ([\d_* ]+)/g)) add(`${key}.${member}`, value)
    }
  }
  return { values, limits, doubled }
}

const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  minutes: 60_000,
  days: 86_400_000,
  bytes: 1,
  KiB: 1024,
  MiB: 1_048_576,
  characters: 1,
  'a minute': 1,
  '': 1,
}

type Row = { readonly key: string; readonly value: number }

const ROW = /^\| (?<what>[^|]+) \| (?<value>[^|]+) \| (?<per>[^|]+) \| (?<beyond>[^|]+) \| `(?<key>[^`|]+)` \|$/

const readRow = (line: string): Row => {
  const { value: text = '', key = '' } = ROW.exec(line)?.groups ?? {}
  const [, number = '', unit = ''] = /^([\d,.]+) ?(.*)$/.exec(text) ?? []
  assert.ok(key !== '' && number !== '' && UNITS[unit] !== undefined, `Not a row of five cells with a value: ${line}`)
  return { key, value: Number(number.replaceAll(',', '')) * (UNITS[unit] ?? Number.NaN) }
}

const readRows = (): readonly Row[] =>
  readText('docs/limits.md')
    .split('\n')
    .filter(line => line.startsWith('| ') && !line.startsWith('| limit |'))
    .map(readRow)

/** Limits that no caller and no operator can meet, by the reason. */
const INTERNAL: Readonly<Record<string, readonly string[]>> = {
  'a name of a setting, not a limit': ['limits/AT_LIVE_TOKENS_MAX'],
  'up to it a number is exact': ['provider-answers/EXPIRY_SECONDS_MAX'],
  'how much work is done together; more is done next': [
    'start-queue/STARTED_MAX',
    'cascades/FOLLOWED_AT_ONCE_MAX',
    'list-lineage/LINEAGES_MAX',
    'read-usage/TOGETHER_MAX',
    'read-usage/ROWS_MAX',
    'usage-counter/TOGETHER_MAX',
    'use-counter/TOGETHER_MAX',
    'position-reports/TOGETHER_MAX',
    'read-range/PAGES_MAX',
    'one-by-one/GROUP_MAX',
    'start-traces/LINKS_MAX',
    'start-traces/MESSAGE_CHARACTERS_MAX',
    'group/TURNS_MAX',
    'batched-lookup/IN_FLIGHT_MAX',
    'batched-lookup/TOGETHER_MAX',
    'append-facts/TAILS_MAX',
    'revocation-feed/PAGE_FACTS_MAX',
    'read-feed-page/ROWS_MAX',
    'batches/SHARED_MAX',
    'read-api-keys/IN_FLIGHT_MAX',
    'read-api-keys/TOGETHER_MAX',
    'audit-log/TOGETHER_MAX',
    'hot-ledger/INSERTS_IN_FLIGHT_MAX',
    'end-tokens/MOVED_AT_ONCE_MAX',
    'end-tokens/EXAMINED_AT_ONCE_MAX',
    'seals/SEAL_ENTRIES_MAX',
    'verification-queue/UNDER_WAY_MAX',
    'acts/ACTS_SEARCHED_MAX',
    'shares/RARE_ROWS_MAX',
    'audience-spans/SETS_MAX',
    'audience-spans/SPANS_MAX',
    'audience-spans/RUNS_MAX',
    'ways/RARE_STREAMS_MAX',
    'ways/MERGED_SCOPE_SETS_MAX',
    'ways/MERGED_AGENT_STREAMS_MAX',
    'ways/MERGED_STREAMS_MAX',
    'live-rows/DEAD_ROWS_MAX',
    'name-lookups/LOOK_UPS_MAX',
    'name-lookups/FAILED_LOOK_UPS_MAX',
    'live-rows/BEYOND_MAX',
  ],
  'the size of a cache; what is not in it is read again': [
    'audience/CACHED_MAX',
    'read-range/CACHED_BYTES_MAX',
    'changes/CACHED_BYTES_MAX',
    'changes/CHANGES_MAX',
    'source/CACHED_MAX',
    'source/CACHED_CHARACTERS_MAX',
    'authorization/KNOWN_MAX',
    'client-repositories/CACHED_MAX',
    'name-cache/CACHED_MAX',
    'insert-plain/CACHED_MAX',
    'transaction/CACHED_MAX',
    'dpop-proofs/CACHED_MAX',
    'provider-key-cache/KNOWN_MAX',
    'name-lookups/FAILED_NAMES_MAX',
    'token-codec/OPEN_KEYS_MAX',
    'run-program/NAMED_MAX',
    'foreign-hash-queue/CREDENTIALS_MAX',
    'foreign-hash-queue/NETWORKS_MAX',
    'foreign-hash-queue/KNOWN_NETWORKS_MAX',
  ],
  'a part of the time that a response may take': ['insert-plain/ID_AGE_MS_MAX', 'lease/CLOCK_OFF_MS_MAX'],
  'tries, after which the caller gets what a failure gets': [
    'faults/ATTEMPTS_MAX',
    'move-tables/ROUNDS_MAX',
    'act-alone/POLLS_MAX',
    'session-repository/KEEPS_MAX',
    'provider-key-cache/ASKED_MAX',
    'key-sets/DOUBLINGS_MAX',
    'reload-files/SETTLE_READS_MAX',
  ],
  'connections that the service itself opens': [
    'start-session/HOT_CONNECTIONS_MAX',
    'start-session/SIDE_CONNECTIONS_MAX',
  ],
  'derived from a limit in the table': ['ended-minutes/LIFETIME_MS_MAX'],
  'a text is cut, and nothing is refused': [
    'found-at/FOUND_AT_CHARACTERS_MAX',
    'plan-clients/CLIENT_ID_CHARACTERS_MAX',
    'failed-authentications/CHARACTERS_MAX',
    'outage-log/REASONS_MAX',
  ],
  'when metadata of a provider is fetched again': ['provider-key-set/METADATA_MILLISECONDS_MAX'],
  'part of the check of a setting, or of a hint': ['addresses/PORT_MAX', 'reader/HINT_DISTANCE_MAX'],
}

const WAITS: Values = new Map(Object.entries(TIMING).map(([member, ms]) => [`timing/${member}`, ms]))

/** The default of each setting that the table may name. */
const DEFAULTS: Values = new Map(settingEntries().map(([name, { fallback }]) => [name, Number(fallback)]))

test('each value in docs/limits.md is that of the constant or the default of the setting beside it', () => {
  const { values, doubled } = readConstants()
  nothing(doubled, 'Two limits have the same file name and the same name: rename one.')
  const known = new Map([...values, ...WAITS, ...DEFAULTS])
  const rows = readRows()
  assert.ok(rows.length > 80, 'The table is hardly read.')
  const wrong = rows
    .filter(({ key, value }) => known.get(key) !== value)
    .map(({ key, value }) => `${key}: ${value} in docs/limits.md, ${known.get(key) ?? 'nothing'} in the code`)
  nothing(wrong, 'Correct docs/limits.md; values in ms, bytes or pieces.')
  assert.equal(new Set(rows.map(({ key }) => key)).size, rows.length, 'A limit stands in the table twice.')
})

test('a constant whose name ends in _MAX is in docs/limits.md, or is one that nobody can meet', () => {
  const { limits } = readConstants()
  assert.ok(limits.size > 100, 'Next to no limits are found.')
  const internal = Object.values(INTERNAL).flat()
  const rows = readRows().map(({ key }) => key.replace(/\..*$/, ''))
  const missing = [...limits].filter(key => !internal.includes(key) && !rows.includes(key))
  nothing(
    missing,
    'Add a row to docs/limits.md, or, if neither a caller nor an operator can meet it, a line to INTERNAL here.',
  )
  const stale = internal.filter(key => !limits.has(key) || rows.includes(key))
  nothing(stale, 'These are gone, or stand in docs/limits.md: remove them from INTERNAL.')
})
