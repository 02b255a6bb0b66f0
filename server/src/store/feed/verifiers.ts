// The port of verifiers: reports that are handed over in the background, and reads of where each says that it is beside the head.
import {
  type AgentUses,
  heardSince,
  type Holding,
  type StandingVerifier,
  staleSecondsOf,
  type Verifier,
  type VerifierCounts,
} from '../../domain/clients/verifier.ts'
import type { FeedHead } from '../../../../api/values/feed.ts'
import { MISSING_MAX, SILENT_SECONDS } from '../../../../api/values/verifiers.ts'
import type { RevocationFeed } from '../../ports/revocation-feed.ts'
import type { HoldingRequest, Verifiers, VerifiersRequest } from '../../ports/verifiers.ts'
import type { OnFault } from '../background.ts'
import { monotonicMs } from '../clocks.ts'
import type { Reader } from '../snapshot.ts'
import { all, only, type Program, type Value } from '../statement-program.ts'
import type { Writer } from '../subjects.ts'
import { makePositionReports, type PositionReports } from './position-reports.ts'
import { type FeedParts, readAnyHead } from './read-feed.ts'

type Row = Omit<Verifier, 'uses'> & { readonly uses: string | null }

const LIST = `select v.api_key as "apiKeyId", k.name as "apiKeyName", v.name, v.address, v.epoch, v.position,
    v.first_at as "firstAt", v.reported_at as "reportedAt", v.uses
  from verifier v join api_key k on k.id = v.api_key`
const PAGE = `${LIST} where (v.api_key, v.name) > (?, ?) order by v.api_key, v.name limit ?`
const PAGE_OF_KEY = `${LIST} where v.api_key = ? and v.name > ? order by v.name limit ?`

/** An id has so many characters; the name follows it. */
const ID_CHARACTERS = 36

function* listVerifiers(
  feed: FeedHead,
  { apiKeyId, after, limit }: VerifiersRequest,
): Program<readonly StandingVerifier[]> {
  const place = [after?.slice(0, ID_CHARACTERS) ?? '', after?.slice(ID_CHARACTERS) ?? ''] as const
  const rows =
    apiKeyId === null ? yield* all<Row>(PAGE, ...place, limit) : yield* all<Row>(PAGE_OF_KEY, apiKeyId, place[1], limit)
  return rows.map(({ uses, ...row }) => ({
    verifier: { ...row, uses: uses === null ? [] : (JSON.parse(uses) as readonly AgentUses[]) }, // written by reportPositions
    feed,
  }))
}

const HOLDS = '(epoch = ? and position >= ?)'
const COUNTS = `select count(*) as total, cast(coalesce(sum(case when ${HOLDS} then 1 else 0 end), 0) as bigint) as holding
  from verifier where reported_at >= ?`
const MISSING = `select name, api_key as "apiKeyId", reported_at as "reportedAt" from verifier
  where not ${HOLDS} and reported_at >= ?`

// The states that `verifierRecord` gives.
const STATES = `select cast(coalesce(sum(case when reported_at <= ? then 1 else 0 end), 0) as bigint) as silent,
    cast(coalesce(sum(case when reported_at > ? and ${HOLDS} then 1 else 0 end), 0) as bigint) as current, count(*) as total
  from verifier where reported_at >= ?`

/** Counts by state the verifiers that a revocation counts. */
export function* countVerifiers({ now, epoch, position }: FeedHead): Program<VerifierCounts> {
  const silentBefore = now - 1000 * SILENT_SECONDS
  const asked = [silentBefore, silentBefore, epoch, position, heardSince(now)] as const
  const { silent, current, total } = yield* only<{ silent: number; current: number; total: number }>(STATES, ...asked)
  return { silent, current, behind: total - silent - current }
}

function* readHolding(feed: FeedHead, { apiKeyId, position }: HoldingRequest): Program<Holding> {
  const where = apiKeyId === null ? '' : ' and api_key = ?'
  const own = apiKeyId === null ? [] : [apiKeyId]
  const asked: readonly Value[] = [feed.epoch, position ?? 0, heardSince(feed.now), ...own]
  const counts = yield* only<Pick<Holding, 'total' | 'holding'>>(COUNTS + where, ...asked)
  if (counts.total === counts.holding) return { ...counts, missing: [] }
  const text = `${MISSING}${where} order by reported_at, api_key, name limit ?`
  const rows = yield* all<Pick<Verifier, 'name' | 'apiKeyId' | 'reportedAt'>>(text, ...asked, MISSING_MAX)
  const missing = rows.map(row => ({
    name: row.name,
    apiKeyId: row.apiKeyId,
    staleSeconds: staleSecondsOf(row.reportedAt, feed.now),
  }))
  return { ...counts, missing }
}

type Parts = Pick<FeedParts, 'epochSuffix'> & { readonly feed: Pick<RevocationFeed, 'head'>; readonly onFault: OnFault }

export const makeVerifiers = (
  { read }: Reader,
  { call }: Writer,
  { feed, epochSuffix, onFault }: Parts,
): Verifiers & Pick<PositionReports, 'settle'> => {
  const { report, settle } = makePositionReports({
    head: feed.head,
    handOver: batch => call('reportPositions', batch),
    monotonic: monotonicMs,
    onFault,
  })
  return {
    report,
    settle,
    list: request =>
      read(function* ({ now }) {
        return yield* listVerifiers(yield* readAnyHead(now, epochSuffix), request)
      }),
    holding: request =>
      read(function* ({ now }) {
        return yield* readHolding(yield* readAnyHead(now, epochSuffix), request)
      }),
  }
}
