// Revocations of many tokens at once: the kill switch.
import { z } from 'zod'
import { AGENT_ID, API_KEY_ID, LATER, OPERATOR, REVOCATION_ID } from './examples.ts'
import {
  audience,
  choice,
  countOrNull,
  flag,
  name,
  note,
  parsed,
  planId,
  text,
  textOrNull,
  time,
  timeMember,
  timeOrNull,
  uuid,
  uuidMember,
  uuidOrNull,
  wholeNumber,
} from './fields.ts'
import { actor, labels } from './names.ts'
import { operation } from './operation.ts'
import { tokenRecord } from './tokens.ts'
import { holding } from './verifiers.ts'
import { ACCESS } from './values/access.ts'
import { isKid, KID_FORM, KID_PATTERN } from '../packages/verify/src/readers/kid.ts'
import { isPlainName, TRUST_CHARACTERS_MAX } from './values/credentials.ts'
import { ALIAS_FORM, ALIAS_PATTERN, isAlias } from './values/issuers.ts'
import { LABEL_KEY_PATTERN, LABELS_ASKED_MAX } from './values/labels.ts'
import { AGENTS_SELECTED_MAX, COUNT_EXACT_MAX, SAMPLE_RECORDS_MAX } from './values/lists.ts'
import { BULK_REVOCATION_REASONS } from './values/reason.ts'
import { ITEM_OR_ANY_PATTERN, parseItemOrAny, SCOPE_CHARACTERS_MAX } from './values/scope.ts'
import {
  ISSUER_SUBJECT_FORM,
  ISSUER_SUBJECT_PATTERN,
  isSub,
  parseIssuerSubject,
  SUB_FORM,
  SUB_PATTERN,
} from './values/subject.ts'

const revocationRecord = z.object({
  id: uuid,
  all: z.boolean().describe('It asked for no condition: every token was to end.'),
  agent_id: uuidOrNull,
  credential_id: uuidOrNull,
  scope: textOrNull,
  audience: textOrNull,
  kid: textOrNull,
  issued_before: timeOrNull,
  lineage: uuidOrNull.describe('The root of the tree that it ends.'),
  subject: textOrNull.describe('ALIAS:SUB: it ended the tokens that act for this subject of a trusted issuer.'),
  issuer: textOrNull.describe('The alias of a trusted issuer: it ended the tokens that act for its subjects.'),
  owner: textOrNull.describe('It ended the tokens of agents of this owner.'),
  labels: z.record(z.string(), z.string()).nullable().describe('Of agents with each of these labels.'),
  disable_agents: z.boolean().describe('Whether those agents were disabled with it.'),
  agents: countOrNull.describe('How many agents its owner and labels matched; null where it names neither.'),
  reason: z.string(),
  note: textOrNull,
  created_by: actor,
  created_at: time.describe('When its tokens ended.'),
  state: z.enum(['open', 'closed']).describe('Open while records follow; its tokens are dead in either state.'),
  tokens_moved: z.int().describe('Tokens whose records stand in history as ended by it.'),
  verifiers: holding,
})

const revocationDryRun = z.object({
  dry_run: z.literal(true),
  tokens: z.int().describe('Tokens that would end.'),
  tokens_exact: z.boolean().describe(`False: at least so many. Exact up to ${COUNT_EXACT_MAX}.`),
  agents: countOrNull.describe('How many agents owner and labels match; null where they are not named.'),
  sample: z.array(tokenRecord).describe(`At most ${SAMPLE_RECORDS_MAX} of them.`),
  plan_id: z.string().describe('The same request with it, and without `dry_run`, ends these tokens and no others.'),
  plan_expires_at: time.describe('Until then the plan is valid.'),
})

const labelsAsked = labels
  .refine(given => Object.keys(given).length > 0 && Object.keys(given).length <= LABELS_ASKED_MAX, {
    error: `holds none, or more than ${LABELS_ASKED_MAX}`,
  })
  .meta({
    description: `Tokens of the agents with each of these labels, at most ${AGENTS_SELECTED_MAX} agents.`,
    minProperties: 1,
    maxProperties: LABELS_ASKED_MAX,
    propertyNames: { pattern: LABEL_KEY_PATTERN },
  })

const issuerSubject = text(given => parseIssuerSubject(given) !== undefined, ISSUER_SUBJECT_FORM, {
  pattern: ISSUER_SUBJECT_PATTERN,
})

const subjectIdentifier = z.strictObject({
  format: z.literal('iss_sub', { error: 'is not iss_sub, the one format that is known' }),
  iss: text(isPlainName, `1 to ${TRUST_CHARACTERS_MAX} printable ASCII characters without spaces`, {
    maxLength: TRUST_CHARACTERS_MAX,
  }),
  sub: text(isSub, SUB_FORM, { pattern: SUB_PATTERN }),
})

/** `ALIAS:SUB`, or a subject identifier (RFC 9493 §3.2.4) of which one record of an issuer fits. */
const subject = z
  .union([issuerSubject, subjectIdentifier], {
    error: `is not ${ISSUER_SUBJECT_FORM}, and no subject identifier iss_sub`,
  })
  .describe('Tokens that act for this subject of a trusted issuer: ALIAS:SUB, or `iss_sub` of RFC 9493.')

