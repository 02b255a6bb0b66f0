// The reference of limits has every limit of the code that a caller can meet.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS, readConstants } from '../../../site/reference/limits.ts'
import { nothing } from '../../../testkit/sources/source-files.ts'

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
    'live-rows/PASSED_ROWS_MAX',
    'name-lookups/LOOK_UPS_MAX',
    'name-lookups/FAILED_LOOK_UPS_MAX',
    'live-rows/BEYOND_MAX',
  ],
  'the size of a cache; what is not in it is read again': [
    'audience/CACHED_MAX',
    'access-bytes/OUTCOMES_MAX',
    'identity-provider/KEPT_MAX',
    'identity-provider/KEPT_SECONDS_MAX',
    'key-sets/PLACES_MAX',
    'asked-columns/COMPARED_SETS_MAX',
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
    'session-repository/POLLS_MAX',
    'provider-key-cache/ASKED_MAX',
    'key-sets/DOUBLINGS_MAX',
    'reload-files/SETTLE_READS_MAX',
  ],
  'a share that is kept for callers with few connections': ['connection-limit/FEW_CONNECTIONS_MAX'],
  'what is dropped or lost beyond it nobody waits for': ['end-gently/UNREAD_BYTES_MAX', 'start-traces/EXPORTS_MAX'],
  'connections that the service itself opens': [
    'start-session/HOT_CONNECTIONS_MAX',
    'start-session/SIDE_CONNECTIONS_MAX',
  ],
  'derived from a limit in the table': ['ended-minutes/LIFETIME_MS_MAX'],
  'beyond it records are counted together, or a count is a lower bound': [
    'usage-counter/COUNTED_AGENTS_MAX',
    'read-usage/JUDGED_MAX',
    'usage/REFUSAL_ROWS_A_SLOT_MAX',
    'usage/PAIRS_A_MINUTE_MAX',
    'usage/ENDED_A_MINUTE_MAX',
    'usage/EXPIRED_A_MINUTE_MAX',
    'use-counter/COUNTED_PAIRS_MAX',
    'use-counter/PRESENTED_MAX',
    'use-counter/PRESENTED_OF_KEY_MAX',
    'use-counter/REPORTED_MAX',
    'token-use/ADDED_MAX',
    'attempt/REFUSALS_A_MINUTE_MAX',
    'count-tokens/COUNT_JUDGED_MAX',
    'position-reports/WAITING_MAX',
    'position-reports/WAITING_OF_KEY_MAX',
  ],
  'a list in an answer is cut, and the rest is counted': [
    'grant-refusals/ITEMS_SHOWN_MAX',
    'grant-refusals/RESOURCES_SHOWN_MAX',
    'import-plan/LEFT_OUT_MAX',
    'find-named/CANDIDATES_MAX',
    'follow-revocation/NAMED_MAX',
    'check-part/PART_SEALS_MAX',
  ],
  'a text is cut, and nothing is refused': [
    'provider-answers/NAME_CHARACTERS_MAX',
    'provider-answers/REFUSED_MAX',
    'serve-sessions/TO_CHARACTERS_MAX',
    'found-at/FOUND_AT_CHARACTERS_MAX',
    'provider-key-set/NAMED_CHARACTERS_MAX',
    'plan-clients/CLIENT_ID_CHARACTERS_MAX',
    'failed-authentications/CHARACTERS_MAX',
    'outage-log/REASONS_MAX',
  ],
  'when metadata of a provider is fetched again': ['provider-key-set/METADATA_MILLISECONDS_MAX'],
  'part of the check of a setting, or of a hint': ['addresses/PORT_MAX', 'reader/HINT_DISTANCE_MAX'],
}

const KEYS = LIMITS.flatMap(({ rows }) => rows.map(([, key]) => key))

test('no limit stands in the reference twice, and no two limits have one name', () => {
  nothing(readConstants().doubled, 'Two limits have the same file name and the same name: rename one.')
  assert.equal(new Set(KEYS).size, KEYS.length)
})

test('a constant whose name ends in _MAX is in the reference of limits, or is one that nobody can meet', () => {
  const { limits } = readConstants()
  assert.ok(limits.size > 100, 'Next to no limits are found.')
  const internal = Object.values(INTERNAL).flat()
  const rows = KEYS.map(key => key.replace(/\..*$/, ''))
  const missing = [...limits].filter(key => !internal.includes(key) && !rows.includes(key))
  nothing(
    missing,
    'Add a row to site/reference/limit-rows.ts, or, if neither a caller nor an operator can meet it, a line to INTERNAL here.',
  )
  const stale = internal.filter(key => !limits.has(key) || rows.includes(key))
  nothing(stale, 'These are gone, or stand in the reference: remove them from INTERNAL.')
})
