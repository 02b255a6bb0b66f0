// What becomes known of a request while it is answered, for its line in the access log and its span.
import type { IncomingMessage } from 'node:http'
import type { RefusalCode } from '../../domain/refusal.ts'
import type { RequestSpan } from '../../ports/traces.ts'

export type RequestNote = {
  /** Null: nothing is traced. */
  span: RequestSpan | null
  /** Of an error answer. */
  code: RefusalCode | undefined
  /** Who was recognized, as the access log names them. */
  who: string | undefined
}

const notes = new WeakMap<IncomingMessage, RequestNote>()

/** Only where something asks for it: a request that nobody notes costs nothing. */
export const openNote = (request: IncomingMessage, span: RequestSpan | null): RequestNote => {
  const note = { span, code: undefined, who: undefined }
  notes.set(request, note)
  return note
}

export const noteOf = (request: IncomingMessage): RequestNote | undefined => notes.get(request)
