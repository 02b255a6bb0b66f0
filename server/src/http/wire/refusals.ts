// The one mapping of refusals and faults to responses: status, challenges, body.
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Access } from '../../../../api/values/access.ts'
import type { Origin } from '../../domain/caller.ts'
import {
  type Challenge,
  type OrRefusal,
  type Refusal,
  type RefusalCode,
  Overloaded,
  Unavailable,
  type WorkLimit,
} from '../../domain/refusal.ts'
import { type CountLimit, limitOf } from '../../domain/refusal-reasons.ts'
import type { FailedAuthentications } from '../../ports/failed-authentications.ts'
import type { Metrics } from '../../ports/metrics.ts'
import type { AuditLog } from '../../ports/audit-log.ts'
import { parseAuthorization } from './authorization.ts'
import { ERRORS, typeOf } from './error-reference.ts'
import { pathOf } from './fields.ts'
import { restConnection, RETRY_AFTER_SECONDS } from './connections/pipelining.ts'
import { describeMissingFile } from './missing-file.ts'
import { noteOf } from '../notes/request-note.ts'
import { RefusedInput } from './refused-input.ts'
import type { SourceOf } from './source.ts'

/** Fastify's own complaints about a request. Whatever is not in this table is a fault of ours. */
const FASTIFY_REFUSALS: Readonly<Record<string, Refusal>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'invalid_request',
    description:
      'The media type of a body is application/x-www-form-urlencoded or, where the operation takes JSON, application/json, in UTF-8.',
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'invalid_request',
    description: 'The body is not as long as Content-Length says.',
  },
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'request_too_large', description: 'The body is larger than this service takes.' },
  FST_ERR_BAD_URL: { code: 'invalid_request', description: 'The path of the URL is not percent-encoded UTF-8.' },
  // No id is as long.
  FST_ERR_MAX_PARAM_LENGTH: { code: 'not_found', description: 'There is nothing at this path.' },
  // The caller hung up while its body was being read: nobody hears the answer.
  ECONNRESET: { code: 'invalid_request', description: 'The request ended early.' },
}

type Answer = {
  readonly code: RefusalCode
  readonly description: string
  readonly id?: string
  readonly retryAfterSeconds?: number
}

const UNAVAILABLE = {
  code: 'temporarily_unavailable',
  description: 'The service cannot answer for certain right now: try again.',
} as const satisfies Answer
/** The response in place of a 401, the same for every caller, credential and cause. A right credential never gets it. */
const FAILED_TOO_OFTEN: Answer = {
  code: 'too_many_requests',
  description: 'Too many failed authentications: wait as long as Retry-After says, and send the right credential.',
}
const FAULT: Answer = { code: 'server_error', description: 'The service failed. Its log has the reason.' }

/** RFC 6749 §5.2: printable ASCII without `"` and `\`. */
const sanitise = (description: string): string => description.replaceAll(/[^\x20-\x21\x23-\x5B\x5D-\x7E]/g, '?')

const membersOf = ({ code, description }: Answer) => ({ error: code, error_description: sanitise(description) })

/** An error body as of RFC 6749 §5.2. */
export const formatError = (answer: Answer): string => JSON.stringify(membersOf(answer))

/** A problem (RFC 9457) that carries the members of RFC 6749 too. */
export const formatProblem = (issuer: string, answer: Answer): string => {
  const { status, title } = ERRORS[answer.code]
  const { error, error_description: detail } = membersOf(answer)
  const type = typeOf(issuer, error)
  const { id } = answer
  return JSON.stringify({
    type,
    title,
    status,
    detail,
    error,
    error_description: detail,
    ...(id !== undefined && { id }),
  })
}

const isBearer = (reply: FastifyReply): boolean =>
  parseAuthorization(reply.request.headers.authorization)?.scheme === 'bearer'

