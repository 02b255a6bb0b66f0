// What becomes known of a request while it is answered, for the metrics, its line in the access log and its span.
import type { IncomingMessage } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { ApiKeyCaller, ClientCaller, IssuerCaller, OperatorCaller } from '../../domain/caller.ts'
import type { RefusalCode } from '../../domain/refusal.ts'
import type { Secrets } from '../../ports/secrets.ts'
import type { RequestSpan } from '../../ports/traces.ts'
import type { AnswerSeries } from './answer-metrics.ts'
import type { Who } from './access-line.ts'

export type Recognized = ClientCaller | ApiKeyCaller | OperatorCaller | IssuerCaller

/** What is the same for every request of a route. */
export type RouteFacts = {
  /** The id of its operation, as of the OpenAPI document; `other` for anything else. */
  readonly operation: string
  /** The template of its path, as of the document: `/api/v1/agents/{id}`; null where no route fits. No part of it is the caller's. */
  readonly route: string | null
  /** Null where nothing is measured. */
  readonly series: AnswerSeries | null
}

/** An answer that is no reply: the body of its request cannot be read, or does not arrive in time. */
export type AnswerToBroken = { readonly status: number; readonly code: RefusalCode; readonly bytes: number }

export type RequestNote = {
  readonly reply: FastifyReply
  /** When it arrived, in ms of performance.now(). */
  readonly beganAt: number
  /** Null where tracing is off. */
  readonly span: RequestSpan | null
  /** Null until the hooks of its route begin, and where no route fits. */
  facts: RouteFacts | null
  /** The code of an error answer. */
  code: RefusalCode | null
  /** Who was recognized. */
  caller: Recognized | null
  /** When the reading of its body began, in ms of performance.now(); null before, and where nothing is traced. */
  parsingAt: number | null
  /** What was sent in place of a reply, if anything was. */
  broken: AnswerToBroken | null
}

/** A request whose response is out, or whose connection has ended before. */
export type EndedRequest = {
  readonly note: RequestNote
  readonly facts: RouteFacts
  /** Null where the connection ended before all of the response was handed to the system. */
  readonly status: number | null
  /** From its arrival, in ms. */
  readonly tookMs: number
}

// On the request itself: a WeakMap with an entry for each request costs the garbage collector more than its line costs.
const NOTE = Symbol('note')

type Noted = IncomingMessage & { [NOTE]?: RequestNote }

/** Only where something asks for it: a request that nobody notes costs nothing. */
export const openNote = (reply: FastifyReply, beganAt: number, span: RequestSpan | null): RequestNote => {
  const note = { reply, beganAt, span, facts: null, code: null, caller: null, parsingAt: null, broken: null }
  const noted: Noted = reply.request.raw
  noted[NOTE] = note
  return note
}

export const noteOf = (request: Noted): RequestNote | undefined => request[NOTE]

/** Enough of the hash to distinguish the operators of a provider. */
const HASH_CHARACTERS = 16

/**
 * As the access log names them: ids are UUIDs, so that nothing needs an escape. A subject may be a name or an address of mail,
 * which a log of each request should not hold.
 */
export const whoOf = (caller: Recognized, hash: Secrets['hash']): Who => {
  switch (caller.kind) {
    case 'client':
      return { kind: 'agent', id: caller.agentId }
    case 'api_key':
      return { kind: 'api_key', id: caller.id }
    case 'issuer':
      return { kind: 'issuer', id: caller.alias }
    case 'operator':
      return { kind: 'operator', id: hash(`${caller.iss}\n${caller.sub}`).slice(0, HASH_CHARACTERS) }
  }
}

/** Notes who was recognized; undefined where nobody asks. */
export const makeCallerNote = (request: IncomingMessage): ((caller: Recognized) => void) | undefined => {
  const note = noteOf(request)
  return note === undefined
    ? undefined
    : caller => {
        note.caller = caller
      }
}
