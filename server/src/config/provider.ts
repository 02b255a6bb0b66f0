// Configuration of an identity provider, and the one configured by variables.
import type { SettingReader } from './reader.ts'
import type { ROLE_SEPARATORS } from './settings/access-settings.ts'
import { SETTINGS } from './settings/settings.ts'
import { PROVIDER_ALGORITHMS, type ProviderAlgorithm } from '../../../api/values/algorithms.ts'
import type { Role } from '../../../api/values/access.ts'
import type { Setting } from '../../../api/values/settings.ts'

/** An identity provider whose JWTs identify operators. */
export type IdentityProviderConfig = {
  readonly issuer: string
  readonly audience: string
  /** Undefined where the provider's metadata names it. */
  readonly jwksUri: string | undefined
  /** The claim with the roles; a dotted path reaches nested members. */
  readonly roleClaim: string
  /** Separates the roles in a claim that is a string. */
  readonly roleSeparator: RoleSeparator
  /** The role by value of the claim. */
  readonly roles: Readonly<Record<string, Role>>
  readonly algorithms: readonly ProviderAlgorithm[]
  /** The setting that locates its keys, for messages to operators. */
  readonly setting: string
  /** Its members of the configuration file, as administrators see them. */
  readonly settings: readonly Setting[]
}

export const DEFAULT_ROLE_CLAIM = SETTINGS.MINTMARK_IDP_ROLE_CLAIM.fallback

type RoleSeparator = (typeof ROLE_SEPARATORS)[number]

/** A string is one role. Only `scope` is a list by its definition (RFC 8693 §4.2, RFC 9068 §2.2.3). */
export const defaultRoleSeparator = (roleClaim: string): RoleSeparator => (roleClaim === 'scope' ? 'space' : 'none')

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
  'MINTMARK_IDP_ROLE_SEPARATOR',
]

/** Returns no provider if none of its variables is set. */
export const readProvider = (read: SettingReader): readonly IdentityProviderConfig[] => {
  if (!PROVIDER_VARIABLES.some(read.isSet)) return []
  const issuer = read.required('MINTMARK_IDP_ISSUER')
  const audience = read.required('MINTMARK_IDP_AUDIENCE')
  const jwksUri = read.value('MINTMARK_IDP_JWKS_URI')
  const roleClaim = read.value('MINTMARK_IDP_ROLE_CLAIM')
  const roleSeparator = read.orElse('MINTMARK_IDP_ROLE_SEPARATOR', defaultRoleSeparator(roleClaim))
  if (issuer === undefined || audience === undefined) return []
  const mapping = { roleClaim, roleSeparator, roles: DEFAULT_ROLES }
  const setting = jwksUri === undefined ? 'MINTMARK_IDP_ISSUER' : 'MINTMARK_IDP_JWKS_URI'
  return [{ issuer, audience, jwksUri, ...mapping, algorithms: PROVIDER_ALGORITHMS, setting, settings: [] }]
}
