// The HTTP server of the process: four paths, and nothing that a request can do to end it.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { makeMetadata, METADATA_METHODS } from '../../verify/src/adapters/protected-resource.ts'
import { describeFault } from '../../verify/src/wire/http.ts'
import { KEY_AGE_USUAL } from '../../verify/src/options.ts'
import type { Verifier } from '../../verify/src/verifier.ts'
import {
  type Answer,
  BAD_QUERY,
  emptyAnswer,
  metadataAnswer,
  FAULT,
  makeAcceptances,
  NOT_FOUND,
  refusalAnswer,
  textAnswer,
} from './answers.ts'
import { CHECK_PATH, type Decision, makeCheck } from './check.ts'
import type { GatewayConfig } from './config.ts'
import type { Log } from './log.ts'
import { type Cause, makeMetrics, OPENMETRICS } from './metrics.ts'

/** A token has at most 16,000 characters, a proof 4,096; the rest is for a certificate and the caller's own. */
const HEADER_BYTES_MAX = 65_536
const CONNECTIONS_MAX = 4096
const HEADERS_MS_MAX = 10_000
/** Longer than gateways keep connections, so that none is closed in the moment in which it is used. */
const KEEP_ALIVE_MS = 3_600_000

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST'])
const WRONG_METHOD = emptyAnswer(405, { Allow: 'GET, HEAD, POST' })

export type GatewayParts = {
  readonly config: GatewayConfig
  readonly verifier: Verifier

  readonly log: Log
}

export type Gateway = {
  readonly server: Server
  readonly isReady: () => boolean
  /** From now on it is not ready, and each answer is the last of its connection. */
  readonly beginStop: () => void
}

const causeOf = (decision: Decision): Cause | undefined => {
  if (decision === 'bad_query') return decision
  return decision.ok ? undefined : decision.refusal
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

const makeIsReady =
  ({ verifier }: GatewayParts) =>
  (): boolean => {
    const { mode, isFresh, keysAgeMs = Infinity } = verifier.status()
    if (mode === 'introspect') return true
    return keysAgeMs <= KEY_AGE_USUAL * 1000 && (mode === 'offline' || isFresh)
  }

const makeAnswerCheck = (parts: GatewayParts, count: (status: number, cause?: Cause) => void) => {
  const check = makeCheck(parts)
  const acceptanceOf = makeAcceptances()
  const anyMethod = parts.config.requestFrom === 'path'
  const answerOf = (decision: Decision): Answer => {
    if (decision === 'bad_query') {
      parts.log('error', 'query_refused', {
        problem: 'The query of /check is not one or more scope and at most one configured audience: no check passes.',
      })
      return BAD_QUERY
    }
    return decision.ok ? acceptanceOf(decision) : refusalAnswer(decision)
  }
  return async (request: IncomingMessage, below: string, query: string): Promise<Answer> => {
    if (!anyMethod && !METHODS.has(request.method ?? '')) return WRONG_METHOD
    const decision = await check(request, { below, query })
    const answer = answerOf(decision)
    count(answer.status, causeOf(decision))
    return answer
  }
}

/** The paths beside `/check`, which are compared as they were sent: nothing that a gateway appends leads to them. */
const makeAnswerOther = ({ verifier }: GatewayParts, isReady: () => boolean, formatMetrics: () => string) => {
  const metadata = makeMetadata('serve', verifier)
  const described = new Map<string | undefined, Answer>()
  for (const method of METADATA_METHODS) {
    const response = metadata.respond(method)
    if (response !== undefined) described.set(method, metadataAnswer(response))
  }
  const answers: Readonly<Record<string, () => Answer>> = {
    '/livez': () => emptyAnswer(200),
    '/readyz': () => emptyAnswer(isReady() ? 200 : 503),
    '/metrics': () => textAnswer(formatMetrics(), OPENMETRICS),
  }
  return (method: string | undefined, path: string): Answer => {
    const ofMetadata = path === metadata.path ? described.get(method) : undefined
    if (ofMetadata !== undefined) return ofMetadata
    const known = method === 'GET' || method === 'HEAD'
    return known && Object.hasOwn(answers, path) ? (answers[path]?.() ?? NOT_FOUND) : NOT_FOUND
  }
}

const send = (response: ServerResponse, { status, headers, body }: Answer): void => {
  response.sendDate = false
  response.writeHead(status, headers)
  response.end(body)
}

export const makeGateway = (parts: GatewayParts): Gateway => {
  const metrics = makeMetrics()
  const isFollowing = makeIsReady(parts)
  let isStopping = false
  const isReady = (): boolean => !isStopping && isFollowing()
  const answerCheck = makeAnswerCheck(parts, metrics.count)
  const answerOther = makeAnswerOther(parts, isReady, () => metrics.format(parts.verifier.status(), isReady()))

  const answer = (request: IncomingMessage): Answer | Promise<Answer> => {
    const { url = '' } = request
    const mark = url.indexOf('?')
    const path = mark < 0 ? url : url.slice(0, mark)
    if (path !== CHECK_PATH && !path.startsWith(`${CHECK_PATH}/`)) return answerOther(request.method, path)
    return answerCheck(request, path.slice(CHECK_PATH.length), mark < 0 ? '' : url.slice(mark + 1))
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // A body is not read, so what follows it on the connection is nothing to wait for.
    if (isStopping || hasBody(request)) response.shouldKeepAlive = false
    try {
      send(response, await answer(request))
    } catch (fault) {
      parts.log('error', 'request_failed', { problem: describeFault(fault) })
      metrics.count(FAULT.status, 'fault')
      if (!response.headersSent) send(response, FAULT)
      else response.destroy()
    }
  }

  const server = createServer({
    // Else NODE_OPTIONS decides, and a lenient parser may divide requests otherwise than the gateway did.
    insecureHTTPParser: false,
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: HEADERS_MS_MAX,
    keepAliveTimeout: KEEP_ALIVE_MS,
  })
  server.maxConnections = CONNECTIONS_MAX
  // Node 24 drops lines beyond 2,000, and among them one that comes again. Their bytes are bounded.
  server.maxHeadersCount = 0
  const listener = (request: IncomingMessage, response: ServerResponse): void => void handle(request, response)
  // An answer without 100 (Continue): the body is not wanted (RFC 9110 §10.1.1).
  server.on('request', listener).on('checkContinue', listener)
  return {
    server,
    isReady,
    beginStop: () => {
      isStopping = true
    },
  }
}
