// Recognizes an operator by the session of the console: the JWT in it is judged as if it had been sent itself.
import type { OperatorCaller } from '../../domain/caller.ts'
import { isRenewalDue, type SessionTokens } from '../../domain/clients/session.ts'
import { isRefused, type OrRefusal, refuseCaller, Unavailable } from '../../domain/refusal.ts'
import type { Source } from '../../domain/source.ts'
import type { Ports } from '../../ports/ports.ts'
import type { FoundSession, SignIn } from '../../ports/sessions.ts'
import { authenticateOperator } from './authenticate-operator.ts'

type SessionPorts = Pick<Ports, 'operators' | 'secrets' | 'sessions' | 'signIn'>

export type InSession = { readonly operator: OperatorCaller; readonly found: FoundSession }

/** Refuses with one text for every cause. */
export const refuseSession = () =>
  refuseCaller('invalid_token', 'Nobody is signed in: sign in to the console again.', 'Bearer')

/** Returns undefined if the provider cannot be asked: then the present JWT serves on for now. */
const fetchFresh = async (signIn: SignIn, refreshToken: string, { session, now }: FoundSession) => {
  try {
    return await signIn.renew(refreshToken)
  } catch (fault) {
    if (fault instanceof Unavailable && now < session.expiresAt) return undefined
    throw fault
  }
}

/** Renews the JWT in the one request that claimed the renewal. */
const renew = async (
  { operators, sessions }: Pick<Ports, 'operators' | 'sessions'>,
  signIn: SignIn,
  found: FoundSession,
  tokens: SessionTokens & { readonly refreshToken: string },
): Promise<SessionTokens> => {
  const { id, expiresAt } = found.session
  const fresh = await fetchFresh(signIn, tokens.refreshToken, found)
  if (fresh === undefined) return tokens
  // Nor does a JWT that is none for this service take the place of the one that is: either way the session ends with it.
  const isRefusedNow = 'refused' in fresh || 'refused' in (await operators.verify(fresh.jwt, 'unknown'))
  const next = isRefusedNow ? { ...tokens, refreshToken: null, expiresAt } : fresh
  await sessions.renew(id, { sealedTokens: signIn.seal(next), expiresAt: next.expiresAt })
  return next
}

/** Renews the JWT if it is due and this request is the one to do so; else the one that is there goes on. */
const currentTokens = async (
  ports: SessionPorts,
  signIn: SignIn,
  secret: string,
  found: FoundSession,
): Promise<SessionTokens | undefined> => {
  const { session, now } = found
  const tokens = signIn.open(session.sealedTokens)
  if (tokens === undefined || tokens.refreshToken === null || !isRenewalDue(session, now)) return tokens
  if (await ports.sessions.claimRenewal(session)) {
    return renew(ports, signIn, found, { ...tokens, refreshToken: tokens.refreshToken })
  }
  if (now < session.expiresAt) return tokens
  const later = await ports.sessions.awaitRenewal(ports.secrets.hash(secret), session)
  return later === undefined ? undefined : signIn.open(later.session.sealedTokens)
}

/** The operator of a session, or 401. */
export const authenticateSession = async (
  ports: SessionPorts,
  secret: string,
  source: Source,
): Promise<OrRefusal<InSession>> => {
  const { signIn } = ports
  const found = signIn === null ? undefined : await ports.sessions.find(ports.secrets.hash(secret))
  if (signIn === null || found === undefined) return refuseSession()
  const tokens = await currentTokens(ports, signIn, secret, found)
  if (tokens === undefined) return refuseSession()
  const operator = await authenticateOperator(ports, tokens.jwt, source)
  // Another operator's JWT is none of this session, whatever the provider renewed it to.
  if (isRefused(operator) || operator.sub !== found.session.sub || operator.iss !== found.session.iss) {
    return refuseSession()
  }
  return { operator, found }
}
