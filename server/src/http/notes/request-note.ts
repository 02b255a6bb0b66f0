// What becomes known of a request while it is answered, for its line in the access log and its span.
import type { IncomingMessage } from 'node:http'
import type { ApiKeyCaller, ClientCaller, OperatorCaller } from '../../domain/caller.ts'
import type { RefusalCode } from '../../domain/refusal.ts'
import type { Sha256 } from '../../domain/text/text.ts'
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

type Recognized = ClientCaller | ApiKeyCaller | OperatorCaller

/** Enough of the hash to tell the operators of a provider apart. */
const HASH_CHARACTERS = 16

/** A subject may be a name or an address of mail, which a log of each request should not hold. */
const whoOf = (caller: Recognized, hash: (text: string) => Sha256): string => {
  switch (caller.kind) {
    case 'client':
      return `agent:${caller.agentId}`
    case 'api_key':
      return `api_key:${caller.id}`
    case 'operator':
      return `operator:${hash(`${caller.iss}\n${caller.sub}`).slice(0, HASH_CHARACTERS)}`
  }
}

/** Notes who was recognized; undefined where nobody asks. */
export const makeCallerNote = (
  request: IncomingMessage,
  hash: (text: string) => Sha256,
): ((caller: Recognized) => void) | undefined => {
  const note = notes.get(request)
  return note === undefined
    ? undefined
    : caller => {
        note.who = whoOf(caller, hash)
      }
}