const conditions = {
  agent_id: uuidMember(),
  credential_id: uuidMember('The secret with which the tokens were got.'),
  scope: parsed({
    parse: parseItemOrAny,
    form: 'one item of the form resource:action or resource:*',
    meta: {
      description: 'Tokens that carry this item; resource:* for any item of the resource.',
      pattern: ITEM_OR_ANY_PATTERN,
      maxLength: SCOPE_CHARACTERS_MAX,
    },
  }),
  audience,
  kid: text(isKid, KID_FORM, { description: 'Tokens that this key signed.', pattern: KID_PATTERN }),
  issued_before: timeMember('Tokens issued before this time, which is not in the future.'),
  lineage: uuidMember('The id of a token, live or ended: its whole tree, from the root on.'),
  subject,
  issuer: text(isAlias, ALIAS_FORM, {
    description: 'The alias of a trusted issuer: tokens that act for any of its subjects.',
    pattern: ALIAS_PATTERN,
  }),
  owner: name.describe(`Tokens of the agents of this owner, at most ${AGENTS_SELECTED_MAX} agents.`),
  labels: labelsAsked,
}

const CONDITIONS = Object.keys(conditions)

/** A disabled agent holds no live token, and disabling it again ends none: another condition would leave some. */
const refineDisabling = (body: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void => {
  const refuse = (message: string) => context.addIssue({ code: 'custom', path: ['disable_agents'], message })
  const selects = body['owner'] !== undefined || body['labels'] !== undefined
  if (!selects && body['disable_agents'] !== undefined) refuse('goes with owner or labels')
  const others = CONDITIONS.filter(one => one !== 'owner' && one !== 'labels' && body[one] !== undefined)
  if (selects && body['disable_agents'] === true && others.length > 0) {
    refuse('goes with no condition but owner and labels: a disabled agent holds no token')
  }
}

const refinePlan = (body: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void => {
  const refuse = (member: string, message: string) => context.addIssue({ code: 'custom', path: [member], message })
  if (body['plan_id'] !== undefined && body['dry_run'] === true)
    refuse('plan_id', 'goes without dry_run, which makes a plan')
  if (body['max_extra'] !== undefined && body['plan_id'] === undefined) refuse('max_extra', 'goes with plan_id')
}

/** No slip ends every token. */
const refineReach = (body: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void => {
  const isEmpty = CONDITIONS.every(one => body[one] === undefined)
  if (isEmpty && body['all'] === undefined) {
    const message = 'names no condition: name one, or end every token by all, set to true'
    context.addIssue({ code: 'custom', message })
  }
  if (!isEmpty && body['all'] !== undefined) {
    context.addIssue({ code: 'custom', path: ['all'], message: 'ends every token, and goes with no condition' })
  }
  const selects = body['owner'] !== undefined || body['labels'] !== undefined
  if (body['subject'] !== undefined && body['issuer'] !== undefined) {
    context.addIssue({ code: 'custom', path: ['issuer'], message: 'goes without subject, which names its issuer' })
  }
  if (selects && body['agent_id'] !== undefined) {
    const message = 'names one agent, and goes with neither owner nor labels'
    context.addIssue({ code: 'custom', path: ['agent_id'], message })
  }
  refineDisabling(body, context)
  refinePlan(body, context)
}

const revocationBody = z
  .strictObject({
    id: uuidMember('A UUID of your own: sent again with the same conditions, nothing more ends.').optional(),
    all: z.literal(true).optional().describe('Every token; instead of any condition.'),
    ...z.object(conditions).partial().shape,
    reason: choice(BULK_REVOCATION_REASONS).default(BULK_REVOCATION_REASONS[0]),
    note: note.optional(),
    disable_agents: flag
      .optional()
      .describe('Disable the agents that owner and labels match too; it takes the right to stop agents.'),
    plan_id: planId
      .optional()
      .describe(
        'Of a dry run with the same conditions by the same caller, 120 s ago at most: end no more than it counted, else 409.',
      ),
    max_extra: wholeNumber(0, COUNT_EXACT_MAX)
      .optional()
      .describe('With plan_id: how many tokens more may end that were issued since the dry run; 0 unless given.'),
    dry_run: z.boolean().optional().describe('Count what would end, and end nothing.'),
  })
  .superRefine(refineReach)
  .meta({ oneOf: [{ required: ['all'] }, { anyOf: CONDITIONS.map(one => ({ required: [one] })) }] })

const example = {
  id: REVOCATION_ID,
  all: false,
  agent_id: AGENT_ID,
  credential_id: null,
  scope: 'db:write',
  audience: null,
  kid: null,
  issued_before: null,
  lineage: null,
  subject: null,
  issuer: null,
  owner: null,
  labels: null,
  disable_agents: false,
  agents: null,
  reason: 'bulk_revocation',
  note: 'the agent ran away',
  created_by: OPERATOR,
  created_at: LATER,
  state: 'open',
  tokens_moved: 0,
  verifiers: { total: 100, holding: 99, missing: [{ name: 'orders-7f9c', api_key_id: API_KEY_ID, stale_seconds: 12 }] },
}

export const createRevocation = operation({
  route: 'POST /api/v1/revocations',
  id: 'createRevocation',
  summary: 'End many tokens at once',
  access: ACCESS.revokeTokens,
  body: revocationBody,
  answers: { 200: z.union([revocationRecord, revocationDryRun]), 201: revocationRecord },
  example: { body: { agent_id: AGENT_ID, scope: 'db:write', note: 'the agent ran away' }, answer: example },
})

export const showRevocation = operation({
  route: 'GET /api/v1/revocations/{id}',
  id: 'showRevocation',
  summary: 'Show a revocation',
  access: ACCESS.readTokens,
  answers: { 200: revocationRecord },
  example: { answer: { ...example, state: 'closed', tokens_moved: 17 } },
})
