// Issues access tokens by the client-credentials grant (RFC 6749 §4.4), for all requests of a group at once:
// decide, sign, write, answer. A token leaves only once its row is durable.
import { AUDIENCES_MAX, audiencesOf, firstResourceBeyond, isResource } from '../../../../api/values/audience.ts'
import type { Agent } from '../../domain/clients/agent.ts'
import { type AccessTokenClaims, audienceClaim, type Confirmation } from '../../domain/ledger/claims.ts'
import { refuseProof } from '../../domain/ledger/dpop.ts'
import { type LimitName, limitsOf } from '../../../../api/values/limits.ts'
import { oneByOne } from '../../domain/one-by-one.ts'
import { isRefused, type OrRefusal, type Refusal, refuse, Unavailable } from '../../domain/refusal.ts'
import { firstScopeBeyond, formatScope, parseScope, SCOPE_ITEMS_MAX } from '../../../../api/values/scope.ts'
import type { MonotonicMilliseconds } from '../../../../api/values/time.ts'
import { expiresSecondOf, issuedSecondOf, makeTokenId } from '../../domain/ledger/token-id.ts'
import type {
  Freshness,
  InsertOutcome,
  IssueView,
  LimitReached,
  MintedToken,
  NewToken,
  Ports,
  TokenLedger,
  TokenProof,
} from '../../ports/ports.ts'
import type { SingleUse } from '../../ports/secret-repositories.ts'
import {
  type AuthenticatedClient,
  authenticateClient,
  type ClientCredentials,
  clientIdOf,
  refuseUsed,
} from '../authentication/authenticate-client.ts'
import { type Bindable, bindToken } from './bind-token.ts'
import {
  hasLegacyHash,
  type ProofOrigin,
  verifyLegacySecret,
  refuseOrVerify,
  type LegacyHash,
} from '../authentication/verify-legacy-secret.ts'

export type IssueRequest = Bindable & {
  readonly grantType: string
  readonly credentials: ClientCredentials
  /** Undefined where the request names none. */
  readonly scope: string | undefined
  /** The values of `resource`, or of `audience`, which is taken as another name for it. */
  readonly resources: readonly string[]
}

export type IssuedToken = {
  readonly accessToken: string
  readonly tokenType: 'Bearer' | 'DPoP'
  readonly expiresInSeconds: number
  readonly scope: string
}

type Grant = AuthenticatedClient & {
  readonly scope: readonly string[]
  readonly audience: readonly string[]
  readonly lifetimeSeconds: number
  readonly cnf?: Confirmation
  readonly proof: TokenProof | undefined
  readonly assertion: SingleUse | undefined
}

type IssuePorts = Pick<Ports, 'agents' | 'codec' | 'importedSecrets' | 'ledger' | 'profile' | 'randomness' | 'secrets'>

/** The same, where all that is done with the ledger is to write new tokens. */
type RoundPorts = Omit<IssuePorts, 'ledger'> & { readonly ledger: Pick<TokenLedger, 'insert'> }

/** A request of the group that has no answer yet, and where its answer belongs. */
type Pending = { readonly request: IssueRequest; readonly index: number }

/** A token, a refusal, or why this one request could not be decided on, or not yet. An Error is of this request alone. */
export type IssueAnswer = OrRefusal<IssuedToken> | LegacyHash | Error

/** `again`: the next round decides, on a newer view. */
type Decided = IssueAnswer | 'again'

const RANDOM_BYTES_OF_ID = 10
const ROUNDS_BEFORE_LOCK = 3

const NO_ROOM = 'The ledger holds as many different lifetimes, scopes or audiences as it takes.'
const PROOF_FAILURES = { proof_used: 'it was used before', proof_late: 'it is too old by now' } as const
const UNDECIDED = 'A token could not be decided on even under the lock of the store.'

