// In this folder: what every route is built on: admission, parsing, deadlines, responses to refusals. It imports no route.
// The way in: which requests begin at once, which wait for a turn, and which are refused before anything is done for them.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { Buffer } from 'node:buffer'
import { checkAlive, checkHealth } from '../../../../api/status.ts'
import { publishKeys, publishMetadata, publishOpenidMetadata } from '../../../../api/metadata.ts'
import { pathOf as pathOfRow } from '../../../../api/operation.ts'
import { revokeGlobally } from '../../../../api/oauth.ts'
import { createRevocation } from '../../../../api/revocations.ts'
import type { MonotonicMilliseconds } from '../../../../api/values/time.ts'
import type { CountLimit } from '../../domain/refusal-reasons.ts'
import { Unavailable } from '../../domain/refusal.ts'
import { type Metrics, NO_METRICS } from '../../ports/metrics.ts'
import type { Timing } from '../../ports/timing.ts'
import { networkOf } from '../../domain/source.ts'
import { type AccessLog, refusedLine } from '../notes/access-line.ts'
import type { RefuseUnread } from './connections/broken-request.ts'
import { type Arrival, noteArrival } from './answer-deadline.ts'
import { type KnownCredentials, makeKnownCredentials } from './authorization.ts'
import { parseTarget } from '../../domain/text/text.ts'
import { restConnection, RETRY_AFTER_SECONDS } from './connections/pipelining.ts'
import { formatError, formatProblem } from './refusals.ts'
import type { SourceOf } from './source.ts'
import { type Kind, makeStartQueue } from './start-queue.ts'

const REFUSED = {
  code: 'temporarily_unavailable',
  description: 'The service has more requests than it can serve: try again.',
} as const

const FULL = new Unavailable('More requests arrive than can be served.')

const REFUSED_LATE = {
  code: 'temporarily_unavailable',
  description:
    'The request waited too long for the responses before it on its connection. Nothing was begun: try again.',
} as const

const LATE = new Unavailable('A request waited too long for the responses before it on its connection.')

type AdmissionOptions = {
  readonly issuer: string
  readonly basePath: string
  readonly monotonic: () => MonotonicMilliseconds
  readonly timing: Pick<Timing, 'notedWaitMs' | 'pipelinedMs' | 'startTurnMs' | 'startWaitMs'>
  readonly makeId: () => string
  readonly sourceOf: SourceOf
  readonly reportUnavailable: (requestId: string, fault: Unavailable) => void
  readonly metrics?: Metrics
  readonly countLimit?: CountLimit
  /** Answers a request that no route can read. */
  readonly refuseUnread: RefuseUnread
  /** Called for each request that is refused here; null: nothing is logged. */
  readonly accessLog?: AccessLog | null
}

export type Admission = {
  /** `handle`, for the requests that begin. */
  readonly guard: (handle: RequestListener) => RequestListener
  /** Notes that a request was received that waits for the responses before it: its deadline counts from now. */
  readonly receive: (request: IncomingMessage) => void
  readonly credentials: KnownCredentials
}

type RefusalText = { readonly type: string; readonly body: Buffer }
type Reason = { readonly refusal: typeof REFUSED | typeof REFUSED_LATE; readonly fault: Unavailable }

/** The refusal as bytes, made once: it must cost next to nothing. */
const makeRefusal = (
  { issuer, basePath, makeId, reportUnavailable, accessLog, countLimit }: AdmissionOptions,
  { refusal, fault }: Reason,
) => {
  const problem: RefusalText = {
    type: 'application/problem+json',
    body: Buffer.from(formatProblem(issuer, refusal)),
  }
  const error: RefusalText = { type: 'application/json; charset=utf-8', body: Buffer.from(formatError(refusal)) }
  const problemsUnder = `${basePath}/api/`

  return (request: IncomingMessage, response: ServerResponse): void => {
    const { type, body } = request.url?.startsWith(problemsUnder) === true ? problem : error
    const id = makeId()
    reportUnavailable(id, fault)
    countLimit?.('waiting_requests')
    response.writeHead(503, {
      'content-type': type,
      'content-length': body.length,
      'retry-after': String(RETRY_AFTER_SECONDS),
      'cache-control': 'no-store',
      'x-request-id': id,
    })
    response.end(body)
    accessLog?.(refusedLine(id, request.method, { status: 503, code: refusal.code, bytes: body.length }))
  }
}

