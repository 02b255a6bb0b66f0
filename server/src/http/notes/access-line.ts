// The access log: what is told of each request. Nothing of it is as a caller wrote it: no path, query, header or body.
import type { RefusalCode } from '../../domain/refusal.ts'

export type AccessLine = {
  readonly requestId: string
  /** Null where it could not be read. */
  readonly method: string | null
  /** A template such as /api/v1/agents/{id}; null where no route fits, or the request was refused before. */
  readonly route: string | null
  /** As of the OpenAPI document; `other` for anything else. */
  readonly operation: string
  /** Null where the connection ended before the answer was out. */
  readonly status: number | null
  /** Of an error answer, as of docs/errors.md. */
  readonly code: RefusalCode | null
  /** From its arrival to the last byte of its answer. */
  readonly seconds: number
  /** Of the body of the answer; null where it is a stream. */
  readonly bytes: number | null
  /** Who was recognized: `agent:ID`, `api_key:ID` or `operator:HASH`; null: nobody. */
  readonly who: string | null
  readonly traceId?: string
}

/** Must not throw or wait. */
export type AccessLog = (line: AccessLine) => void

/** Of a request that was refused before it began, or could not be read. */
export const refusedLine = (
  requestId: string,
  method: string | undefined,
  { status, code, bytes }: { readonly status: number; readonly code: RefusalCode; readonly bytes: number },
): AccessLine => ({
  requestId,
  method: method ?? null,
  route: null,
  operation: 'other',
  status,
  code,
  seconds: 0,
  bytes,
  who: null,
})
