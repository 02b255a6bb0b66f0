// The port of verifiers: reports that are handed over in the background, and reads of where everybody is.
import type { RevocationFeed } from '../../ports/revocation-feed.ts'
import type { Verifiers } from '../../ports/verifiers.ts'
import type { OnFault } from '../background.ts'
import type { Writer } from '../subjects.ts'
import { monotonicMs } from '../clocks.ts'
import type { Reader } from '../snapshot.ts'
import { makePositionReports, type PositionReports } from './position-reports.ts'
import { listVerifiers, readHolding, readStanding } from './read-verifiers.ts'
import type { FeedParts } from './revocation-feed.ts'

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
        return yield* listVerifiers(yield* readStanding(now, epochSuffix), request)
      }),
    holding: request =>
      read(function* ({ now }) {
        return yield* readHolding(yield* readStanding(now, epochSuffix), request)
      }),
  }
}
