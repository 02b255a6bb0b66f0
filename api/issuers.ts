// Trusted issuers: whose JWTs an agent may exchange for tokens that act for their subjects. No role follows from it.
import { z } from 'zod'
import { listOf, resources, scope } from './agent-settings.ts'
import { address } from './credential-trust.ts'
import { changed, dryRun, dryRunParameter, endsCounted, exampleEnds } from './dry-run.ts'
import { AUDIENCE, LATER, MADE, OPERATOR } from './examples.ts'
import {
  choice,
  listing,
  managedBy,
  note,
  noteBody,
  noteParameter,
  parameter,
  suspendedAt,
  text,
  textOrNull,
  texts,
  time,
  timeOrNull,
  wholeNumber,
} from './fields.ts'
import { operation } from './operation.ts'
import { actor, memberName, refineMembers } from './names.ts'
import { ACCESS } from './values/access.ts'
import { PROVIDER_ALGORITHMS } from './values/algorithms.ts'
import { TRUST_CHARACTERS_MAX } from './values/credentials.ts'
import {
  ALIAS_FORM,
  ALIAS_PATTERN,
  CLAIM_NAME_FORM,
  CLAIM_VALUE_FORM,
  isAlias,
  isClaimName,
  isClaimValue,
  isParty,
  ISSUER_LIFETIME_SECONDS,
  issuerMistake,
  PARTIES_MAX,
  PARTY_FORM,
  REQUIRED_CLAIMS_MAX,
  SUBJECT_CLAIMS,
  TOKEN_TYPES,
} from './values/issuers.ts'
import { LIFETIME_SECONDS_MAX } from './values/limits.ts'
import { isSub, SUB_FORM, SUB_PATTERN } from './values/subject.ts'

const alias = text(isAlias, ALIAS_FORM, { pattern: ALIAS_PATTERN }).describe(
  'Its name here, which is never given again.',
)

const issuer = z
  .string()
  .superRefine((given, context) => {
    const mistake = issuerMistake(given)
    if (mistake !== undefined) context.addIssue({ code: 'custom', message: mistake })
  })
  .meta({ format: 'uri', minLength: 1, maxLength: TRUST_CHARACTERS_MAX })
  .describe('`iss` of its JWTs, compared as it is written.')

const refineRequired = refineMembers(REQUIRED_CLAIMS_MAX, 'claims', [isClaimValue, CLAIM_VALUE_FORM])

const required = z
  .record(
    memberName(isClaimName, CLAIM_NAME_FORM),
    z.string({ error: 'is not a string: only claims that are strings can be required' }),
  )
  .superRefine(refineRequired)
  .meta({ maxProperties: REQUIRED_CLAIMS_MAX })
  .describe(
    'Claims that its JWTs must have, with exactly these values. Of two records of one issuer, one claim must differ.',
  )

/** Some of these names, each once, in their order here. */
const someOf = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z
    .array(choice(names))
    .min(1, { error: `names none of ${names.join(', ')}` })
    .transform((given): readonly Names[number][] => names.filter((name: Names[number]) => given.includes(name)))

const RESOURCES = 'The audiences that its tokens may have, where its agent may too; * for any.'
const PARTIES = 'The clients of the issuer whose JWTs are taken, by `azp`, else `client_id`, `appid` or `cid`.'
const TYPES = 'The kinds of its JWTs that are taken. `jwt`, access tokens without a type, needs `parties`.'
const LIFETIME = 'The longest lifetime of its tokens; each gets the longest of those in use that is no longer.'
const SCOPE = 'The most that its tokens may have, where their agent may too: items, or resource:*.'

const settings = {
  jwks_uri: address.nullable().describe('Where its keys stand. Null: as its metadata says.'),
  algorithms: someOf(PROVIDER_ALGORITHMS).describe('The algorithms of its signatures.'),
  token_types: someOf(TOKEN_TYPES).describe(TYPES),
  parties: listOf(PARTIES_MAX, isParty, PARTY_FORM).describe(`${PARTIES} None: any.`),
  scope: scope.describe(SCOPE),
  resources: resources
    .refine(list => list.length > 0, { error: 'names no resource; allow any with *' })
    .describe(RESOURCES),
  lifetime_seconds: wholeNumber(1, LIFETIME_SECONDS_MAX, 'seconds').describe(LIFETIME),
}

const issuerRecord = z.object({
  alias: z.string(),
  issuer: z.string(),
  subject_claim: z.enum(SUBJECT_CLAIMS).describe('The claim that names its subjects.'),
  require: z.record(z.string(), z.string()),
  jwks_uri: textOrNull.describe("Null: from the issuer's metadata."),
  algorithms: z.array(z.enum(PROVIDER_ALGORITHMS)),
  token_types: z.array(z.enum(TOKEN_TYPES)).describe(TYPES),
  parties: texts.describe(`${PARTIES} None: any.`),
  scope: z.string().describe(SCOPE),
  resources: texts.describe(RESOURCES),
  lifetime_seconds: z.int().describe(LIFETIME),
  managed_by: managedBy,
  created_at: time,
  disabled_at: timeOrNull.describe('Since when no JWT of it is taken; null: it is not disabled.'),
  suspended_at: suspendedAt,
})

const example = {
  alias: 'entra',
  issuer: 'https://login.microsoftonline.com/3f2b7d1c-8e90-4c55-9a61-b2d8a4c01f3e/v2.0',
  subject_claim: 'oid',
  require: { tid: '3f2b7d1c-8e90-4c55-9a61-b2d8a4c01f3e' },
  jwks_uri: null,
  algorithms: ['RS256'],
  token_types: ['jwt'],
  parties: ['7c1f6f5e-4b52-4a6c-9d0c-5f5b1f6a2f10'],
  scope: 'db:read',
  resources: [AUDIENCE],
  lifetime_seconds: 300,
  managed_by: null,
  created_at: MADE,
  disabled_at: null,
  suspended_at: null,
} as const