const grantScope = (agent: Agent, requested: string | undefined): OrRefusal<{ scope: readonly string[] }> => {
  if (requested === undefined) {
    return agent.defaultScope === null
      ? refuse(
          'invalid_scope',
          'The request names no scope and the agent has no default one: send scope=resource:action.',
        )
      : { scope: agent.defaultScope }
  }
  const scope = parseScope(requested)
  if (scope === undefined) {
    const form = `at most ${SCOPE_ITEMS_MAX} items of the form resource:action, separated by one space each`
    return refuse('invalid_scope', `The scope is malformed: send ${form}.`)
  }
  return firstScopeBeyond(agent.scopes, scope) === undefined
    ? { scope }
    : refuse('invalid_scope', 'The scope holds an item that is unknown or that this agent may not have.')
}

const grantAudience = (
  agent: Agent,
  requested: readonly string[],
  fallback: string,
): OrRefusal<{ audience: readonly string[] }> => {
  if (requested.length === 0) return { audience: [agent.defaultAudience ?? fallback] }
  const audience = [...new Set(requested)].toSorted()
  if (audience.length > AUDIENCES_MAX || !audience.every(isResource)) {
    return refuse(
      'invalid_target',
      `Each resource must be an absolute URI without a fragment, at most ${AUDIENCES_MAX} of them.`,
    )
  }
  return firstResourceBeyond(audiencesOf(agent, fallback), audience) === undefined
    ? { audience }
    : refuse('invalid_target', 'A resource is not one that this agent may ask for.')
}

const decide = (
  ports: RoundPorts,
  request: IssueRequest,
  view: IssueView,
  n: number,
): OrRefusal<Grant> | LegacyHash => {
  const authenticated = authenticateClient(ports, request.credentials, view.clients[n], view.now)
  if (authenticated === undefined) return refuseOrVerify(request.credentials, view.clients[n], view.now)
  if (request.grantType !== 'client_credentials') {
    return refuse('unsupported_grant_type', 'The only grant_type of this service is client_credentials.')
  }
  const { agent } = authenticated.client
  const bound = bindToken(agent, request, view.now)
  if (isRefused(bound)) return bound
  const scoped = grantScope(agent, request.scope)
  if (isRefused(scoped)) return scoped
  const targeted = grantAudience(agent, request.resources, ports.profile.defaultAudience)
  if (isRefused(targeted)) return targeted
  const lifetimeSeconds = agent.lifetimeSeconds ?? ports.profile.lifetimeSeconds
  const assertion = request.credentials.kind === 'verified' ? request.credentials.assertion : undefined
  return { ...authenticated, ...scoped, ...targeted, ...bound, lifetimeSeconds, proof: request.proof, assertion }
}

const claimsOf = (ports: RoundPorts, grant: Grant, view: IssueView, random: Uint8Array): AccessTokenClaims => {
  const jti = makeTokenId(view.now, random)
  const claims = {
    iss: ports.profile.issuer,
    sub: grant.client.agent.id,
    aud: audienceClaim(grant.audience),
    client_id: grant.client.agent.clientId,
    iat: issuedSecondOf(jti),
    exp: expiresSecondOf(jti, grant.lifetimeSeconds),
    jti,
    scope: formatScope(grant.scope),
    seq: view.seq,
  }
  return grant.cnf === undefined ? claims : { ...claims, cnf: grant.cnf }
}

const rowOf = (grant: Grant, claims: AccessTokenClaims, minted: MintedToken, signingKey: number): NewToken => {
  const row = {
    id: claims.jti,
    lifetimeSeconds: grant.lifetimeSeconds,
    digest: minted.digest,
    agent: grant.client.number,
    credential: grant.credential.number,
    signingKey,
    scope: claims.scope,
    audience: grant.audience,
    seq: claims.seq,
    limits: limitsOf(grant.client.agent),
  }
  const { proof, assertion } = grant
  if (proof === undefined && assertion === undefined) return row
  return { ...row, ...(proof !== undefined && { proof }), ...(assertion !== undefined && { assertion }) }
}

