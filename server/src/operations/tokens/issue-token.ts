// Answers one token request: its client is authenticated and its DPoP proof checked by itself, and it then joins the group
// of those that arrived with it, which are decided on, signed and written together.
import { isRefused, type OrRefusal } from '../../domain/refusal.ts'
import type { InTime } from '../../ports/deadline.ts'
import type { Ports } from '../../ports/ports.ts'
import { NO_TRACES, type Traces } from '../../ports/traces.ts'
import { authenticateClients, type Checked, type RequestOrigin } from '../authentication/authenticate-client.ts'
import { checkProof } from '../authentication/check-proof.ts'
import type { ClientCredentials } from '../authentication/recognize-client.ts'
import { withPermit } from '../concurrency-limit.ts'
import { GROUP_MAX, inGroups } from '../group.ts'
import type { IssueRequest } from './grant-token.ts'
import { type IssueAnswer, type IssuedToken, issueTokens } from './issue-tokens.ts'

/** A token request as it was read. */
export type TokenRequest = Omit<IssueRequest, 'credentials' | 'proof'> & {
  readonly credentials: ClientCredentials
  /** The text of the DPoP proof; undefined where the request has none. An empty one is none that verifies. */
  readonly dpop: string | undefined
  readonly origin: RequestOrigin
}

/** `nonce` is for the client's next proof. */
type Issued = IssuedToken & { readonly nonce?: string | null }

type Joining = IssueRequest & Pick<TokenRequest, 'origin'>

/** Token requests under way in a thread: about a quarter of a second of its work. */
export const ISSUES_MAX = 2048

type Timing = {
  readonly inTime: InTime
  /** Runs the work in the next turn of the event loop. */
  readonly defer: (work: () => void) => void
  /** Called for the first request that is refused because ISSUES_MAX others are under way. */
  readonly onFull: () => void
  /** Called with the size of each group. */
  readonly onGroup?: (requests: number) => void
  readonly traces?: Traces
}

export const makeIssueToken = (
  ports: Ports,
  { inTime, defer, onFull, onGroup, traces = NO_TRACES }: Timing,
): ((request: TokenRequest) => Promise<OrRefusal<Issued>>) => {
  const makeGroups = () =>
    inGroups<Joining, Exclude<IssueAnswer, Error>>(
      requests => {
        onGroup?.(requests.length)
        const until = Math.min(...requests.map(({ origin }) => origin.until))
        return inTime(issueTokens(ports, requests, until))
      },
      GROUP_MAX,
      defer,
      { traces, name: 'issue' },
    )
  const [grants, exchanges] = [makeGroups(), makeGroups()]
  // In groups of their own: no other request waits for the look-up of their tokens, nor for the lock under which they are written.
  const issueTogether = (request: Joining) => (request.exchange === undefined ? grants(request) : exchanges(request))
  // A proof is checked before its request joins a group: no other request waits for it.
  const issueBound = async (request: Checked<TokenRequest>, text: string): Promise<OrRefusal<Issued>> => {
    const checked = await checkProof(ports, request.credentials, text)
    if (isRefused(checked)) return checked
    const issued = await issueTogether({ ...request, proof: checked.proof })
    return isRefused(issued) ? issued : { ...issued, nonce: checked.nonce }
  }
  return authenticateClients<TokenRequest, Issued>(ports, {
    decide: request => {
      const { dpop, origin } = request
      return dpop === undefined ? issueTogether(request) : inTime(issueBound(request, dpop), origin.until)
    },
    limit: attempt => withPermit(attempt, ISSUES_MAX, onFull),
    inTime,
  })
}
