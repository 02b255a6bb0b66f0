// What is configured of an identity provider, and the one that the variables name.
import type { SettingReader } from './config-reader.ts'
import { parseAddress, parseIssuer, parseText } from './config-values.ts'
import type { Role } from './domain/caller.ts'

/** An identity provider whose JWTs name operators. */
export type IdentityProviderConfig = {
  readonly issuer: string
  readonly audience: string
  /** Undefined: from the provider's metadata. */
  readonly jwksUri: string | undefined
  /** The claim that holds the roles; a dotted path reaches inside. */
  readonly roleClaim: string
  /** The role that each value of the claim gives. */
  readonly roles: Readonly<Record<string, Role>>
  readonly algorithms: readonly ProviderAlgorithm[]
}

/** All asymmetric: a shared secret could also forge (RFC 8725 §3.1). */
export const PROVIDER_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'ES384', 'Ed25519'] as const

type ProviderAlgorithm = (typeof PROVIDER_ALGORITHMS)[number]

export const DEFAULT_ROLE_CLAIM = 'roles'

export const DEFAULT_ROLES: IdentityProviderConfig['roles'] = {
  'mintmark-viewer': 'viewer',
  'mintmark-operator': 'operator',
  'mintmark-admin': 'admin',
}

export const PROVIDER_VARIABLES = [
  'MINTMARK_IDP_ISSUER',
  'MINTMARK_IDP_AUDIENCE',
  'MINTMARK_IDP_JWKS_URI',
  'MINTMARK_IDP_ROLE_CLAIM',
]

/** None where no variable of a provider is set. */
export const readProvider = (read: SettingReader): readonly IdentityProviderConfig[] => {
  if (!PROVIDER_VARIABLES.some(read.isSet)) return []
  const issuer = read.required('MINTMARK_IDP_ISSUER', parseIssuer, 'the issuer of the identity provider')
  const audience = read.required(
    'MINTMARK_IDP_AUDIENCE',
    parseText,
    'the `aud` of the JWTs that it issues for this service',
  )
  const jwksUri = read.optional('MINTMARK_IDP_JWKS_URI', parseAddress)
  const roleClaim = read.optional('MINTMARK_IDP_ROLE_CLAIM', parseText) ?? DEFAULT_ROLE_CLAIM
  if (issuer === undefined || audience === undefined) return []
  return [{ issuer, audience, jwksUri, roleClaim, roles: DEFAULT_ROLES, algorithms: PROVIDER_ALGORITHMS }]
}
