// Issues access tokens by client credentials (RFC 6749 §4.4) and by token exchange (RFC 8693), for all requests of a group at
// once: decide, sign, write, answer. A token leaves only once its row is durable.
import { refuseBlocked } from '../../domain/clients/foreign-jwt.ts'
import { atPlaces, oneByOne } from '../../domain/one-by-one.ts'
import { refuseProof } from '../../domain/ledger/dpop.ts'
import type { LimitName } from '../../../../api/values/limits.ts'
import { isRefused, type OrRefusal, type Refusal, refuse, Unavailable } from '../../domain/refusal.ts'
import { AGENT_LIMITS } from '../../domain/refusal-reasons.ts'
import type { MonotonicMilliseconds } from '../../../../api/values/time.ts'
import type {
  Freshness,
  InsertOutcome,
  IssueView,
  LimitReached,
  NewToken,
  Ports,
  TokenLedger,
} from '../../ports/ports.ts'
import { clientIdOf, refuseUsed } from '../authentication/recognize-client.ts'
import { decideEach } from './exchange-jwts.ts'
import { areDecided, SUBJECT_UNKNOWN } from './exchange-tokens.ts'
import { countNotGranted, type Grant, grantToken, type IssueRequest } from './grant-token.ts'
import { type Minted, mintTokens } from './mint-tokens.ts'

export type IssuedToken = {
  readonly accessToken: string
  readonly tokenType: 'Bearer' | 'DPoP'
  readonly expiresInSeconds: number
  readonly scope: string
  /** What the token is for, where an assertion named it. */
  readonly resource?: string | string[]
}

type IssuePorts = Pick<
  Ports,
  | 'agents'
  | 'codec'
  | 'importedSecrets'
  | 'issuers'
  | 'ledger'
  | 'operators'
  | 'profile'
  | 'randomness'
  | 'secrets'
  | 'usage'
>

/** The ports with a ledger that only finds and inserts tokens. */
type RoundPorts = Omit<IssuePorts, 'ledger'> & { readonly ledger: Pick<TokenLedger, 'find' | 'insert'> }

/** A request of the group that has no answer yet, and where its answer belongs. */
type Pending = { readonly request: IssueRequest; readonly index: number }

/** A token, a refusal, or an Error of this request alone. */
export type IssueAnswer = OrRefusal<IssuedToken> | Error

/** `again`: the next round decides on a newer view. */
type Decided = IssueAnswer | 'again'

const ROUNDS_BEFORE_LOCK = 3

const NO_ROOM = 'The ledger holds as many different lifetimes, scopes or audiences as it takes.'
const PROOF_FAILURES = { proof_used: 'it was used before', proof_late: 'it is too old by now' } as const
const UNDECIDED = 'A token could not be decided on even under the lock of the store.'

type Granted = { readonly grant: Grant; readonly request: IssueRequest }

const EARLIER_PROGRAM =
  'No such token is issued while a process of an earlier version uses the database: it does not know what the token comes from.'
const ID_JAG_USED = 'The assertion was used before: ask its issuer for a new one.'
const TOO_LONG =
  'The token would be too long: ask for fewer resources or a smaller scope, or give the agent fewer claims of its own.'

const answerOf = ({ grant, request }: Granted, minted: Minted, outcome: InsertOutcome | Error | undefined): Decided => {
  if (outcome instanceof Error) return outcome
  if (typeof outcome === 'object') return refuseBeyond(outcome, grant.client.agent.clientId)
  if (outcome === 'no_room') return new Unavailable(NO_ROOM, { limit: 'ledger_names' })
  if (outcome === 'proof_used' || outcome === 'proof_late') return refuseProof(PROOF_FAILURES[outcome])
  if (outcome === 'assertion_used') return refuseUsed(request.credentials, grant.client)
  if (outcome === 'id_jag_used') return refuse('invalid_grant', ID_JAG_USED)
  if (outcome === 'subject_blocked') return refuseBlocked(grant.idJag !== undefined)
  if (outcome === 'earlier_program') return new Unavailable(EARLIER_PROGRAM, { toCaller: EARLIER_PROGRAM })
  if (outcome === 'parent_ended') return refuse('invalid_request', SUBJECT_UNKNOWN)
  return outcome === 'inserted' ? issuedToken(minted.token, minted.row, grant) : 'again'
}

/** Counts what the agent of a grant is refused. A used assertion authenticates nobody. */
const countRefusal = (
  { usage }: Pick<RoundPorts, 'usage'>,
  agent: number,
  { outcome, answer }: { readonly outcome: InsertOutcome | Error | undefined; readonly answer: Decided },
): void => {
  if (outcome === 'assertion_used' || typeof answer !== 'object' || !('refusal' in answer)) return
  const isLimit = typeof outcome === 'object' && 'limit' in outcome
  usage.countRefused(agent, isLimit ? AGENT_LIMITS[outcome.limit] : answer.refusal.code)
}

