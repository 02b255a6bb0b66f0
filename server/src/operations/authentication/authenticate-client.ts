// The steps by which the token and the revocation endpoint authenticate a client, in one place and in one order:
//
//   1. checkAssertion       An assertion becomes the credential that it is verified for, or a refusal.
//   2. decide               The endpoint recognizes the client in the store and does what the request asks for. Where it does not,
//                           and the assertion is by now that of another credential, with that one.
//   3. verifyLegacySecret   Only where step 2 refuses a secret of which the store has another server's hash.
//   4. decide               Again, with the credential of step 3.
//
// Steps 1 and 2 of a request wait for no other request; step 3 computes a slow hash on another thread.
import { actBy } from '../../domain/caller.ts'
import { isKeptFast } from '../../domain/clients/credential.ts'
import { isRefused, type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { Source } from '../../domain/source.ts'
import type { MonotonicMilliseconds } from '../../../../api/values/time.ts'
import type { InTime } from '../../ports/deadline.ts'
import type { Ports } from '../../ports/ports.ts'
import { type AssertionPorts, checkAssertion } from './check-assertion.ts'
import {
  type CheckedCredentials,
  type ClientCredentials,
  hasLegacyHash,
  type LegacyHash,
  type PresentedAssertion,
  type VerifiedCredentials,
} from './recognize-client.ts'

/** The source of a request, and its deadline. */
export type RequestOrigin = {
  readonly requestId: string
  readonly source: Source
  readonly until: MonotonicMilliseconds
}

type ClientRequest = { readonly credentials: ClientCredentials; readonly origin: RequestOrigin }

/** A request whose assertion, if it had one, is verified. */
export type Checked<Request> = Request & { readonly credentials: CheckedCredentials }

type Attempt<Request, Answer> = (request: Request) => Promise<OrRefusal<Answer>>

type Endpoint<Request, Answer> = {
  readonly decide: Attempt<Checked<Request>, Answer>
  /** Bounds the attempts (steps 1 and 2, or 4) under way. A request in step 3 is none. */
  readonly limit?: (attempt: Attempt<Request, Answer>) => Attempt<Request, Answer>
  /** The deadline for an endpoint that has none around the whole: applied to whatever step 1 or 3 begins. */
  readonly inTime?: InTime
}

const BUSY = 'More secrets of imported clients are waiting to be checked than are taken: try again.'

/**
 * The credential of the legacy hash, or the refusal. A secret that is long enough is first converted to a fast hash,
 * durably and once; a shorter one stays under the slow hash.
 */
const verifyLegacySecret = async (
  ports: Pick<Ports, 'importedSecrets' | 'imports'>,
  { caller, credentialId, foreignHash, secrets }: LegacyHash,
  { requestId, source, until }: RequestOrigin,
): Promise<OrRefusal<VerifiedCredentials> | 'wrong'> => {
  const verified = await ports.importedSecrets.verify({ credentialId, source, foreignHash, secrets, until })
  if (verified === 'busy') return refuse('temporarily_unavailable', BUSY, 'imported_secrets')
  if (verified === 'wrong') return verified
  if (isKeptFast(verified.secret)) {
    const act = actBy({ caller, requestId, source }, 'credential.convert')
    await ports.imports.convert(credentialId, ports.importedSecrets.hash(verified.secret), act, until)
  }
  return { kind: 'verified', by: 'secret', clientId: caller.clientId, credentialId }
}

/** Returns the function that answers one request of a client by the steps above. */
export const authenticateClients = <Request extends ClientRequest, Answer extends object>(
  ports: AssertionPorts & Pick<Ports, 'importedSecrets' | 'imports'>,
  { decide, limit = attempt => attempt, inTime = work => work }: Endpoint<Request, Answer>,
): Attempt<Request, Answer> => {
  const decideAsserted = async (request: Request, presented: PresentedAssertion): Promise<OrRefusal<Answer>> => {
    const check = () => checkAssertion(ports, presented, request.origin.source)
    const credentials = await check()
    if (isRefused(credentials)) return credentials
    const answer = await decide({ ...request, credentials })
    if (!isRefused(answer) || answer.refusal.attempt?.way !== 'client') return answer
    const now = await check()
    if (isRefused(now) || now.credentialId === credentials.credentialId) return answer
    return decide({ ...request, credentials: now })
  }
  const attempt = limit(request => {
    const { credentials, origin } = request
    if (credentials.kind === 'assertion') return inTime(decideAsserted(request, credentials), origin.until)
    return decide({ ...request, credentials })
  })
  return async request => {
    const answer = await attempt(request)
    if (!hasLegacyHash(answer)) return answer
    const decideAgain = async (): Promise<OrRefusal<Answer>> => {
      const credentials = await verifyLegacySecret(ports, answer.legacyHash, request.origin)
      if (credentials === 'wrong') return answer
      return isRefused(credentials) ? credentials : attempt({ ...request, credentials })
    }
    return inTime(decideAgain(), request.origin.until)
  }
}
