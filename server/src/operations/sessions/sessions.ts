// Sessions of operators in the console: begun at the identity provider, listed, and ended.
import { isUuid } from '../../../../api/values/uuid.ts'
import { actBy, type Administrator, type Origin } from '../../domain/caller.ts'
import type { Session, SessionTokens } from '../../domain/clients/session.ts'
import { isRefused, type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { Source } from '../../domain/source.ts'
import type { Sha256 } from '../../domain/text/text.ts'
import type { Ports } from '../../ports/ports.ts'
import type { SignIn } from '../../ports/sessions.ts'
import { authenticateOperator } from '../authentication/authenticate-operator.ts'
import { type ListPage, type PagingRequest, readPageById } from '../reading/read-page.ts'

type From = {
  readonly requestId: string
  readonly source: Source
  /** The hash of the session that the browser had before: a new sign-in ends it. */
  readonly before: Sha256 | null
}

/** `secret` is for the cookie, and is nowhere else. */
type Begun = { readonly secret: string; readonly secretHash: Sha256 }

/** Makes the session of an operator who signed in. A JWT that would not be taken in `Authorization` makes none. */
export const beginSession = async (
  ports: Pick<Ports, 'operators' | 'randomness' | 'secrets' | 'sessions'>,
  signIn: SignIn,
  signedIn: { readonly tokens: SessionTokens; readonly name: string | null },
  { requestId, source, before }: From,
): Promise<OrRefusal<Begun>> => {
  const { tokens, name } = signedIn
  const operator = await authenticateOperator(ports, tokens.jwt, source)
  if (isRefused(operator)) return operator
  const { iss, sub } = operator
  const secret = ports.secrets.makeSessionSecret()
  const [secretHash, sealedTokens] = [ports.secrets.hash(secret), signIn.seal(tokens)]
  const shown = { id: ports.randomness.uuid(), iss, sub, name }
  const origin = { caller: operator, requestId, source }
  const session = { ...shown, secretHash, sealedTokens, expiresAt: tokens.expiresAt }
  const replaced = before === null ? null : { secretHash: before, act: actBy(origin, 'session.end') }
  await ports.sessions.create(session, actBy(origin, 'session.create'), replaced)
  return { secret, secretHash }
}

/** One page of the sessions by id. */
export const listSessions = (
  ports: Pick<Ports, 'secrets' | 'sessions'>,
  _caller: Administrator,
  request: PagingRequest,
): Promise<OrRefusal<ListPage<Session>>> =>
  readPageById(ports, 'sessions', { request, boundTo: [], read: (after, limit) => ports.sessions.list(after, limit) })

/** Ends it: the operator is signed out at the next request. */
export const endSession = async (
  { sessions }: Pick<Ports, 'sessions'>,
  origin: Origin,
  id: string,
): Promise<OrRefusal<Session>> => {
  const ended = isUuid(id) ? await sessions.end(id, actBy(origin, 'session.end')) : undefined
  return ended ?? refuse('not_found', `No session has the id ${id}.`)
}