const refusalIn = (fault: unknown): Refusal | undefined => {
  if (fault instanceof RefusedInput) return fault.refusal
  return fault instanceof Error && 'code' in fault ? FASTIFY_REFUSALS[String(fault.code)] : undefined
}

/** The caller of an administrative operation and its source, or why it is refused. */
export type Recognize = (request: FastifyRequest, access: Access) => Promise<OrRefusal<Origin>>

type WriteHtml = (why: string) => string

/** Authenticates and authorizes administrative requests, and answers those that are refused or fail. */
export type Refuser = {
  readonly recognize: Recognize
  readonly refuse: (reply: FastifyReply, refusal: Refusal) => FastifyReply
  /**
   * Answers for something thrown: a refusal in disguise, a part that does not answer, or a fault. `writeHtml` makes the page that says
   * of the latter two why there is no answer, where a person sees it in a browser.
   */
  readonly fail: (reply: FastifyReply, fault: unknown, writeHtml?: WriteHtml) => FastifyReply
  /** Logs why a page says that something was refused: the page does not say it. */
  readonly note: (requestId: string, inside: string) => void
}

type Report = (fields: object, message: string) => void

type RefuserOptions = {
  /** The level of log lines with a reason that the caller does not get; `info` by default. */
  readonly causeLevel?: 'info' | 'warn'
  readonly recognize: Recognize
  /** The realm of every challenge. */
  readonly issuer: string
  /** Errors of paths that start so are problems. */
  readonly problemsUnder: string
  readonly logger: Readonly<Record<'debug' | 'info' | 'warn' | 'error', Report>>
  /** Called for each answer that something could not be had in time. */
  readonly reportUnavailable: (requestId: string, fault: Unavailable) => void
  readonly metrics: Metrics
  readonly countRefusal: AuditLog['countRefusal']
  readonly countLimit: CountLimit
  /** Bounds failed authentications. */
  readonly failedAuthentications: FailedAuthentications
  readonly sourceOf: SourceOf
  /** Called with the headers of a request whose credential was refused. */
  readonly forgetCredential: (headers: IncomingHttpHeaders) => void
}

/** The challenges of an answer (RFC 9110 §11.6.1), each with our realm. */
const makeChallenges = (issuer: string) => {
  const challenge = (asked: Challenge | 'Bearer error="insufficient_scope"'): string => {
    const [scheme, attribute] = asked.split(' ')
    return attribute === undefined ? `${scheme} realm="${issuer}"` : `${scheme} realm="${issuer}", ${attribute}`
  }

  return (reply: FastifyReply, refusal: Refusal): readonly string[] => {
    if ('challenges' in refusal) return refusal.challenges.map(challenge)
    // RFC 6750 §3.1, for the scheme that the caller used.
    return refusal.code === 'insufficient_scope' && isBearer(reply)
      ? [challenge('Bearer error="insufficient_scope"')]
      : []
  }
}

/** Counts what a limit refused for the metrics of this process, and for the usage that the store keeps. */
const makeLimitCounter =
  ({ metrics, countLimit }: Pick<RefuserOptions, 'metrics' | 'countLimit'>) =>
  (code: Refusal['code'], limit: WorkLimit | undefined): void => {
    if (limit !== undefined) metrics.add('mintmark_limits_reached_total', { limit })
    const counted = limitOf(code, limit)
    if (counted !== undefined) countLimit(counted)
  }

const makeRefusalLog =
  ({ logger, causeLevel = 'info' }: Pick<RefuserOptions, 'logger' | 'causeLevel'>) =>
  (requestId: string, refusal: Refusal): void => {
    // Only the log says why a client or an operator is refused: the person who runs the service must find it.
    const level = 'inside' in refusal ? causeLevel : 'debug'
    const { presentedId: _, ...shown } = { presentedId: undefined, ...refusal }
    logger[level]({ requestId, ...shown }, 'refused')
  }

type Form = { readonly type: string; readonly body: string }

const JSON_TYPE = 'application/json; charset=utf-8'
const HTML_TYPE = 'text/html; charset=utf-8'

