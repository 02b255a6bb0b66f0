// Responses of Node as far as adapters need them, and the middleware that answers with them. It never answers twice, and no fault of
// it ends the process.
import type { Refused } from '../refusals.ts'
import type { Verified, Verifier } from '../verifier.ts'
import type { Guard } from './guard.ts'
import { type NodeRequest, verifyNodeRequest } from './node-request.ts'
import { EXPOSE, headersOf } from './protected-resource.ts'

export type NodeResponse = {
  statusCode: number
  readonly setHeader: (name: string, value: string) => unknown
  readonly getHeader?: (name: string) => unknown
  readonly end: (body?: string) => unknown
  readonly destroy?: () => unknown
  readonly headersSent?: boolean
  readonly writableEnded?: boolean
  readonly destroyed?: boolean
  /** What a response of HTTP/2 is destroyed with. */
  readonly stream?: { readonly destroyed?: boolean } | undefined
}

type Next = (error?: unknown) => unknown

export type Middleware<Request extends NodeRequest = NodeRequest> = (
  request: Request,
  response: NodeResponse,
  next: Next,
) => void

type Sent = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

export const send = (response: NodeResponse, { status, headers, body }: Sent): void => {
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  response.end(body)
}

const sendRefusal = (response: NodeResponse, refused: Refused): void =>
  send(response, {
    status: refused.status,
    headers: headersOf(refused, response.getHeader?.(EXPOSE)),
    body: JSON.stringify(refused.body),
  })

/** Whether nothing is left to respond to: another part of the application responded, or the caller is gone. */
export const isOver = ({ headersSent, writableEnded, destroyed, stream }: NodeResponse): boolean =>
  headersSent === true || writableEnded === true || destroyed === true || stream?.destroyed === true

const FAULT: Sent = {
  status: 500,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify({ error: 'server_error', error_description: 'The token could not be checked.' }),
}

/** For a fault that no error handler of the application takes. */
const report = (fault: unknown): void => {
  for (const said of [fault, 'A fault that cannot be printed.']) {
    try {
      // oxlint-disable-next-line no-console -- thrown, it would end the process, and nothing else hears of it.
      return console.error(said)
    } catch {
      // It is an object that cannot be read; then it is said that there was a fault.
    }
  }
}

/** As an error: without one, and with the text `route`, a framework would run the next handler. */
const errorOf = (fault: unknown): object =>
  typeof fault === 'object' && fault !== null
    ? fault
    : new Error('A function of the guard, or a handler, failed with what is no error.', { cause: fault })

/** Passes a fault to the error handler of the framework, unless the response is over: that handler would end it a second time. */
const passFault = async (response: NodeResponse, next: Next, fault: unknown): Promise<void> => {
  // A `next` without parameters ignores the error, and would run the handler as if the token were verified.
  if (next.length > 0 && !isOver(response)) return void (await next(errorOf(fault)))
  report(fault)
  if (!isOver(response)) send(response, FAULT)
}

type Exchange<Request extends NodeRequest> = {
  readonly request: Request
  readonly response: NodeResponse
  readonly next: Next
}

type Guarding<Request extends NodeRequest> = {
  readonly verifier: Verifier
  readonly guard: Guard<Request>
  /** Called with a verified token, before the next handler. */
  readonly accept: (request: Request, verified: Verified) => void
}

const respond = async <Request extends NodeRequest>(
  { verifier, guard, accept }: Guarding<Request>,
  { request, response, next }: Exchange<Request>,
): Promise<void> => {
  let isPassedOn = false
  try {
    const decided = await verifyNodeRequest(verifier, request, guard)
    if (isOver(response)) return
    if (!decided.ok) return sendRefusal(response, decided)
    accept(request, decided)
    isPassedOn = true
    await next()
  } catch (fault) {
    await passFault(response, next, fault)
    // The next handler failed after it had begun a response: nothing else will end it.
    if (isPassedOn && isOver(response) && response.writableEnded !== true) response.destroy?.()
  }
}

/**
 * Calls `accept` and then the next handler with a verified token; responds itself otherwise (RFC 6750 §3). Where the application
 * responded meanwhile, as by a deadline of its own, or the caller is gone, it neither responds nor calls the next handler.
 */
export const makeMiddleware =
  <Request extends NodeRequest>(guarding: Guarding<Request>): Middleware<Request> =>
  (request, response, next) => {
    const giveUp = (fault: unknown): void => {
      report(fault)
      response.destroy?.()
    }
    void respond(guarding, { request, response, next }).catch(giveUp)
  }
