// In this folder: the HTTP contract as data: an operation is one row, from which routes, OpenAPI, clients and commands derive.
// The settings of an agent, one entry each: what a body may say, what a record shows, and the option of the command line.
import { z } from 'zod'
import {
  countOrNull,
  flag,
  name,
  parsed,
  resource,
  text,
  textOrNull,
  texts,
  timeMember,
  timeOrNull,
  TRIMMED,
  wholeNumber,
} from './fields.ts'
import { labelsChange, memberName, newLabels, ownClaims, refineMembers, shownClaims } from './names.ts'
import { ANY_RESOURCE, distinctResources, isResource, RESOURCES_MAX } from './values/audience.ts'
import {
  ACTS_FOR_FORM,
  ACTS_FOR_MAX,
  GRANT_TYPES,
  type GrantType,
  isActsForEntry,
  isGrantType,
  ISSUER_CLIENTS_MAX,
  RECEIVES_MAX,
} from './values/delegation.ts'
import { ALIAS_FORM, ALIAS_PATTERN, isAlias, isParty, PARTY_FORM } from './values/issuers.ts'
import { AT_LIVE_TOKENS_MAX, LIFETIME_SECONDS_MAX, LIMIT_BOUNDS, NO_LIMITS } from './values/limits.ts'
import { DESCRIPTION_FORM, isDescription, sortMembers } from './values/name.ts'
import {
  parseScope,
  parseScopePatterns,
  SCOPE_CHARACTERS_MAX,
  SCOPE_PATTERN,
  SCOPE_PATTERNS_PATTERN,
} from './values/scope.ts'

export const scope = parsed({
  parse: parseScopePatterns,
  form: '1 to 16 items of the form resource:action (or resource:*), separated by single spaces',
  error: 'invalid_scope',
  meta: { pattern: SCOPE_PATTERNS_PATTERN, maxLength: SCOPE_CHARACTERS_MAX },
})

export const defaultScope = parsed({
  parse: parseScope,
  form: '1 to 16 items of the form resource:action, separated by single spaces',
  error: 'invalid_scope',
  meta: { pattern: SCOPE_PATTERN, maxLength: SCOPE_CHARACTERS_MAX },
})

export const resources = z
  .array(z.string())
  .transform((list, context): readonly string[] => {
    // Which one is wrong is not said: it may be a secret that was pasted in its place.
    const message =
      list.length > RESOURCES_MAX
        ? `has more than ${RESOURCES_MAX} resources; allow any with ${ANY_RESOURCE}`
        : `has one that is neither an absolute URI without a fragment nor ${ANY_RESOURCE}`
    if (list.length <= RESOURCES_MAX && list.every(one => one === ANY_RESOURCE || isResource(one))) {
      return distinctResources(list)
    }
    context.addIssue({ code: 'custom', message, params: { error: 'invalid_target' } })
    return z.NEVER
  })
  .meta({ maxItems: RESOURCES_MAX })

const grantTypes = z
  .array(z.string())
  .transform((list, context): readonly GrantType[] => {
    if (list.length > 0 && list.every(isGrantType)) return GRANT_TYPES.filter(grant => list.includes(grant))
    context.addIssue({ code: 'custom', message: `is not one or more of ${GRANT_TYPES.join(', ')}` })
    return z.NEVER
  })
  .meta({ minItems: 1, examples: [[...GRANT_TYPES]] })

/** A list of texts, each once. Which one is wrong is not said: it may be a secret that was pasted in its place. */
export const listOf = (most: number, isEntry: (text: string) => boolean, form: string, error = 'invalid_request') =>
  z
    .array(z.string())
    .transform((list, context): readonly string[] => {
      if (list.length <= most && list.every(isEntry)) return [...new Set(list)]
      const message = list.length > most ? `has more than ${most} entries` : `has one that is not ${form}`
      context.addIssue({ code: 'custom', message, params: { error } })
      return z.NEVER
    })
    .meta({ maxItems: most })

const actsFor = listOf(ACTS_FOR_MAX, isActsForEntry, ACTS_FOR_FORM)

const receives = listOf(RECEIVES_MAX, isResource, 'an absolute URI without a fragment', 'invalid_target').transform(
  distinctResources,
)

