// The log: JSON lines on standard error with the members that lines of the service have. Never a token, a secret or a query.
import { hostname } from 'node:os'

const LEVELS = { info: 30, warn: 40, error: 50 } as const

export type Log = (
  level: keyof typeof LEVELS,
  event: string,
  fields?: Readonly<Record<string, string | number>>,
) => void

/** All but printable ASCII: texts of other machines must not steer a terminal. */
const OTHERS = /[\u007f-\uffff]/g

const escape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

export const makeLog = (write: (line: string) => void): Log => {
  const base = { pid: process.pid, hostname: hostname() }
  return (level, event, fields = {}) => {
    const line = { level: LEVELS[level], time: Date.now(), ...base, event, msg: event.replaceAll('_', ' '), ...fields }
    write(`${JSON.stringify(line).replaceAll(OTHERS, escape)}\n`)
  }
}

const APART_MS = 10_000

/** Logs the first of an event at once, and then at most one line each 10 s, which says how many there were since. */
export const makeRestedLog = (log: Log, nowMs: () => number = () => performance.now()): Log => {
  const events = new Map<string, { lastMs: number; unlogged: number }>()
  return (level, event, fields = {}) => {
    const state = events.get(event) ?? { lastMs: -Infinity, unlogged: 0 }
    events.set(event, state)
    if (nowMs() - state.lastMs < APART_MS) {
      state.unlogged += 1
      return
    }
    log(level, event, { ...fields, ...(state.unlogged > 0 && { unlogged: state.unlogged }) })
    state.lastMs = nowMs()
    state.unlogged = 0
  }
}