const { managed_by: _by, created_at: _made, disabled_at: _disabled, suspended_at: _suspended, ...exampleBody } = example

const ALL = '/api/v1/issuers'
const ONE = `${ALL}/{alias}` as const

const switched = issuerRecord.extend({ changed })

export const createIssuer = operation({
  route: `POST ${ALL}`,
  id: 'createIssuer',
  summary: 'Trust an issuer',
  access: ACCESS.writeIssuers,
  refusals: [409],
  body: z.strictObject({
    alias,
    issuer,
    subject_claim: choice(SUBJECT_CLAIMS).default('sub').describe('The claim that names its subjects.'),
    require: required.default({}),
    jwks_uri: settings.jwks_uri.optional(),
    algorithms: settings.algorithms.default([...PROVIDER_ALGORITHMS]),
    token_types: settings.token_types,
    parties: settings.parties.default([]),
    scope: settings.scope,
    resources: settings.resources.default(['*']),
    lifetime_seconds: settings.lifetime_seconds.default(ISSUER_LIFETIME_SECONDS),
  }),
  answers: { 201: issuerRecord },
  example: { body: exampleBody, answer: example },
})

export const listIssuers = operation({
  route: `GET ${ALL}`,
  id: 'listIssuers',
  summary: 'List trusted issuers',
  access: ACCESS.readIssuers,
  ...listing(issuerRecord, example, {}),
})

export const showIssuer = operation({
  route: `GET ${ONE}`,
  id: 'showIssuer',
  summary: 'Show a trusted issuer',
  access: ACCESS.readIssuers,
  answers: { 200: issuerRecord },
  example: { answer: example },
})

export const changeIssuer = operation({
  route: `PATCH ${ONE}`,
  id: 'changeIssuer',
  summary: 'Change a trusted issuer, for the next token',
  access: ACCESS.writeIssuers,
  body: z.strictObject(settings).partial(),
  answers: { 200: issuerRecord },
  example: {
    body: { scope: 'db:read db:write', lifetime_seconds: 60 },
    answer: { ...example, scope: 'db:read db:write', lifetime_seconds: 60 },
  },
})

export const deleteIssuer = operation({
  route: `DELETE ${ONE}`,
  id: 'deleteIssuer',
  summary: 'Delete a trusted issuer',
  access: ACCESS.writeIssuers,
  query: z.object({ note: noteParameter, dry_run: dryRunParameter }),
  answers: { 200: endsCounted, 204: z.undefined().describe('Done.') },
  example: { answer: exampleEnds('issuer_deleted') },
})

export const disableIssuer = operation({
  route: `POST ${ONE}/disable`,
  id: 'disableIssuer',
  summary: 'Disable a trusted issuer',
  access: ACCESS.stopIssuers,
  body: noteBody.unwrap().extend({ dry_run: dryRun }).default({}),
  answers: { 200: z.union([switched, endsCounted]) },
  example: { body: { note: 'a key of it leaked' }, answer: { ...example, disabled_at: LATER, changed: true } },
})

export const enableIssuer = operation({
  route: `POST ${ONE}/enable`,
  id: 'enableIssuer',
  summary: 'Enable a trusted issuer',
  access: ACCESS.writeIssuers,
  body: noteBody,
  answers: { 200: switched },
  example: { body: { note: 'it has new keys' }, answer: { ...example, changed: true } },
})

const sub = text(isSub, SUB_FORM, { pattern: SUB_PATTERN }).describe('The subject, as the issuer names it.')

const subjectRecord = z.object({
  issuer: z.string().describe('The alias of its issuer.'),
  sub: z.string(),
  blocked_at: timeOrNull.describe('Since when nothing is issued for it; null: it is not blocked.'),
  blocked_by: actor.nullable(),
  note: textOrNull,
})

const exampleSubject = {
  issuer: 'entra',
  sub: '0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d',
  blocked_at: LATER,
  blocked_by: OPERATOR,
  note: 'left the company',
} as const

const SUBJECTS = `${ONE}/subjects` as const

const switchedSubject = subjectRecord.extend({ changed })

export const blockSubject = operation({
  route: `POST ${SUBJECTS}/block`,
  id: 'blockSubject',
  summary: 'Block a subject of a trusted issuer, and end its tokens',
  access: ACCESS.blockSubjects,
  body: z.strictObject({ sub, note: note.nullish(), dry_run: dryRun }),
  answers: { 200: z.union([switchedSubject, endsCounted]) },
  example: {
    body: { sub: exampleSubject.sub, note: exampleSubject.note },
    answer: { ...exampleSubject, changed: true },
  },
})

export const unblockSubject = operation({
  route: `POST ${SUBJECTS}/unblock`,
  id: 'unblockSubject',
  summary: 'Unblock a subject of a trusted issuer',
  access: ACCESS.unblockSubjects,
  body: z.strictObject({ sub, note: note.nullish() }),
  answers: { 200: switchedSubject },
  example: {
    body: { sub: exampleSubject.sub, note: 'came back' },
    answer: { ...exampleSubject, blocked_at: null, blocked_by: null, note: null, changed: true },
  },
})

export const listSubjects = operation({
  route: `GET ${SUBJECTS}`,
  id: 'listSubjects',
  summary: 'List the blocked subjects of a trusted issuer',
  access: ACCESS.readSubjects,
  ...listing(subjectRecord, exampleSubject, {
    sub: parameter(given => (isSub(given) ? given : undefined), SUB_FORM, {
      description: 'Only this subject.',
      pattern: SUB_PATTERN,
    }),
  }),
})