/** Signs and writes what was granted; one answer for each, in order. */
const write = async (
  ports: RoundPorts,
  granted: readonly Granted[],
  view: IssueView,
  freshness: Freshness,
): Promise<readonly Decided[]> => {
  if (granted.length === 0) return []
  const minted = mintTokens(
    ports,
    granted.map(({ grant }) => grant),
    view,
  )
  const rows = minted.filter(one => one !== undefined).map(({ row }) => row)
  const outcomes = await ports.ledger.insert(rows)
  outcomes.forEach((outcome, n) => {
    const row = rows[n]
    if (row !== undefined && outcome === 'inserted') ports.usage.countIssued(row.agent, row.id)
  })
  const written = atPlaces(minted, one => one !== undefined, outcomes)
  return granted.map((one, n) => {
    const own = minted[n]
    const outcome = written[n]
    const tooLong = freshness === 'cached' ? 'again' : refuse('invalid_request', TOO_LONG)
    const answer = own === undefined ? tooLong : answerOf(one, own, outcome)
    countRefusal(ports, one.grant.client.number, { outcome, answer })
    return answer
  })
}

/** One round; answers in order. Nothing that can fail follows the insert: if this throws, no row was written. */
const issueRound = async (
  ports: RoundPorts,
  requests: readonly IssueRequest[],
  freshness: Freshness,
): Promise<readonly Decided[]> => {
  const clientIds = requests.map(({ credentials }) => clientIdOf(credentials))
  const view = await ports.agents.viewForIssue(clientIds, freshness)
  const granted: Granted[] = []
  const first = requests.map((request, n) => grantToken(ports, request, view.clients[n], view.now))
  const decisions = areDecided(first) ? first : await decideEach(ports, first, view)
  const refused = requests.map((request, n): Decided | undefined => {
    const decided = decisions[n]
    if (decided === undefined) throw new Error('A request of a group was not decided on.')
    if (decided === 'again' || decided instanceof Error) return decided
    if (isRefused(decided)) {
      if (freshness === 'cached') return 'again'
      return countNotGranted(ports, decided)
    }
    granted.push({ grant: decided, request })
    return undefined
  })
  const written = atPlaces(refused, one => one === undefined, await write(ports, granted, view, freshness))
  return refused.map((one, n) => one ?? written[n] ?? 'again')
}

const BEYOND: Readonly<Record<LimitName, string>> = {
  tokensPerMinute: 'This agent has got as many tokens in a minute as it may.',
  tokensPerDay: 'This agent has got as many tokens in a day as it may.',
  liveTokensMax: 'This agent has as many live tokens as it may.',
}

const refuseBeyond = ({ limit, retryAfterSeconds }: LimitReached, clientId: string): { readonly refusal: Refusal } => ({
  refusal: {
    code: 'too_many_requests',
    description: `${BEYOND[limit]} Ask again in ${retryAfterSeconds} s, and use each token until it expires.`,
    retryAfterSeconds,
    limit: 'agent_tokens',
    attempt: { way: 'limit', clientId },
  },
})

const issuedToken = (accessToken: string, row: NewToken, { namesResource }: Grant): IssuedToken => ({
  accessToken,
  tokenType: row.proof === undefined ? 'Bearer' : 'DPoP',
  expiresInSeconds: row.lifetimeSeconds,
  scope: row.scope,
  ...(namesResource === true && { resource: row.audience.length === 1 ? String(row.audience[0]) : [...row.audience] }),
})

type Round = (requests: readonly IssueRequest[]) => Promise<readonly Decided[]>

/**
 * Answers each request of a group, in order. What a cached view grants is written only if the store's numbers are still
 * those of the view; no refusal comes from a cache. After three rounds that other acts overtook, the group decides under
 * the store's exclusive lock. If a group fails, each request is tried by itself. All of it ends `until`.
 */
export const issueTokens = async (
  ports: IssuePorts,
  requests: readonly IssueRequest[],
  until: MonotonicMilliseconds,
): Promise<readonly IssueAnswer[]> => {
  const find: TokenLedger['find'] = addresses => ports.ledger.find(addresses)
  const round: RoundPorts = { ...ports, ledger: { find, insert: tokens => ports.ledger.insert(tokens, until) } }
  const answers: (IssueAnswer | undefined)[] = requests.map(() => undefined)
  let pending: readonly Pending[] = requests.map((request, index) => ({ request, index }))

  const run = async (decideSome: Round): Promise<void> => {
    const asked = pending
    const decided = await oneByOne(
      asked.map(({ request }) => request),
      decideSome,
    )
    pending = asked.filter((_, n) => (decided[n] ?? 'again') === 'again')
    asked.forEach(({ index }, n) => {
      const one = decided[n]
      if (one !== 'again') answers[index] = one
    })
  }

  for (let n = 0; n < ROUNDS_BEFORE_LOCK && pending.length > 0; n += 1) {
    await run(some => issueRound(round, some, n === 0 ? 'cached' : 'fresh'))
  }
  await run(some =>
    ports.ledger.exclusively(({ insert }) => issueRound({ ...ports, ledger: { find, insert } }, some, 'fresh'), until),
  )
  return answers.map(answer => answer ?? new Unavailable(UNDECIDED))
}
