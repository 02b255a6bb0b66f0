// Members of the configuration file as settings that an administrator may see. The file has no secret.
import type { Setting } from '../../../api/values/settings.ts'
import type { IdentityProviderConfig } from './provider.ts'
import { withoutCredentials } from './setting-records.ts'
import { plainMeaning, SETTINGS } from './settings/settings.ts'

type ProviderMembers = Omit<IdentityProviderConfig, 'setting' | 'settings'>

type Member = { readonly of: keyof ProviderMembers; readonly meaning: string }

/** The members of an identity provider, by their names in the file. */
const PROVIDER_MEMBERS: Readonly<Record<string, Member>> = {
  issuer: { of: 'issuer', meaning: plainMeaning(SETTINGS.MINTMARK_IDP_ISSUER) },
  audience: { of: 'audience', meaning: plainMeaning(SETTINGS.MINTMARK_IDP_AUDIENCE) },
  jwks_uri: { of: 'jwksUri', meaning: plainMeaning(SETTINGS.MINTMARK_IDP_JWKS_URI) },
  role_claim: { of: 'roleClaim', meaning: plainMeaning(SETTINGS.MINTMARK_IDP_ROLE_CLAIM) },
  role_separator: { of: 'roleSeparator', meaning: plainMeaning(SETTINGS.MINTMARK_IDP_ROLE_SEPARATOR) },
  roles: {
    of: 'roles',
    meaning:
      'which value of the claim gives which role: `viewer` reads the lists; `operator` also revokes and disables agents; `admin` also creates and changes agents',
  },
  algorithms: {
    of: 'algorithms',
    meaning: 'signature algorithms accepted: of RS256, PS256, ES256, ES384 and Ed25519',
  },
}

const SCOPES_MEANING =
  'the scopes that the metadata advertises. By default it advertises none, because some clients request every scope that they find there'

const isList = (value: object): value is readonly string[] => Array.isArray(value)

const formatValue = (value: ProviderMembers[keyof ProviderMembers]): string | null => {
  if (value === undefined) return null
  if (typeof value === 'string') return withoutCredentials(value)
  if (isList(value)) return value.join(',')
  return Object.entries(value)
    .map(([name, role]) => `${name}: ${role}`)
    .join(', ')
}

const memberSetting = (isGiven: boolean, setting: Pick<Setting, 'name' | 'group' | 'value' | 'meaning'>): Setting => ({
  ...setting,
  source: isGiven ? 'configuration_file' : 'default',
  variable: isGiven ? 'MINTMARK_CONFIG_FILE' : null,
  isSecret: false,
  unit: null,
  bounds: null,
  default: null,
  example: null,
})

/** `place`: of the provider in the file; `given`: its members there. */
export const providerSettings = (
  place: string,
  given: Readonly<Record<string, unknown>>,
  inEffect: ProviderMembers,
): readonly Setting[] =>
  Object.entries(PROVIDER_MEMBERS).map(([name, { of, meaning }]) =>
    memberSetting(given[name] !== undefined, {
      name: `${place}.${name}`,
      group: 'operators',
      value: formatValue(inEffect[of]),
      meaning,
    }),
  )

export const scopesSetting = (given: readonly string[] | undefined): Setting =>
  memberSetting(given !== undefined, {
    name: 'scopes_supported',
    group: 'tokens',
    value: given?.join(' ') ?? null,
    meaning: SCOPES_MEANING,
  })
