// Answers one token request: its client is authenticated, and its DPoP proof and a JWT of a trusted issuer are checked by itself; it then
// joins the group of those that arrived with it, which are decided on, signed and written together.
import { CLIENT_CREDENTIALS, JWT_BEARER } from '../../../../api/values/delegation.ts'
import { ID_JAG_TYPE } from '../../domain/clients/foreign-jwt.ts'
import { isRefused, type OrRefusal } from '../../domain/refusal.ts'
import type { InTime } from '../../ports/deadline.ts'
import type { Ports } from '../../ports/ports.ts'
import { NO_TRACES, type Traces } from '../../ports/traces.ts'
import { authenticateClients, type Checked, type RequestOrigin } from '../authentication/authenticate-client.ts'
import { checkProof } from '../authentication/check-proof.ts'
import { makeCheckSubjectJwt, readSubject } from './check-subject-jwt.ts'
import type { ClientCredentials } from '../authentication/recognize-client.ts'
import { withPermit, inGroups } from '../group.ts'
import { GROUP_MAX } from '../../domain/one-by-one.ts'
import { countNotGranted, type IssueRequest } from './grant-token.ts'
import { type IssueAnswer, type IssuedToken, issueTokens } from './issue-tokens.ts'
import type { Milliseconds, MonotonicMilliseconds } from '../../../../api/values/time.ts'
import type { Timing } from '../../ports/timing.ts'

// How many token requests may be under way: fewer while the store takes long for a group of them, so that what it could not
// serve in time is refused at once.

/** Token requests under way in a thread: about a quarter of a second of its work. */
const ISSUES_MAX = 2048

/** The least limit, however long the store takes: one group. */
const ISSUES_MIN = GROUP_MAX

/** The growth of the limit after a group that took less than half of `issueGroupMs`. */
const GROWTH = 1.25

type IssueRoom = {
  /** Returns how many requests may be under way now. */
  readonly requestsMax: () => number
  /** Notes that a group begins; returns what to call once it has ended. */
  readonly begin: () => () => void
}

type Clock = Pick<Ports, 'monotonic'> & { readonly timing: Pick<Timing, 'issueGroupMs'> }

/** Makes the room of one thread. */
export const makeIssueRoom = ({ monotonic: now, timing: { issueGroupMs } }: Clock): IssueRoom => {
  let max = ISSUES_MAX
  // How many were let in before the last groups that took long, and when the first of these ended.
  let before = max
  let sinceMs: MonotonicMilliseconds = Number.NEGATIVE_INFINITY
  // In the order in which they began.
  const begun = new Set<{ readonly at: MonotonicMilliseconds }>()

  const adapt = (beganAt: MonotonicMilliseconds, tookMs: Milliseconds): void => {
    if (tookMs < issueGroupMs / 2) max = Math.min(ISSUES_MAX, Math.ceil(max * GROWTH))
    if (tookMs <= issueGroupMs) return
    // Groups that began under one limit are all compared with that limit, so that their cuts do not add up.
    if (beganAt >= sinceMs) {
      before = max
      sinceMs = now()
    }
    max = Math.max(ISSUES_MIN, Math.min(max, Math.floor((before * issueGroupMs) / tookMs)))
  }

  return {
    requestsMax: () => {
      const [oldest] = begun
      return oldest !== undefined && now() - oldest.at > issueGroupMs ? ISSUES_MIN : max
    },
    begin: () => {
      const group = { at: now() }
      begun.add(group)
      return () => {
        begun.delete(group)
        adapt(group.at, now() - group.at)
      }
    },
  }
}

/** A token request as it was read. */
export type TokenRequest = Omit<IssueRequest, 'credentials' | 'proof'> & {
  readonly credentials: ClientCredentials
  /** The client id of the form, whatever else authenticates the client. */
  readonly clientId?: string | undefined
  /** The text of the DPoP proof; undefined where the request has none. An empty one is none that verifies. */
  readonly dpop: string | undefined
  readonly origin: RequestOrigin
}

/** `nonce` is for the client's next proof. */
type Issued = IssuedToken & { readonly nonce?: string | null }

