// The routes by which a browser signs in and out, and learns who is signed in: docs/decisions/0080-console.md.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { formatTime } from '../../../../api/values/time.ts'
import { SESSION_MS_MAX } from '../../domain/clients/session.ts'
import { isRefused, type OrRefusal, type Refusal } from '../../domain/refusal.ts'
import { actBy } from '../../domain/caller.ts'
import {
  authenticateSession,
  type InSession,
  refuseSession,
} from '../../operations/authentication/authenticate-session.ts'
import { beginSession } from '../../operations/sessions/sessions.ts'
import type { SignIn } from '../../ports/sessions.ts'
import { escapeText, escapeUrl, PAGE_HEADERS, writePage } from '../openapi/page.ts'
import type { RawFields } from '../wire/fields.ts'
import { answerInTime } from '../wire/answer-deadline.ts'
import type { Wire } from '../wire/wire.ts'
import { type CookieNames, cookieNamesOf, cookieOf, dropCookie, isOwnPage } from '../wire/cookies.ts'
import { serveConsole } from './serve-console.ts'
import { makeEventsHandler } from './console-streams.ts'
import {
  dropSessionCookies,
  lastSessionOf,
  setSessionCookies,
  setSignInCookie,
  signInCookieOf,
} from './sign-in-cookies.ts'

type SessionWire = Pick<Wire, 'refuser' | 'sourceOf' | 'inTime' | 'mayStay' | 'reportStreamFault' | 'ports'>

/**
 * Quoted as JSON. Foreign pages can begin as many sign-ins as a browser may have open: their cookies take 3,100 of the 8192
 * characters that are read, and leave room to a second installation and to others of the host.
 */
const TO_CHARACTERS_MAX = 256

const OFF: Refusal = {
  code: 'not_found',
  description: 'This service has no client at the identity provider of its operators.',
}

/** A path of the console and nothing else: an address that came from elsewhere must not lead elsewhere. `home` is absolute. */
const destinationOf = (to: string, home: URL): string => {
  // Read as a browser reads it: it drops tabs and line breaks, takes a backslash for a slash, and resolves `..`.
  const found = to === '' ? null : URL.parse(to, home)
  const isOurs = found?.origin === home.origin && found.pathname.startsWith(home.pathname)
  const path = isOurs ? found.pathname + found.search + found.hash : home.pathname
  return JSON.stringify(path).length <= TO_CHARACTERS_MAX ? path : home.pathname
}

/** What a sign-in is asked to lead to: empty where it is asked for nothing, or twice. */
const wantedIn = (query: RawFields): string => {
  const [[, to] = ['to', ''], ...others] = query.pairs?.filter(([name]) => name === 'to') ?? []
  return others.length === 0 ? to : ''
}

