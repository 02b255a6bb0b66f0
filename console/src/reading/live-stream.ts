// The stream of the service that says what changed. While there is none, pages ask again and again.
import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { CONSOLE_EVENTS, CONSOLE_SUBJECTS, type ConsoleSubject } from '../../../api/values/console-events.ts'
import { liveChoice } from './live-choice.ts'
import { SESSION_KEY } from './query-client.ts'
import { baseUrl } from './service.ts'

const RETRY_MS_MIN = 1_000
const RETRY_MS_MAX = 30_000

let isOpen = false
const listeners = new Set<() => void>()

const setOpen = (open: boolean): void => {
  if (isOpen === open) return
  isOpen = open
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Returns the time between two refreshes of a page, one of the two given; false where the page is not live. */
export const useRefreshMs = (withoutStream: number, withStream: number): number | false => {
  const open = useSyncExternalStore(subscribe, () => isOpen)
  const isLive = liveChoice.use() === 'live'
  return isLive && (open ? withStream : withoutStream)
}

/** The first members of the keys of what holds something of a subject. A list on the screen is not among them: what is new waits. */
const HOLDERS: Readonly<Record<ConsoleSubject, readonly (readonly string[])[]>> = {
  tokens: [
    ['newest', 'tokens'],
    ['usage', 'agents'],
  ],
  history: [
    ['newest', 'tokens'],
    ['newest', 'history'],
  ],
  audit: [
    ['newest', 'tokens'],
    ['newest', 'audit'],
    ['usage', 'agents'],
    ['agent'],
    ['subject'],
    ['subjects'],
    ['api-key'],
    ['expiring'],
    ['status'],
  ],
}

const holds = (prefix: readonly string[], { queryKey }: Query): boolean =>
  prefix.every((member, n) => queryKey[n] === member)

const readAnew = (
  queryClient: QueryClient,
  subjects: readonly ConsoleSubject[],
  readBefore = Number.POSITIVE_INFINITY,
) => {
  const prefixes = subjects.flatMap(subject => HOLDERS[subject])
  void queryClient.invalidateQueries({
    predicate: query => query.state.dataUpdatedAt < readBefore && prefixes.some(prefix => holds(prefix, query)),
  })
}

/** The data of an event, which a newer service may fill with subjects that this page does not know. */
export const subjectsIn = (data: unknown): readonly ConsoleSubject[] => {
  try {
    const named: unknown = JSON.parse(String(data))
    return Array.isArray(named) ? CONSOLE_SUBJECTS.filter(subject => named.includes(subject)) : []
  } catch {
    return []
  }
}

/** Follows until it is stopped; after a fault, or the end of a session, it tries again, later each time. */
const follow = (queryClient: QueryClient): (() => void) => {
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let pauseMs = RETRY_MS_MIN

  const stop = (): void => {
    source?.close()
    source = undefined
    clearTimeout(timer)
    setOpen(false)
  }

  const startLater = (): void => {
    stop()
    timer = setTimeout(start, pauseMs)
    pauseMs = Math.min(2 * pauseMs, RETRY_MS_MAX)
  }

  const start = (): void => {
    stop()
    const startedAt = Date.now()
    const opened = new EventSource(`${baseUrl}/console/events`)
    source = opened
    opened.addEventListener('open', () => {
      pauseMs = RETRY_MS_MIN
      setOpen(true)
      // What happened until then was not reported.
      readAnew(queryClient, CONSOLE_SUBJECTS, startedAt)
    })
    opened.addEventListener(CONSOLE_EVENTS.changed, ({ data }: MessageEvent) => readAnew(queryClient, subjectsIn(data)))
    // Another tab may have signed in anew: where somebody is signed in, the page goes on with that session.
    opened.addEventListener(CONSOLE_EVENTS.signedOut, () => {
      void queryClient.invalidateQueries({ queryKey: SESSION_KEY })
      startLater()
    })
    opened.addEventListener('error', () => {
      // A browser tries again by itself only where a stream broke off. Where it was refused nobody may be signed in any more.
      if (opened.readyState === EventSource.CLOSED) void queryClient.invalidateQueries({ queryKey: SESSION_KEY })
      startLater()
    })
  }

  start()
  return stop
}

/** Follows while the reader sees the page, and has not paused it. */
export const useLiveStream = (): void => {
  const queryClient = useQueryClient()
  const isLive = liveChoice.use() === 'live'
  useEffect(() => {
    if (!isLive) return undefined
    let stop: (() => void) | undefined
    const turn = (): void => {
      stop?.()
      stop = document.hidden ? undefined : follow(queryClient)
    }
    turn()
    document.addEventListener('visibilitychange', turn)
    return () => {
      document.removeEventListener('visibilitychange', turn)
      stop?.()
    }
  }, [isLive, queryClient])
}
