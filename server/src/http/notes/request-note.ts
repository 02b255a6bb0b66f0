// What becomes known of a request while it is answered, for its line in the access log and its span.
import type { IncomingMessage } from 'node:http'
import type { ApiKeyCaller, ClientCaller, OperatorCaller } from '../../domain/caller.ts'
import type { RefusalCode } from '../../domain/refusal.ts'
import type { Secrets } from '../../ports/ports.ts'
import type { RequestSpan } from '../../ports/traces.ts'

export type RequestNote = {
  /** Null: nothing is traced. */
  span: RequestSpan | null
  /** Of an error answer. */
  code: RefusalCode | undefined
  /** Who was recognized, as the access log names them. */
  who: string | undefined
}

// On the request itself: a WeakMap with an entry for each request costs the garbage collector more than its line costs.
const NOTE = Symbol('note')

type Noted = IncomingMessage & { [NOTE]?: RequestNote }

/** Only where something asks for it: a request that nobody notes costs nothing. */
export const openNote = (request: IncomingMessage, span: RequestSpan | null): RequestNote => {
  const note = { span, code: undefined, who: undefined }
  const noted: Noted = request
  noted[NOTE] = note
  return note
}

export const noteOf = (request: Noted): RequestNote | undefined => request[NOTE]

type Recognized = ClientCaller | ApiKeyCaller | OperatorCaller

/** Enough of the hash to tell the operators of a provider apart. */
const HASH_CHARACTERS = 16

/** A subject may be a name or an address of mail, which a log of each request should not hold. */
const whoOf = (caller: Recognized, secrets: Pick<Secrets, 'hash'>): string => {
  switch (caller.kind) {
    case 'client':
      return `agent:${caller.agentId}`
    case 'api_key':
      return `api_key:${caller.id}`
    case 'operator':
      return `operator:${secrets.hash(`${caller.iss}\n${caller.sub}`).slice(0, HASH_CHARACTERS)}`
  }
}

/** Notes who was recognized; undefined where nobody asks. */
export const makeCallerNote = (
  request: IncomingMessage,
  secrets: Pick<Secrets, 'hash'>,
): ((caller: Recognized) => void) | undefined => {
  const note = noteOf(request)
  return note === undefined
    ? undefined
    : caller => {
        note.who = whoOf(caller, secrets)
      }
}