type Handler = (signIn: SignIn, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/** `back` is the path to which its link leads. */
const writeFailed = (basePath: string, why: string, back: string): string =>
  writePage({
    title: 'Sign-in',
    basePath,
    content: `<h1>The sign-in did not succeed</h1>\n<p>${escapeText(why)}\n<p><a href="${escapeUrl(back)}">Back to the console</a>`,
  })

/** Makes the handlers that redirect to the provider, and back from it. */
const makeSignInHandlers = (
  { ports, refuser, sourceOf }: SessionWire,
  names: CookieNames,
  basePath: string,
  home: URL,
) => {
  const beginSignIn: Handler = async (signIn, request, reply) => {
    const to = destinationOf(wantedIn(request.query as RawFields), home) // the parser of readers.ts made it
    const begun = await signIn.begin(to, sourceOf(request))
    setSignInCookie(names, request, reply, begun)
    return reply.redirect(begun.location, 302)
  }

  const explain = (reply: FastifyReply, why: string, inside = why): FastifyReply => {
    refuser.note(reply.request.id, inside)
    return reply
      .code(400)
      .headers(PAGE_HEADERS)
      .type('text/html; charset=utf-8')
      .send(writeFailed(basePath, why, home.pathname))
  }

  const finishSignIn: Handler = async (signIn, request, reply) => {
    const cookie = signInCookieOf(names, request)
    if (cookie === undefined) return explain(reply, 'It took longer than ten minutes, or began in another browser.')
    const query = request.url.includes('?') ? request.url.slice(request.url.indexOf('?')) : ''
    const callback = new URL(`${ports.profile.issuer}/console/callback${query}`)
    const signedIn = await signIn.finish(callback, cookie.pending, sourceOf(request))
    dropCookie(reply, cookie.name)
    if ('refused' in signedIn) return explain(reply, signedIn.refused, signedIn.inside)
    // A session whose cookie reaches nobody is not begun.
    if (reply.raw.destroyed || reply.sent) return reply
    const from = { requestId: request.id, source: sourceOf(request), before: lastSessionOf(names, request) }
    const begun = await beginSession(ports, signIn, signedIn, from)
    if (isRefused(begun)) {
      return explain(
        reply,
        'The identity provider gave no JWT for this service; its administrator finds the reason in its log.',
        'inside' in begun.refusal ? begun.refusal.inside : begun.refusal.description,
      )
    }
    setSessionCookies(names, reply, begun)
    return reply.redirect(signedIn.to, 303)
  }

  /** What does not answer is said on a page, from which the operator gets to the screen that they wanted. */
  const failTo =
    (wantedBy: (request: FastifyRequest) => string) =>
    (fault: unknown, request: FastifyRequest, reply: FastifyReply): void => {
      const back = destinationOf(wantedBy(request), home)
      void refuser.fail(reply.headers(PAGE_HEADERS), fault, why => writeFailed(basePath, why, back))
    }
  const failBegin = failTo(({ query }) => wantedIn(query as RawFields)) // as above
  /** The address of a callback is of the provider, or of anybody: the screen is in the cookie. */
  const failFinish = failTo(request => {
    const cookie = signInCookieOf(names, request)
    return (cookie && ports.signIn?.wanted(cookie.pending)) ?? ''
  })

  return { beginSignIn, finishSignIn, failBegin, failFinish }
}

const serveSessions = (app: FastifyInstance, wire: SessionWire, basePath: string): void => {
  const { ports, refuser, sourceOf } = wire
  const home = `${basePath}/console/`
  const { issuer } = ports.profile
  const { origin } = new URL(issuer)
  const names = cookieNamesOf(issuer)
  const { beginSignIn, finishSignIn, failBegin, failFinish } = makeSignInHandlers(
    wire,
    names,
    basePath,
    new URL(home, origin),
  )
  const toOwnPage = (request: FastifyRequest): boolean => isOwnPage(request, origin)

  const secretOf = (request: FastifyRequest): string | undefined =>
    toOwnPage(request) ? cookieOf(request, names.session) : undefined

  const recognize = async (request: FastifyRequest): Promise<OrRefusal<InSession>> => {
    const secret = secretOf(request)
    return secret === undefined ? refuseSession() : authenticateSession(ports, secret, sourceOf(request))
  }

  const showSession: Handler = async (_signIn, request, reply) => {
    const session = await recognize(request)
    if (isRefused(session)) return refuser.refuse(reply, session.refusal)
    const { iss, sub, role } = session.operator
    const { name, createdAt } = session.found.session
    return reply.send({ operator: { iss, sub, name }, role, expires_at: formatTime(createdAt + SESSION_MS_MAX) })
  }

  const signOut: Handler = async (_signIn, request, reply) => {
    const secret = secretOf(request)
    const found = secret === undefined ? undefined : await ports.sessions.find(ports.secrets.hash(secret))
    if (found === undefined) return refuser.refuse(dropSessionCookies(names, reply), refuseSession().refusal)
    const { id, iss, sub } = found.session
    const caller = { kind: 'operator', iss, sub, role: null } as const
    const from = { caller, requestId: request.id, source: sourceOf(request) }
    await ports.sessions.end(id, actBy(from, 'session.end'))
    return dropSessionCookies(names, reply).code(204).send()
  }

  /** Refuses where no sign-in is configured: then there are no sessions. */
  const withSignIn = (handle: Handler) =>
    answerInTime(wire, async (request: FastifyRequest, reply: FastifyReply) =>
      ports.signIn === null ? refuser.refuse(reply, OFF) : handle(ports.signIn, request, reply),
    )

  const options = { schema: { hide: true } }
  app.get(`${home}session`, options, withSignIn(showSession))
  for (const [path, handle, errorHandler] of [
    ['sign-in', beginSignIn, failBegin],
    ['callback', finishSignIn, failFinish],
  ] as const) {
    // HEAD changes nothing (RFC 9110 §9.2.1): a scanner of links must not finish the sign-in of an operator.
    app.head(home + path, { ...options, config: { isUnknown: true } }, (_request, reply) => reply.callNotFound())
    app.get(home + path, { ...options, exposeHeadRoute: false, errorHandler }, withSignIn(handle))
  }
  const followEvents = makeEventsHandler(app, wire, recognize)
  app.get(
    `${home}events`,
    options,
    withSignIn((_signIn, request, reply) => followEvents(request, reply)),
  )
  app.post(`${home}sign-out`, options, withSignIn(signOut))
}

/** Call it in a scope of its own: its routes name the path of the base URL. */
export const registerConsole = (app: FastifyInstance, wire: Wire, basePath: string): void => {
  const { ports, refuser } = wire
  const hash = (text: string): string => ports.secrets.hash(text)
  serveConsole(app, { basePath, hash, refuser, makeNonce: () => ports.randomness.uuid() })
  serveSessions(app, wire, basePath)
}