const PROBES = [checkAlive, checkHealth, publishKeys]
const METADATA = [publishMetadata, publishOpenidMetadata]

/** How the paths of what ends tokens end, where they hold a name. */
const ENDINGS = ['/revoke', '/subjects/block']

/** From the head of a request alone. */
const makeKindOf = (basePath: string, credentials: KnownCredentials) => {
  const metadata = METADATA.map(pathOfRow)
  const probes = new Set([
    ...[...PROBES.map(pathOfRow), ...metadata].map(path => basePath + path),
    ...metadata.map(path => path + basePath),
  ])
  const revocations = [createRevocation, revokeGlobally].map(row => basePath + pathOfRow(row))
  const isRevocation = (url: string) => ENDINGS.some(one => url.endsWith(one)) || revocations.includes(url)
  return ({ method, url = '', headers }: IncomingMessage): Kind => {
    if (probes.has(url)) return 'probe'
    if (credentials.has(headers)) return 'known'
    return method === 'POST' && isRevocation(url) ? 'revocation' : 'open'
  }
}

type Exchange = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly arrival: Omit<Arrival, 'begunAt'>
  readonly handle: RequestListener
}

/** Nothing is begun, nor refused, for a caller who has gone, or has been answered that the body cannot be read. */
const makeStart =
  ({ notedWaitMs }: Pick<Timing, 'notedWaitMs'>) =>
  ({ request, response, arrival, handle }: Exchange, begunAt: MonotonicMilliseconds): void => {
    if (!request.socket.writable) return
    if (begunAt - arrival.receivedAt > notedWaitMs) noteArrival(request, { ...arrival, begunAt })
    handle(request, response)
  }

/** What of the transfer coding no route can read. */
const unreadCoding = ({ httpVersion, headers }: IncomingMessage): Parameters<RefuseUnread>[1] | undefined => {
  const coding = headers['transfer-encoding']
  if (coding === undefined) return undefined
  // RFC 9112 §6.1: HTTP/1.0 has none, so that a proxy which speaks it may have seen the end of the body elsewhere.
  if (httpVersion === '1.0') return 'not_http'
  return coding.toLowerCase() === 'chunked' ? undefined : 'transfer_coding'
}

/** Admits the requests of one listener. */
export const makeAdmission = (options: AdmissionOptions): Admission => {
  const { basePath, monotonic, timing, sourceOf, metrics = NO_METRICS } = options
  const refuse = makeRefusal(options, { refusal: REFUSED, fault: FULL })
  // The connection does not rest: what was received with this one is as late.
  const refuseLate = makeRefusal(options, { refusal: REFUSED_LATE, fault: LATE })
  const received = new WeakMap<IncomingMessage, MonotonicMilliseconds>()
  const credentials = makeKnownCredentials(() => queue.isBusy())
  const kindOf = makeKindOf(basePath, credentials)
  const queue = makeStartQueue<Exchange>({
    now: monotonic,
    timing,
    metrics,
    nextTurn: setImmediate,
    kindOf: ({ request }) => kindOf(request),
    networkOf: ({ request }) => networkOf(sourceOf({ raw: request })),
    start: makeStart(timing),
    refuse: ({ request, response }) => {
      if (!request.socket.writable) return
      refuse(request, response)
      restConnection(request, sourceOf)
    },
  })

  const guard =
    (handle: RequestListener): RequestListener =>
    (request, response) => {
      const target = parseTarget(request.url ?? '')
      if (target === undefined) return options.refuseUnread(response, 'not_http')
      const unread = unreadCoding(request)
      if (unread !== undefined) return options.refuseUnread(response, unread)
      const { headers } = request
      request.url = target.path
      // One without Host is refused all the same.
      if (target.host !== undefined && headers.host !== undefined) headers.host = target.host
      const readAt = monotonic()
      const turnAt = readAt - queue.unreadMs()
      const receivedAt = received.get(request) ?? turnAt
      if (turnAt - receivedAt > timing.pipelinedMs) return refuseLate(request, response)
      queue.admit({ request, response, handle, arrival: { receivedAt, turnAt } }, readAt)
    }
  return { guard, receive: request => void received.set(request, monotonic() - queue.unreadMs()), credentials }
}
