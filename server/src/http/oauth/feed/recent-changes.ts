// The newest changes of the feed as followers of a thread get them: each is signed once, and written to all.
import { Buffer } from 'node:buffer'
import type { MonotonicMilliseconds } from '../../../../../api/values/time.ts'

/** Changes in memory; a follower that is further behind reads the rest by itself. */
const CHANGES_MAX = 1024
/** The size of their documents; their events may take as much again. */
const CACHED_BYTES_MAX = 4_194_304

export type Change = {
  readonly from: number
  readonly to: number
  /** A compact JWS. */
  readonly text: string
  /** The key that signed it. */
  readonly kid: string
  readonly signedAt: MonotonicMilliseconds
}

export type RecentChanges = {
  /**
   * Begins where the one before it ended. What another key signed is forgotten: that key may be revoked, and a follower that is
   * behind reads its documents signed anew.
   */
  readonly add: (change: Change) => void
  /** Forgets what was signed before this time. */
  readonly forget: (before: MonotonicMilliseconds) => void
  readonly clear: () => void
  /** A change that one who stands at the position can apply, if it is kept. */
  readonly after: (position: number) => Change | undefined
  /** All changes after a position as events of a stream; undefined where not all of them are kept. */
  readonly eventsAfter: (position: number) => Buffer | undefined
}

/** As an event of a stream. A JWS has no line breaks. */
export const changesEvent = (text: string): Buffer => Buffer.from(`event: changes\ndata: ${text}\n\n`)

/** Joined events by the position that they follow. */
const makeEvents = () => {
  const events = new Map<number, Buffer>()
  let bytes = 0
  const clear = (): void => {
    events.clear()
    bytes = 0
  }
  return {
    get: (position: number): Buffer | undefined => events.get(position),
    clear,
    // Nearly all followers stand at one of the last few positions: where others do too, they are joined anew.
    keep: (position: number, joined: Buffer): Buffer => {
      if (bytes + joined.length > CACHED_BYTES_MAX) clear()
      events.set(position, joined)
      bytes += joined.length
      return joined
    },
  }
}

export const makeRecentChanges = (): RecentChanges => {
  let changes: Change[] = []
  let bytes = 0
  const events = makeEvents()

  const indexAfter = (position: number): number => {
    let index = changes.length
    while (index > 0 && (changes[index - 1]?.to ?? 0) > position) index -= 1
    return (changes[index]?.from ?? Number.POSITIVE_INFINITY) <= position ? index : -1
  }

  const dropOldest = (): void => {
    bytes -= changes.shift()?.text.length ?? 0
    events.clear()
  }

  const isFull = (): boolean => changes.length > CHANGES_MAX || (bytes > CACHED_BYTES_MAX && changes.length > 1)
  const isBefore = (time: MonotonicMilliseconds): boolean => (changes[0]?.signedAt ?? time) < time

  const clear = (): void => {
    changes = []
    bytes = 0
    events.clear()
  }

  return {
    add: change => {
      if (changes.at(-1)?.kid !== change.kid) clear()
      changes.push(change)
      bytes += change.text.length
      events.clear()
      while (isFull()) dropOldest()
    },
    forget: before => {
      while (isBefore(before)) dropOldest()
    },
    clear,
    after: position => {
      const index = indexAfter(position)
      return index === -1 ? undefined : changes[index]
    },
    eventsAfter: position => {
      const known = events.get(position)
      if (known !== undefined) return known
      const index = indexAfter(position)
      if (index === -1) return undefined
      return events.keep(position, Buffer.concat(changes.slice(index).map(({ text }) => changesEvent(text))))
    },
  }
}
