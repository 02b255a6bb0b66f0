// What both halves of the client make of an answer: its JSON, and how long to wait before the next request.
import { retryAfterSecondsOf } from '../../../verify/src/wire/retry-after.ts'

/** The type of `fetch`, which a caller may replace to use a proxy, a client certificate or a test. */
export type Fetch = typeof globalThis.fetch

/** An object of JSON; undefined for anything else. */
export const parseObject = (json: string | Uint8Array): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(typeof json === 'string' ? json : new TextDecoder().decode(json))
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    return value as Readonly<Record<string, unknown>>
  } catch {
    return undefined
  }
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300

const RETRY_AFTER_SECONDS_MAX = 300

/** `Retry-After` in seconds, at most 300; undefined where there is none. */
export const retryAfterOf = (headers: Headers, wallMs: number): number | undefined =>
  retryAfterSecondsOf(headers, wallMs, RETRY_AFTER_SECONDS_MAX)
