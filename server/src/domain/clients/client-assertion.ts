// Client assertions (RFC 7521, RFC 7523 and its revision): their required claims, and how long one is accepted.
import type { AssertionTrust } from './client-trust.ts'
import { bindingFault } from '../caller.ts'
import { type Claims, SKEW_SECONDS, timeFault, usedUntil } from './foreign-claims.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'

/** How far in the future `exp` may be. An assertion is made for one request, a workload's token for longer use. */
const EXPIRY_SECONDS_MAX = { private_key_jwt: 3600, workload_identity: 86_400 } as const
const ASSERTION_JTI_CHARACTERS_MAX = 256

/** `jti` is null if the assertion may be used again. */
type AssertionClaims = { readonly jti: string | null; readonly until: Milliseconds }

type Wrong = { readonly wrong: string }

const audienceFault = (audience: unknown, trust: AssertionTrust, issuer: string): string | undefined => {
  if (trust.kind === 'workload_identity') {
    return audience === (trust.audience ?? issuer) ? undefined : 'aud is not this service'
  }
  if (audience === issuer) return undefined
  if (audience !== `${issuer}/oauth/token`) return 'aud is not this service'
  return trust.takesTokenEndpoint
    ? undefined
    : 'aud is the token endpoint, which its credential was not registered for (accept_token_endpoint)'
}

// Each of several intended servers could use an assertion at the others (RFC 7523bis: one string). The tokens of Kubernetes
// have a list of one.
const audienceOf = ({ aud }: Claims, { kind }: AssertionTrust): unknown =>
  kind === 'workload_identity' && Array.isArray(aud) && aud.length === 1 ? aud[0] : aud

/** For a sentence that says what is missing. */
export const JTI_FORM = `jti of 1 to ${ASSERTION_JTI_CHARACTERS_MAX} characters`

export const isJti = (jti: unknown): jti is string =>
  typeof jti === 'string' && jti !== '' && jti.length <= ASSERTION_JTI_CHARACTERS_MAX && jti.isWellFormed()

/** The checked claims at `now`, or why they do not match this trust. `issuer` is this service. */
export const checkAssertionClaims = (
  claims: Claims,
  trust: AssertionTrust,
  { issuer, now }: { readonly issuer: string; readonly now: Milliseconds },
): AssertionClaims | Wrong => {
  const wrong =
    audienceFault(audienceOf(claims, trust), trust, issuer) ??
    timeFault(claims, now / 1000, { lateMax: SKEW_SECONDS, expiryMax: EXPIRY_SECONDS_MAX[trust.kind] })
  if (wrong !== undefined) return { wrong }
  const { jti } = claims
  const until = usedUntil(claims)
  if (trust.kind === 'workload_identity') {
    const bound = bindingFault(claims)
    return bound === undefined ? { jti: null, until } : { wrong: bound }
  }
  return isJti(jti) ? { jti, until } : { wrong: `jti is not 1 to ${ASSERTION_JTI_CHARACTERS_MAX} characters` }
}
