// Global Token Revocation (draft-parecki-oauth-global-token-revocation-06): what the JWT says by which an issuer ends a subject's tokens.
import type { Milliseconds } from '../../../../api/values/time.ts'
import { bindingFault } from '../caller.ts'
import { isJti, JTI_FORM } from './client-assertion.ts'
import { type Claims, SKEW_SECONDS, textsOf, timeFault } from './foreign-claims.ts'

/** As Okta calls it; the draft names none. */
export const GLOBAL_REVOCATION_TYPE = 'global-token-revocation+jwt'

/** The draft recommends five minutes. */
const EXPIRY_SECONDS_MAX = 3600

type RevocationJwt = {
  readonly jwt: { readonly typ: string | undefined; readonly claims: Claims }
  /** Where it is presented. */
  readonly endpoint: string
  readonly now: Milliseconds
}

const livesLong = ({ exp, iat }: Claims): boolean => Number(exp) - Number(iat) > EXPIRY_SECONDS_MAX

/** What is wrong with it, but for its signature; undefined where nothing is (§3.5). Its `sub` is the caller, and says nothing here. */
export const revocationJwtFault = ({ jwt: { typ, claims }, endpoint, now }: RevocationJwt): string | undefined => {
  if (typ !== GLOBAL_REVOCATION_TYPE) return `typ is not ${GLOBAL_REVOCATION_TYPE}`
  const audience = textsOf(claims['aud']) ?? []
  if (audience.length !== 1 || audience[0] !== endpoint) return 'aud is not this endpoint alone'
  if (!Object.hasOwn(claims, 'iat')) return 'iat is missing'
  if (!isJti(claims['jti'])) return `jti is no ${JTI_FORM}`
  const wrong =
    bindingFault(claims) ?? timeFault(claims, now / 1000, { lateMax: SKEW_SECONDS, expiryMax: EXPIRY_SECONDS_MAX })
  return wrong ?? (livesLong(claims) ? `it lives for more than ${EXPIRY_SECONDS_MAX} s` : undefined)
}