type Joining = IssueRequest & Pick<TokenRequest, 'origin'>

/** A workload's assertion is a grant that authenticates its client too (RFC 7521 §4.1): client credentials by another name. */
const asWorkload = ({ foreignIssuers }: Pick<Ports, 'foreignIssuers'>, request: TokenRequest): TokenRequest => {
  const { grantType, credentials, assertion, clientId } = request
  // A certificate is no way beside an assertion: tokens may be bound to it.
  const isOther = credentials.kind !== 'none' && credentials.kind !== 'certificate'
  if (grantType !== JWT_BEARER || isOther || assertion === undefined) return request
  const jwt = foreignIssuers.read(assertion)
  // An ID-JAG is presented by a client that authenticates itself.
  if (!('wrong' in jwt) && jwt.typ === ID_JAG_TYPE) return request
  const { assertion: _, ...rest } = request
  const own = { kind: 'assertion', assertion, isGrant: true, ...(clientId !== undefined && { clientId }) } as const
  return { ...rest, grantType: CLIENT_CREDENTIALS, credentials: own }
}

type IssueOptions = {
  readonly inTime: InTime
  /** Runs the work in the next turn of the event loop. */
  readonly defer: (work: () => void) => void
  /** Called for the first request that is refused because so many others are under way. */
  readonly onFull: (underWay: number) => void
  /** Called with the size of each group. */
  readonly onGroup?: (requests: number) => void
  readonly traces?: Traces
}

export const makeIssueToken = (
  ports: Ports,
  { inTime, defer, onFull, onGroup, traces = NO_TRACES }: IssueOptions,
): ((request: TokenRequest) => Promise<OrRefusal<Issued>>) => {
  const room = makeIssueRoom(ports)
  const makeGroups = () =>
    inGroups<Joining, Exclude<IssueAnswer, Error>>(
      requests => {
        onGroup?.(requests.length)
        // The latest deadline of the members: a request that has waited for long does not shorten the time of the others.
        const until = Math.max(...requests.map(({ origin }) => origin.until))
        const end = room.begin()
        return inTime(issueTokens(ports, requests, until), until).finally(end)
      },
      { groupMax: GROUP_MAX, defer, timing: ports.timing, traced: { traces, name: 'issue' } },
    )
  const [grants, exchanges, jwts] = [makeGroups(), makeGroups(), makeGroups()]
  // In groups of their own: no other request waits for the look-up of their tokens, nor for the lock under which they are written.
  const issueTogether = (request: Joining) => {
    if (request.jwt !== undefined) return jwts(request)
    return (request.exchange ?? request.assertion) === undefined ? grants(request) : exchanges(request)
  }
  // What a trusted issuer has signed, and a proof, are checked before their request joins a group: no other request waits for it.
  const checkSubjectJwt = makeCheckSubjectJwt(ports, defer)
  const issueOne = async (request: Joining): Promise<OrRefusal<Issued>> => {
    const { unverified, ...subject } = readSubject(ports, request)
    if (unverified === undefined) return issueTogether({ ...request, ...subject })
    const checked = await checkSubjectJwt(request, unverified)
    return isRefused(checked) ? countNotGranted(ports, checked) : issueTogether(checked)
  }
  const issueBound = async (request: Checked<TokenRequest>, text: string): Promise<OrRefusal<Issued>> => {
    const checked = await checkProof(ports, request.credentials, text)
    if (isRefused(checked)) return countNotGranted(ports, checked)
    const issued = await issueOne({ ...request, proof: checked.proof })
    return isRefused(issued) ? issued : { ...issued, nonce: checked.nonce }
  }
  return authenticateClients<TokenRequest, Issued>(ports, {
    decide: request => {
      const { dpop, exchange, assertion, origin } = request
      if (dpop !== undefined) return inTime(issueBound(request, dpop), origin.until)
      return (exchange ?? assertion) === undefined ? issueTogether(request) : inTime(issueOne(request), origin.until)
    },
    limit: attempt => withPermit(request => attempt(asWorkload(ports, request)), room.requestsMax, onFull),
    inTime,
  })
}
