// Gathers where verifiers say that they are, and hands it over at once: one write is under way at a time, and what is reported
// meanwhile goes together with the next. A hundred verifiers that apply one change cost a few commits, and none waits for a timer.
import { scheduler } from 'node:timers/promises'
import type { FeedPosition } from '../../../../api/values/feed.ts'
import type { PositionReport } from '../../domain/clients/verifier.ts'
import { Unavailable } from '../../domain/refusal.ts'
import type { MonotonicMilliseconds } from '../../../../api/values/time.ts'
import type { OnFault } from '../background.ts'
import type { ReportPositions } from './report-positions.ts'

/** Verifiers of one API key whose reports wait in the memory of a thread; beyond it the one that waits longest is dropped. */
const WAITING_OF_KEY_MAX = 1000
/** The most reports of all keys together. */
const WAITING_MAX = 4000
/** An act waits for so many rows, some milliseconds. */
const TOGETHER_MAX = 128

type Waiting = {
  readonly report: PositionReport
  readonly at: MonotonicMilliseconds
  /** The store could not be had: it is older than when it is written. */
  readonly isLate?: true
}

type Handing = {
  readonly head: () => Promise<FeedPosition>
  readonly handOver: (batch: ReportPositions) => Promise<unknown>
  readonly monotonic: () => MonotonicMilliseconds
  readonly onFault: OnFault
}

export type PositionReports = {
  readonly report: (report: PositionReport) => void
  /** Hands over what it holds. Never rejects. */
  readonly settle: () => Promise<void>
}

/** A late report of another epoch must not hide that of the present one. */
const placeOf = ({ apiKeyId, name, epoch }: PositionReport): string => JSON.stringify([apiKeyId, name, epoch])

const joined = (before: PositionReport, after: PositionReport): PositionReport => ({
  ...after,
  position: Math.max(before.position, after.position),
  uses: after.uses ?? before.uses,
})

/** Makes the queue of reports that wait, the oldest first. */
const makeQueue = () => {
  const waiting = new Map<string, Waiting>()
  const ofKey = new Map<string, Set<string>>()
  let dropped = 0

  const remove = (place: string): Waiting | undefined => {
    const found = waiting.get(place)
    if (found === undefined) return undefined
    waiting.delete(place)
    const places = ofKey.get(found.report.apiKeyId)
    places?.delete(place)
    if (places?.size === 0) ofKey.delete(found.report.apiKeyId)
    return found
  }

  const dropOldest = (places: Iterable<string>): void => {
    const [oldest = ''] = places
    remove(oldest)
    dropped += 1
  }

  return {
    add: (one: Waiting): void => {
      const place = placeOf(one.report)
      const before = remove(place)
      const { apiKeyId } = one.report
      const places = ofKey.get(apiKeyId) ?? new Set()
      if (places.size >= WAITING_OF_KEY_MAX) dropOldest(places)
      else if (waiting.size >= WAITING_MAX) dropOldest(waiting.keys())
      ofKey.set(apiKeyId, places.add(place))
      waiting.set(place, before === undefined ? one : { ...one, report: joined(before.report, one.report) })
    },
    /** Keeps reports that the store did not take, unless a newer one has come. */
    giveBack: (some: readonly Waiting[]): void => {
      for (const one of some) {
        const { apiKeyId } = one.report
        const places = ofKey.get(apiKeyId) ?? new Set()
        const place = placeOf(one.report)
        if (waiting.has(place) || waiting.size >= WAITING_MAX || places.size >= WAITING_OF_KEY_MAX) continue
        ofKey.set(apiKeyId, places.add(place))
        waiting.set(place, { ...one, isLate: true })
      }
    },
    take: (): readonly Waiting[] => {
      const taken: Waiting[] = []
      for (const place of waiting.keys()) {
        const one = remove(place)
        if (one !== undefined && taken.push(one) === TOGETHER_MAX) break
      }
      return taken
    },
    /** How many were dropped since it was asked last. */
    takeDropped: (): number => {
      const count = dropped
      dropped = 0
      return count
    },
    isEmpty: (): boolean => waiting.size === 0,
  }
}

/** Returns the reports with each verifier once. A position beyond the feed's is dropped: no follower can have it. */
const batchOf = (taken: readonly Waiting[], feed: FeedPosition, now: MonotonicMilliseconds): ReportPositions => {
  const reports = new Map<string, ReportPositions['reports'][number]>()
  for (const { report, at, isLate } of taken) {
    const isPresent = report.epoch === feed.epoch
    if (isPresent && report.position > feed.position) continue
    const who = JSON.stringify([report.apiKeyId, report.name])
    if (reports.get(who)?.epoch !== feed.epoch || isPresent)
      reports.set(who, { ...report, waitedMs: isLate ? now - at : 0 })
  }
  return { epoch: feed.epoch, reports: [...reports.values()] }
}

export const makePositionReports = ({ head, handOver, monotonic, onFault }: Handing): PositionReports => {
  const queue = makeQueue()
  let handing: Promise<void> | undefined

  /** Hands over a piece. Returns false if the store was unavailable. */
  const handPiece = async (): Promise<boolean> => {
    const taken = queue.take()
    try {
      const feed = await head()
      const batch = batchOf(taken, feed, monotonic())
      if (batch.reports.length > 0) await handOver(batch)
      return true
    } catch (fault) {
      if (fault instanceof Unavailable) queue.giveBack(taken)
      // Lost: each verifier reports again soon.
      else onFault('positions of verifiers', fault)
      return !(fault instanceof Unavailable)
    }
  }

  const handAll = async (): Promise<void> => {
    // What arrives in one turn goes together.
    await scheduler.yield()
    while (!queue.isEmpty() && (await handPiece()));
    const dropped = queue.takeDropped()
    if (dropped > 0) {
      onFault(
        'positions of verifiers',
        new Error(`${dropped} reports were dropped: too many verifiers report at once.`),
      )
    }
    handing = undefined
  }

  // After an outage the next report begins again.
  const hand = (): Promise<void> => (handing ??= handAll())

  return {
    report: report => {
      queue.add({ report, at: monotonic() })
      void hand()
    },
    settle: async () => {
      await handing
      if (!queue.isEmpty()) await hand()
    },
  }
}
