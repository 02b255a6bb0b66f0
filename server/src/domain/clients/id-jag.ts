// Identity Assertion JWT Authorization Grants (draft-ietf-oauth-identity-assertion-authz-grant): what only they say. Each is used once.
import { isResource } from '../../../../api/values/audience.ts'
import { parseScopeItem } from '../../../../api/values/scope.ts'
import { isJsonObject } from '../../../../packages/verify/src/readers/json.ts'
import { type Claims, textsOf } from './foreign-claims.ts'
import { isJti, JTI_FORM } from './client-assertion.ts'

/** Whether it is bound to the key that the request proves (RFC 7800 §3.1, RFC 9449 §6.1), or to none. */
export const confirmationFault = (claims: Claims, jkt: string | undefined): string | undefined => {
  if (!Object.hasOwn(claims, 'cnf')) return undefined
  const { cnf } = claims
  const isOfKey = isJsonObject(cnf) && Object.keys(cnf).join(' ') === 'jkt' && cnf['jkt'] === jkt
  return isOfKey ? undefined : 'cnf is not the key of the DPoP proof: send a proof of that key'
}

/** `scope` as the assertion has it: items of other APIs are left out. Null where it has none. */
const scopeIn = (claims: Claims): readonly string[] | null | undefined => {
  if (!Object.hasOwn(claims, 'scope')) return null
  const { scope } = claims
  if (typeof scope !== 'string') return undefined
  return [...new Set(scope.split(' '))].filter(item => parseScopeItem(item) !== undefined)
}

/** `resource` (RFC 8707): one, or a list. Null where it has none. */
const resourcesIn = (claims: Claims): readonly string[] | null | undefined =>
  Object.hasOwn(claims, 'resource') ? textsOf(claims['resource'])?.filter(isResource) : null

/** What is wrong with the claims that only an ID-JAG has. */
export const claimFault = (claims: Claims): string | undefined => {
  if (!Object.hasOwn(claims, 'iat')) return 'has no iat'
  if (!isJti(claims['jti'])) return `has no ${JTI_FORM}`
  if (Object.hasOwn(claims, 'authorization_details'))
    return 'has authorization_details, which this service does not read'
  if (scopeIn(claims) === undefined) return 'has a scope that is no text'
  return resourcesIn(claims) === undefined ? 'has a resource that is no text and no list of texts' : undefined
}

/** What an ID-JAG says of the token. Null: it does not say. */
export type IdJag = {
  readonly scope: readonly string[] | null
  readonly resources: readonly string[] | null
}

/** For claims in which nothing is wrong. */
export const idJagOf = (claims: Claims): IdJag => ({
  scope: scopeIn(claims) ?? null,
  resources: resourcesIn(claims) ?? null,
})
