// An instant: how long ago or how soon by the clock of the service; and exactly, in the reader's zone and in UTC, when pointed at.
import { useSyncExternalStore } from 'react'
import { serviceNow } from '../reading/service-clock.ts'

const TICK_MS = 1_000

let now = serviceNow()
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  // Answers since then may have set the clock of the service.
  if (timer === undefined) now = serviceNow()
  // One clock for all, and none in a tab that nobody sees.
  timer ??= setInterval(() => {
    if (document.hidden) return
    now = serviceNow()
    for (const each of listeners) each()
  }, TICK_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

export const useNow = (): number => useSyncExternalStore(subscribe, () => now)

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' })
/** In the reader's language, with the zone. */
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })

/** `at` in ISO 8601; what is no time is given as it is. */
export const formatExact = (at: string): string => (Number.isNaN(Date.parse(at)) ? at : exact.format(Date.parse(at)))

export const formatRelative = (instantMs: number, nowMs: number): string => {
  const seconds = Math.round((instantMs - nowMs) / 1_000)
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1]
  return seconds === 0 ? 'now' : relative.format(Math.trunc(seconds / size), unit)
}

/** `at` in ISO 8601, as the API writes it. */
export const Time = ({ at }: { readonly at: string }) => {
  const nowMs = useNow()
  const instant = Date.parse(at)
  return (
    <time dateTime={at} title={`${formatExact(at)}\n${at}`}>
      {formatRelative(instant, nowMs)}
    </time>
  )
}