const mint = (ports: RoundPorts, grants: readonly Grant[], view: IssueView): { token: string; row: NewToken }[] => {
  const random = ports.randomness.bytes(RANDOM_BYTES_OF_ID * grants.length)
  const claims = grants.map((grant, n) =>
    claimsOf(ports, grant, view, random.subarray(RANDOM_BYTES_OF_ID * n, RANDOM_BYTES_OF_ID * (n + 1))),
  )
  const minted = ports.codec.mint(claims, view.signingKey)
  return grants.map((grant, n) => {
    const [own, signed] = [claims[n], minted[n]]
    if (own === undefined || signed === undefined) throw new Error('The codec minted fewer tokens than asked for.')
    return { token: signed.token, row: rowOf(grant, own, signed, view.signingKey.number) }
  })
}

type Granted = { readonly grant: Grant; readonly request: IssueRequest }

const answerOf = (
  { grant, request }: Granted,
  minted: { readonly token: string; readonly row: NewToken } | undefined,
  outcome: InsertOutcome | Error | undefined,
): Decided => {
  if (outcome instanceof Error) return outcome
  if (typeof outcome === 'object') return refuseBeyond(outcome, grant.client.agent.clientId)
  if (outcome === 'no_room') return new Unavailable(NO_ROOM)
  if (outcome === 'proof_used' || outcome === 'proof_late') return refuseProof(PROOF_FAILURES[outcome])
  if (outcome === 'assertion_used') return refuseUsed(request.credentials, grant.client)
  return minted === undefined || outcome !== 'inserted' ? 'again' : issuedToken(minted.token, minted.row)
}

/** Signs and writes what was granted; one answer for each, in order. */
const write = async (ports: RoundPorts, granted: readonly Granted[], view: IssueView): Promise<readonly Decided[]> => {
  if (granted.length === 0) return []
  const minted = mint(
    ports,
    granted.map(({ grant }) => grant),
    view,
  )
  const outcomes = await ports.ledger.insert(minted.map(({ row }) => row))
  return granted.map((one, n) => answerOf(one, minted[n], outcomes[n]))
}

/** One round, in order. Nothing that can fail comes after the rows are written: where it throws, none was. */
const issueRound = async (
  ports: RoundPorts,
  requests: readonly IssueRequest[],
  freshness: Freshness,
): Promise<readonly Decided[]> => {
  const clientIds = requests.map(({ credentials }) => clientIdOf(credentials))
  const view = await ports.agents.viewForIssue(clientIds, freshness)
  const granted: Granted[] = []
  const refused = requests.map((request, n): Decided | undefined => {
    const decided = decide(ports, request, view, n)
    if (isRefused(decided) || hasLegacyHash(decided)) return freshness === 'cached' ? 'again' : decided
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
 * Answers each request of a group, in order. What a cached view grants is written only where the store's numbers are
 * still those of the view; no refusal is given from a cache. A group that other acts overtook three times decides
 * under the store's lock. What fails for a group is done for each request by itself. All of it ends `until`.
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

/** One request whose secret must be proved first; outside of the group, which waits for nobody. */
export const issueVerified = async <Issued extends IssuedToken>(
  ports: Pick<Ports, 'importedSecrets' | 'imports'>,
  issue: (request: IssueRequest) => Promise<OrRefusal<Issued> | LegacyHash>,
  asked: { readonly request: IssueRequest; readonly answer: LegacyHash; readonly origin: ProofOrigin },
): Promise<OrRefusal<Issued>> => {
  const credentials = await verifyLegacySecret(ports, asked.answer, asked.origin)
  if (isRefused(credentials)) return credentials
  const issued = await issue({ ...asked.request, credentials })
  return hasLegacyHash(issued) ? issued.legacyHashes.otherwise : issued
}
