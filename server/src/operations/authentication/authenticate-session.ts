// Recognizes an operator by the session of the console: the JWT in it is judged as if it had been sent itself.
import type { Milliseconds } from '../../../../api/values/time.ts'
import type { OperatorCaller } from '../../domain/caller.ts'
import { renewAgainAt, type SessionTokens } from '../../domain/clients/session.ts'
import { isRefused, type OrRefusal, refuseCaller, Unavailable } from '../../domain/refusal.ts'
import type { Source } from '../../domain/source.ts'
import type { Ports } from '../../ports/ports.ts'
import type { FoundSession, SignIn } from '../../ports/sessions.ts'
import { authenticateOperator } from './authenticate-operator.ts'

type SessionPorts = Pick<Ports, 'operators' | 'secrets' | 'sessions' | 'signIn'>

export type InSession = {
  readonly operator: OperatorCaller
  readonly found: FoundSession
  /** When the JWT expires that names the operator, and may be newer than the session as it was found. */
  readonly expiresAt: Milliseconds
}

/** Refuses with one text for every cause. */
export const refuseSession = () =>
  refuseCaller('invalid_token', 'Nobody is signed in: sign in to the console again.', 'Bearer')

/** The tokens that are there, and where they are due to be renewed, why they could not be. */
type Current = { readonly tokens: SessionTokens; readonly outage?: Unavailable }

type Renewal = {
  readonly found: FoundSession
  readonly tokens: SessionTokens & { readonly refreshToken: string }
  /** Until when the claim lasts. */
  readonly claim: Milliseconds
}

/** Another operator's JWT is none of this session. */
const isOf = ({ iss, sub }: FoundSession['session'], operator: OperatorCaller): boolean =>
  operator.iss === iss && operator.sub === sub

/** The refresh token is used up by now: a JWT that cannot be judged is kept, and each request judges it. */
const mayTakeItsPlace = async (
  { operators }: Pick<Ports, 'operators'>,
  session: FoundSession['session'],
  jwt: string,
): Promise<boolean> => {
  try {
    const verified = await operators.verify(jwt, 'unknown')
    return !('refused' in verified) && isOf(session, verified)
  } catch {
    return true
  }
}

/** Renews the JWT in the one request that claimed the renewal. */
const renew = async (
  ports: Pick<Ports, 'operators' | 'sessions'>,
  signIn: SignIn,
  { found, tokens, claim }: Renewal,
): Promise<Current> => {
  const { session, now } = found
  try {
    const fresh = await signIn.renew(tokens.refreshToken)
    // A fresh JWT that this service does not accept is as good as a refusal: the session then ends with its present JWT.
    const isRefusedNow = 'refused' in fresh || !(await mayTakeItsPlace(ports, session, fresh.jwt))
    const next = isRefusedNow ? { ...tokens, refreshToken: null } : fresh
    await ports.sessions.renew(session.id, claim, { sealedTokens: signIn.seal(next), expiresAt: next.expiresAt })
    return { tokens: next }
  } catch (fault) {
    await ports.sessions.releaseRenewal(session.id, claim, renewAgainAt(session, now))
    if (fault instanceof Unavailable) return { tokens, outage: fault }
    throw fault
  }
}

const notRenewed = (): Unavailable =>
  new Unavailable('another request renews the JWT of the session, or tried to', {
    toCaller: 'The session cannot be renewed at the identity provider right now: try again.',
  })

/** Renews the JWT if it is due and this request is the one to do so; else the one that is there goes on. */
const readCurrent = async (
  ports: SessionPorts,
  signIn: SignIn,
  secret: string,
  found: FoundSession,
): Promise<Current | undefined> => {
  const { session, now } = found
  const tokens = signIn.open(session.sealedTokens)
  if (tokens === undefined) return undefined
  const { refreshToken } = tokens
  if (refreshToken === null || now < tokens.renewFrom) return { tokens }
  const claim = await ports.sessions.claimRenewal(session)
  if (claim !== undefined) return renew(ports, signIn, { found, tokens: { ...tokens, refreshToken }, claim })
  if (now < session.expiresAt) return { tokens, outage: notRenewed() }
  const later = await ports.sessions.awaitRenewal(ports.secrets.hash(secret), session)
  const next = later === undefined ? undefined : signIn.open(later.session.sealedTokens)
  if (next === undefined) return undefined
  return next.jwt === tokens.jwt && next.refreshToken !== null ? { tokens, outage: notRenewed() } : { tokens: next }
}

/** The operator of a session, or 401. Throws Unavailable where the JWT has expired and the provider cannot be asked to renew it. */
export const authenticateSession = async (
  ports: SessionPorts,
  secret: string,
  source: Source,
): Promise<OrRefusal<InSession>> => {
  const { signIn } = ports
  const found = signIn === null ? undefined : await ports.sessions.find(ports.secrets.hash(secret))
  if (signIn === null || found === undefined) return refuseSession()
  const current = await readCurrent(ports, signIn, secret, found)
  if (current === undefined) return refuseSession()
  const operator = await authenticateOperator(ports, current.tokens.jwt, source)
  if (isRefused(operator) && current.outage !== undefined) throw current.outage
  if (isRefused(operator) || !isOf(found.session, operator)) return refuseSession()
  return { operator, found, expiresAt: current.tokens.expiresAt }
}
