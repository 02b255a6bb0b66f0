// The file named by MINTMARK_CONFIG_FILE, for settings that do not fit into variables. Unknown members are mistakes.
import { z } from 'zod'
import { DEFAULT_ROLE_CLAIM, DEFAULT_ROLES, defaultRoleSeparator, type IdentityProviderConfig } from './provider.ts'
import { PROVIDER_ALGORITHMS } from '../../../api/values/algorithms.ts'
import { parseAddress, parseIssuer } from './addresses.ts'
import { parseUtf8File } from './files.ts'
import { ROLE_SEPARATORS } from './settings/access-settings.ts'
import type { Parser } from './values.ts'
import { ROLES } from '../../../api/values/access.ts'
import { findMemberFault, formatMemberFault } from '../domain/text/member-names.ts'
import type { Setting } from '../../../api/values/settings.ts'
import { providerSettings, scopesSetting } from './file-settings.ts'
import { parseScope } from '../../../api/values/scope.ts'

export type ConfigFile = {
  readonly identityProviders: readonly IdentityProviderConfig[]
  readonly scopesSupported: readonly string[] | null
  readonly settings: readonly Setting[]
}

const parsed = (parse: Parser<string>) =>
  z.string().superRefine((text, context) => {
    const answer = parse(text)
    if ('wrong' in answer) context.addIssue({ code: 'custom', message: answer.wrong })
  })

const text = z.string().min(1).max(512)

const providerSchema = z.strictObject({
  issuer: parsed(parseIssuer),
  audience: text,
  jwks_uri: parsed(parseAddress).optional(),
  role_claim: text.optional(),
  role_separator: z.enum(ROLE_SEPARATORS).optional(),
  roles: z.record(text, z.enum(ROLES)).optional(),
  algorithms: z.array(z.enum(PROVIDER_ALGORITHMS)).min(1).optional(),
})

const fileSchema = z.strictObject({
  identity_providers: z.array(providerSchema).max(16).default([]),
  scopes_supported: z
    .array(z.string().refine(item => parseScope(item)?.length === 1, 'is not a scope item; expected resource:action'))
    .max(1024)
    .optional(),
})

const toProvider = (given: z.output<typeof providerSchema>, n: number): IdentityProviderConfig => {
  const { issuer, audience, jwks_uri: jwksUri, role_claim: roleClaim = DEFAULT_ROLE_CLAIM } = given
  const { role_separator: roleSeparator = defaultRoleSeparator(roleClaim) } = given
  const { roles = DEFAULT_ROLES, algorithms = PROVIDER_ALGORITHMS } = given
  const place = `identity_providers[${n}]`
  const setting = `${place}.${jwksUri === undefined ? 'issuer' : 'jwks_uri'} in MINTMARK_CONFIG_FILE`
  const inEffect = { issuer, audience, jwksUri, roleClaim, roleSeparator, roles, algorithms }
  return { ...inEffect, setting, settings: providerSettings(place, given, inEffect) }
}

const place = (path: readonly PropertyKey[]): string =>
  path
    .map(step => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '')

const describeIssue = (issue: z.core.$ZodIssue): string => `${place(issue.path) || 'the file'}: ${issue.message}`

const parseJson = (source: string): { readonly json: unknown } | undefined => {
  try {
    return { json: JSON.parse(source) as unknown }
  } catch {
    return undefined
  }
}

/** Reads the file at a path and reports all mistakes in one message. */
export const parseConfigFile: Parser<ConfigFile> = path => {
  const file = parseUtf8File(path)
  if ('wrong' in file) return file
  const document = parseJson(file.value)
  if (document === undefined)
    return { wrong: `names ${JSON.stringify(path)}, which is not JSON; expected a JSON object` }
  const fault = findMemberFault(file.value)
  if (fault !== undefined) {
    return { wrong: `names ${JSON.stringify(path)}, in which ${formatMemberFault(fault)}` }
  }
  const result = fileSchema.safeParse(document.json)
  if (!result.success) {
    return { wrong: `names ${JSON.stringify(path)}, in which ${result.error.issues.map(describeIssue).join('; ')}` }
  }
  return {
    value: {
      identityProviders: result.data.identity_providers.map(toProvider),
      scopesSupported: result.data.scopes_supported ?? null,
      settings: [scopesSetting(result.data.scopes_supported)],
    },
  }
}
