// Issues access tokens by the client-credentials grant (RFC 6749 §4.4), for all requests of a group at once:
// decide, sign, write, answer. A token leaves only once its row is durable.
import { refuseProof } from '../../domain/ledger/dpop.ts'
import type { LimitName } from '../../../../api/values/limits.ts'
import { oneByOne } from '../../domain/one-by-one.ts'
import { isRefused, type OrRefusal, type Refusal, Unavailable } from '../../domain/refusal.ts'
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
import { type Grant, grantToken, type IssueRequest } from './grant-token.ts'
import { mintTokens } from './mint-tokens.ts'

export type IssuedToken = {
  readonly accessToken: string
  readonly tokenType: 'Bearer' | 'DPoP'
  readonly expiresInSeconds: number
  readonly scope: string
}

type IssuePorts = Pick<
  Ports,
  'agents' | 'codec' | 'importedSecrets' | 'ledger' | 'profile' | 'randomness' | 'secrets' | 'usage'
>

/** The same, with a ledger that only inserts tokens. */
type RoundPorts = Omit<IssuePorts, 'ledger'> & { readonly ledger: Pick<TokenLedger, 'insert'> }

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

const answerOf = (
  { grant, request }: Granted,
  minted: { readonly token: string; readonly row: NewToken } | undefined,
  outcome: InsertOutcome | Error | undefined,
): Decided => {
  if (outcome instanceof Error) return outcome
  if (typeof outcome === 'object') return refuseBeyond(outcome, grant.client.agent.clientId)
  if (outcome === 'no_room') return new Unavailable(NO_ROOM, { limit: 'ledger_names' })
  if (outcome === 'proof_used' || outcome === 'proof_late') return refuseProof(PROOF_FAILURES[outcome])
  if (outcome === 'assertion_used') return refuseUsed(request.credentials, grant.client)
  return minted === undefined || outcome !== 'inserted' ? 'again' : issuedToken(minted.token, minted.row)
}

/** Counts what the agent of a grant got or was refused. A used assertion authenticates nobody. */
const countOutcome = ({ usage }: Pick<RoundPorts, 'usage'>, row: NewToken, outcome: InsertOutcome | Error): void => {
  if (outcome === 'inserted') usage.countIssued(row.agent, row.id)
  else if (outcome === 'proof_used' || outcome === 'proof_late') usage.countRefused(row.agent)
  else if (typeof outcome === 'object' && 'limit' in outcome) usage.countRefused(row.agent)
}

/** Signs and writes what was granted; one answer for each, in order. */
const write = async (ports: RoundPorts, granted: readonly Granted[], view: IssueView): Promise<readonly Decided[]> => {
  if (granted.length === 0) return []
  const minted = mintTokens(
    ports,
    granted.map(({ grant }) => grant),
    view,
  )
  const outcomes = await ports.ledger.insert(minted.map(({ row }) => row))
  outcomes.forEach((outcome, n) => {
    const row = minted[n]?.row
    if (row !== undefined) countOutcome(ports, row, outcome)
  })
  return granted.map((one, n) => answerOf(one, minted[n], outcomes[n]))
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
  const refused = requests.map((request, n): Decided | undefined => {
    const decided = grantToken(ports, request, view.clients[n], view.now)
    if (isRefused(decided)) {
      if (freshness === 'cached') return 'again'
      const { authenticated, ...refusal } = decided
      if (authenticated !== undefined) ports.usage.countRefused(authenticated)
      return refusal
    }
    granted.push({ grant: decided, request })
    return undefined
  })
  const written = await write(ports, granted, view)
  let next = 0
  return refused.map(one => one ?? written[next++] ?? 'again')
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

const issuedToken = (accessToken: string, row: NewToken): IssuedToken => ({
  accessToken,
  tokenType: row.proof === undefined ? 'Bearer' : 'DPoP',
  expiresInSeconds: row.lifetimeSeconds,
  scope: row.scope,
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
  const round: RoundPorts = { ...ports, ledger: { insert: tokens => ports.ledger.insert(tokens, until) } }
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
  await run(some => ports.ledger.exclusively(ledger => issueRound({ ...ports, ledger }, some, 'fresh'), until))
  return answers.map(answer => answer ?? new Unavailable(UNDECIDED))
}
