// In this folder: what is recorded of a request when it ends: metrics, a span, a line of the access log.
// The access log: a line for each request. Nothing of it is as a caller wrote it: no path, query, header or body.
// Formatted by hand, since a line for each of many thousand requests a second must cost next to nothing.
import type { RefusalCode } from '../../domain/refusal.ts'

/** What the lines of most requests of a route have in common. */
export type AccessOutcome = {
  /** Null where it could not be read. */
  readonly method: string | null
  /** A template such as /api/v1/agents/{id}; null where no route fits, or the request was refused before. */
  readonly route: string | null
  /** As of the OpenAPI document; `other` for anything else. */
  readonly operation: string
  /** Null where the connection ended before the answer was out. */
  readonly status: number | null
  /** The code of an error answer, as listed in docs/reference/errors.md. */
  readonly code: RefusalCode | null
}

/** An id of an agent or an API key, or the hash of who an operator is. */
export type Who = { readonly kind: 'agent' | 'api_key' | 'issuer' | 'operator'; readonly id: string }

export type AccessLine = {
  /** Checked by request-rules.ts: no character of it needs an escape. */
  readonly requestId: string
  /** The text of its outcome. */
  readonly outcome: string
  /** From its arrival to the last byte of its answer. */
  readonly milliseconds: number
  /** The size of the answer's body; null where it is a stream. */
  readonly bytes: number | string | null
  /** Who was recognized; null: nobody. */
  readonly who: Who | null
  readonly traceId?: string | undefined
}

/** Must not throw or wait. */
export type AccessLog = (line: AccessLine) => void

export const formatOutcome = (outcome: AccessOutcome): string => {
  const { method, route, operation, status, code } = outcome
  return JSON.stringify({ method, route, operation, status, code }).slice(1, -1)
}

const MICROSECONDS = 1_000_000

/** Seconds have six decimals: all digits of a number would cost as much as the rest of its line. */
export const microsecondsOf = ({ milliseconds }: AccessLine): number => Math.max(0, Math.round(milliseconds * 1000))

const formatSeconds = (microseconds: number): string => {
  const whole = Math.floor(microseconds / MICROSECONDS)
  return `${whole}.${String(MICROSECONDS + (microseconds % MICROSECONDS)).slice(1)}`
}

/** What stands before the id of the request. */
export const BEFORE_ID = '"requestId":"'

/** What stands before the seconds. */
export const formatStart = ({ requestId, outcome }: AccessLine): string =>
  `${BEFORE_ID}${requestId}",${outcome},"seconds":`

/** What stands between the seconds and who it was, and then between the kind and the id of that. */
export const formatBytes = ({ bytes }: AccessLine): string => `,"bytes":${bytes},"who":`
export const formatKind = ({ kind }: Who): string => `"${kind}:`

/** What stands behind the seconds. */
export const formatEnd = (line: AccessLine): string => {
  const { who, traceId } = line
  const text = who === null ? 'null' : `${formatKind(who)}${who.id}"`
  return `${formatBytes(line)}${text}${traceId === undefined ? '' : `,"traceId":"${traceId}"`}`
}

/** The members of the line as JSON without the braces, all of them ASCII. */
export const formatLine = (line: AccessLine): string =>
  `${formatStart(line)}${formatSeconds(microsecondsOf(line))}${formatEnd(line)}`

/** The line for a request that was refused before it began, or could not be read. */
export const refusedLine = (
  requestId: string,
  method: string | undefined,
  { status, code, bytes }: { readonly status: number; readonly code: RefusalCode; readonly bytes: number },
): AccessLine => ({
  requestId,
  outcome: formatOutcome({ method: method ?? null, route: null, operation: 'other', status, code }),
  milliseconds: 0,
  bytes,
  who: null,
})