export const makeRefuser = (options: RefuserOptions): Refuser => {
  const { recognize, issuer, problemsUnder, logger, reportUnavailable, sourceOf, metrics } = options
  const log = makeRefusalLog(options)

  const challengesOf = makeChallenges(issuer)
  const countLimit = makeLimitCounter(options)

  const formOf = (reply: FastifyReply, what: Answer): Form =>
    pathOf(reply.request).startsWith(problemsUnder)
      ? { type: 'application/problem+json', body: formatProblem(issuer, what) }
      : { type: JSON_TYPE, body: formatError(what) }

  const answer = (reply: FastifyReply, what: Answer, writeHtml?: WriteHtml): FastifyReply => {
    metrics.add('mintmark_refusals_total', { code: what.code })
    const note = noteOf(reply.request.raw)
    if (note !== undefined) note.code = what.code
    const { type, body } =
      writeHtml === undefined ? formOf(reply, what) : { type: HTML_TYPE, body: writeHtml(what.description) }
    const retryAfter = what.code === 'temporarily_unavailable' ? RETRY_AFTER_SECONDS : what.retryAfterSeconds
    if (retryAfter !== undefined) void reply.header('retry-after', retryAfter)
    // As bytes: to a text Fastify would add a charset, which a problem does not have.
    return reply.code(ERRORS[what.code].status).type(type).send(Buffer.from(body))
  }

  /** Counts the attempt for the audit log and, if it is a failed authentication, for its limit: in how many s it is within it. */
  const count = (reply: FastifyReply, refusal: Refusal): number | null => {
    if (!('attempt' in refusal) || refusal.attempt === undefined) return null
    const source = sourceOf(reply.request)
    options.countRefusal(refusal.attempt, source)
    options.forgetCredential(reply.request.headers)
    if (!('challenges' in refusal)) return null
    return options.failedAuthentications.count({ clientId: refusal.presentedId, source })
  }

  const refuse = (reply: FastifyReply, refusal: Refusal): FastifyReply => {
    log(reply.request.id, refusal)
    const retryAfterSeconds = count(reply, refusal)
    if (retryAfterSeconds !== null) {
      metrics.add('mintmark_limits_reached_total', { limit: 'failed_authentications' })
      options.countLimit('failed_authentications')
      return answer(reply, { ...FAILED_TOO_OFTEN, retryAfterSeconds })
    }
    countLimit(refusal.code, 'limit' in refusal ? refusal.limit : undefined)
    if (refusal.code === 'temporarily_unavailable') restConnection(reply.request.raw, sourceOf)
    const challenges = challengesOf(reply, refusal)
    if (challenges.length > 0) void reply.header('www-authenticate', challenges)
    if ('nonce' in refusal && refusal.nonce !== undefined) void reply.header('dpop-nonce', refusal.nonce)
    return answer(reply, refusal)
  }

  const fail = (reply: FastifyReply, fault: unknown, writeHtml?: WriteHtml): FastifyReply => {
    const refusal = refusalIn(fault)
    if (refusal !== undefined) return refuse(reply, refusal)
    const requestId = reply.request.id
    if (fault instanceof Unavailable) {
      reportUnavailable(requestId, fault)
      countLimit(UNAVAILABLE.code, fault.limit)
      if (fault instanceof Overloaded) restConnection(reply.request.raw, sourceOf)
      return answer(reply, { ...UNAVAILABLE, description: fault.toCaller ?? UNAVAILABLE.description }, writeHtml)
    }
    logger.error({ requestId, err: fault }, 'fault')
    return answer(reply, { ...FAULT, description: describeMissingFile(fault) ?? FAULT.description }, writeHtml)
  }

  const note = (requestId: string, inside: string): void =>
    logger[options.causeLevel ?? 'info']({ requestId, inside }, 'refused')

  return { recognize, refuse, fail, note }
}