const issuerClients = z
  .record(memberName(isAlias, ALIAS_FORM), z.string())
  .superRefine(refineMembers(ISSUER_CLIENTS_MAX, 'members', [isParty, PARTY_FORM]))
  .transform(sortMembers)
  .meta({ maxProperties: ISSUER_CLIENTS_MAX, propertyNames: { pattern: ALIAS_PATTERN } })

const atLiveTokensMax = z
  .enum(AT_LIVE_TOKENS_MAX)
  .nullable()
  .transform(value => value ?? NO_LIMITS.atLiveTokensMax)
  .describe(`Null: ${NO_LIMITS.atLiveTokensMax}.`)

/** What a body may say of a setting, what a record shows, its option on the command line, and what `--no-` of that does. */
type Setting = {
  readonly body: z.ZodType
  readonly record: z.ZodType
  readonly flags: string
  readonly help: string
  readonly clear?: string
}

const limit = (most: number, unit = '') => wholeNumber(1, most, unit).nullable()

/** In the order of the record. */
export const SETTINGS = {
  name: {
    body: name,
    record: z.string(),
    flags: '--name <name>',
    help: 'a name to know it by, which no other agent has',
  },
  description: {
    body: text(isDescription, DESCRIPTION_FORM, { pattern: TRIMMED, minLength: 1, maxLength: 1000 }).nullable(),
    record: textOrNull,
    flags: '--description <text>',
    help: 'what it is for',
    clear: 'remove the description',
  },
  owner: {
    body: name.nullable(),
    record: textOrNull.describe('Who answers for it.'),
    flags: '--owner <name>',
    help: 'who answers for it',
    clear: 'remove the owner',
  },
  labels: {
    body: labelsChange,
    record: z.record(z.string(), z.string()),
    flags: '--label <key=value>',
    help: 'a mark to find it by (repeatable)',
    clear: 'remove every label',
  },
  scope: {
    body: scope,
    record: z.string().describe('What it may ask for: items, or resource:* for every action on a resource.'),
    flags: '--scope <scope>',
    help: 'what it may ask for: "db:read db:write", or "db:*" for every action on db',
  },
  default_scope: {
    body: defaultScope.nullable(),
    record: textOrNull.describe('What it gets where a request names no scope.'),
    flags: '--default-scope <scope>',
    help: 'what it gets when a request names no scope; without it such a request is refused',
    clear: 'refuse its requests that name no scope',
  },
  resources: {
    body: resources,
    record: z.array(z.string()).describe('What it may ask for as audience; * for any.'),
    flags: '--resource <uri...>',
    help: 'a resource that it may ask for (repeatable); "*" for any',
    clear: 'let it ask for no resource by name',
  },
  default_audience: {
    body: resource.nullable(),
    record: textOrNull.describe("Null: the service's."),
    flags: '--default-audience <uri>',
    help: 'the audience of its tokens when a request names no resource',
    clear: 'fall back on the default audience of the service',
  },
  lifetime_seconds: {
    body: limit(LIFETIME_SECONDS_MAX, 'seconds'),
    record: countOrNull.describe("Null: the service's."),
    flags: '--lifetime-seconds <n>',
    help: 'the lifetime of its tokens, instead of the service’s',
    clear: 'give its tokens the lifetime of the service',
  },
  tokens_per_minute: {
    body: limit(LIMIT_BOUNDS.tokensPerMinute),
    record: countOrNull.describe('The most tokens it gets in any 60 seconds. Null: any number.'),
    flags: '--tokens-per-minute <n>',
    help: 'the most tokens that it gets in any 60 seconds',
    clear: 'let it have any number of tokens in a minute',
  },
  tokens_per_day: {
    body: limit(LIMIT_BOUNDS.tokensPerDay),
    record: countOrNull.describe('The most tokens it gets in any 24 hours. Null: any number.'),
    flags: '--tokens-per-day <n>',
    help: 'the most tokens that it gets in any 24 hours',
    clear: 'let it have any number of tokens in a day',
  },
  live_tokens_max: {
    body: limit(LIMIT_BOUNDS.liveTokensMax),
    record: countOrNull.describe('The most of its tokens that are alive at once. Null: any number.'),
    flags: '--live-tokens-max <n>',
    help: 'the most of its tokens that are alive at once',
    clear: 'let any number of its tokens live at once',
  },
  at_live_tokens_max: {
    body: atLiveTokensMax,
    record: z
      .enum(AT_LIVE_TOKENS_MAX)
      .describe('What a request beyond live_tokens_max does: it is refused, or ends the oldest token of the agent.'),
    flags: '--at-live-tokens-max <what>',
    help: 'what a request beyond that does: end its oldest token, or be refused',
  },
  dpop_bound_access_tokens: {
    body: z.boolean(),
    record: z.boolean().describe('Whether it gets no token without a DPoP proof (RFC 9449 §5.2).'),
    flags: '--dpop-bound-access-tokens',
    help: 'give it no token without a DPoP proof (RFC 9449)',
    clear: 'give it bearer tokens too, as every agent gets unless said otherwise',
  },
  tls_client_certificate_bound_access_tokens: {
    body: z.boolean(),
    record: flag.describe(
      'Whether its tokens are bound to its TLS certificate, without which it gets none (RFC 8705 §3.4).',
    ),
    flags: '--tls-client-certificate-bound-access-tokens',
    help: 'bind its tokens to its TLS certificate (RFC 8705)',
    clear: 'bind them to none',
  },
  grant_types: {
    body: grantTypes,
    record: z.array(z.string()).describe('The grants that it may use at the token endpoint.'),
    flags: '--grant-type <name...>',
    help: `a grant that it may use (repeatable): ${GRANT_TYPES.join(' or ')}`,
  },
  acts_for: {
    body: actsFor,
    record: texts.describe(
      `Whose tokens it may exchange (RFC 8693), where they were sent to it; each ${ACTS_FOR_FORM}.`,
    ),
    flags: '--acts-for <agent...>',
    help: 'whose tokens it may exchange: an agent by its id or name, label:key=value, "*" for any agent, issuer:ALIAS, or issuer:ALIAS:SUB (repeatable)',
    clear: 'let it exchange the tokens of nobody else',
  },
  receives: {
    body: receives,
    record: texts.describe(
      'The audiences for which it is the resource server: it may exchange tokens that were sent to these.',
    ),
    flags: '--receives <uri...>',
    help: 'an audience whose tokens are sent to it, so that it may exchange them (repeatable)',
    clear: 'let it exchange the tokens of no audience',
  },
  issuer_clients: {
    body: issuerClients,
    record: z
      .record(z.string(), z.string())
      .describe('Its client ids at trusted issuers, by their aliases: JWTs that were sent to these were sent to it.'),
    flags: '--issuer-client <alias=id>',
    help: 'its client id at a trusted issuer (repeatable)',
    clear: 'remove its client ids at trusted issuers',
  },
  claims: {
    body: ownClaims,
    record: shownClaims,
    flags: '--claims <json>',
    help: 'what its tokens say beside the claims of every token, as an object of JSON',
    clear: 'remove its own claims',
  },
  expires_at: {
    body: timeMember('From then on it is refused, and no token of it lives. Null: never.').nullable(),
    record: timeOrNull.describe('From then on it is refused, and no token of it lives. Null: never.'),
    flags: '--expires-at <time>',
    help: 'from then on it is refused, and no token of it lives: so far ahead, such as 90d, or a day',
    clear: 'let it go on for good',
  },
} satisfies Readonly<Record<string, Setting>>

type Settings = typeof SETTINGS
type SettingName = keyof Settings

/** One part of every entry, under its name. */
const pick = <Part extends 'body' | 'record'>(part: Part) =>
  Object.fromEntries(Object.entries(SETTINGS).map(([wireName, row]) => [wireName, row[part]])) as unknown as {
    [Name in SettingName]: Settings[Name][Part]
  } // as the entries have them

/** The members of a record that show settings. */
export const settingsRecord = pick('record')

/** The body of a change: what is absent stays as it is. */
export const settingsChange = z.strictObject(pick('body')).partial()

/** The body of a creation. */
export const newSettings = settingsChange.extend({ labels: newLabels.optional() }).required({ name: true, scope: true })
