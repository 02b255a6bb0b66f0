// Tokens, live and ended.
import { z } from 'zod'
import {
  AGENT_ID,
  AUDIENCE,
  CREDENTIAL_ID,
  EXAMPLE_KEY,
  EXPIRY,
  LATER,
  MADE,
  NAMES,
  OPERATOR,
  TOKEN_ID,
} from './examples.ts'
import {
  actorParameter,
  audience,
  choice,
  clientIdParameter,
  countRecord,
  listing,
  nameParameter,
  note,
  pageOf,
  parameter,
  text,
  textOrNull,
  time,
  timeParameter,
  unknownNames,
  uuid,
  uuidOrNull,
  uuidParameter,
} from './fields.ts'
import { changed } from './dry-run.ts'
import { actor, agentName, agentNames, labelParameter } from './names.ts'
import { operation } from './operation.ts'
import { isKid, KID_FORM, KID_PATTERN } from '../packages/verify/src/readers/kid.ts'
import { ACCESS } from './values/access.ts'
import { AGENTS_SELECTED_MAX, PAGE_RECORDS_MAX } from './values/lists.ts'
import { parseReasonList, REASON_LIST_PATTERN, REASONS, TOKEN_REVOCATION_REASONS } from './values/reason.ts'
import { ITEM_PATTERN, parseScopeItem, SCOPE_CHARACTERS_MAX } from './values/scope.ts'
import { parseSubject, SUBJECT_FORM, SUBJECT_PATTERN } from './values/subject.ts'

export const HIDDEN = 'Null for an API key that is limited to other audiences than that token has.'

export const tokenRecord = z.object({
  id: uuid.describe('The jti of the token.'),
  agent_id: uuid,
  ...agentNames,
  client_id: z.string(),
  credential_id: uuid.describe('The secret with which the token was got.'),
  scope: z.string(),
  audience: z.array(z.string()),
  kid: z.string().describe('The key that signed the token.'),
  issued_at: time,
  expires_at: time,
  subject: z
    .union([
      z.object({ agent_id: uuid, agent_name: agentName }),
      z.object({
        issuer: z.string().describe('The alias under which an administrator trusts the issuer.'),
        iss: z.string().describe('What the issuer calls itself.'),
        sub: z.string(),
      }),
    ])
    .describe(
      'On whose behalf the token acts: the agent of the root of its lineage, or the subject of a trusted issuer for whom that was got.',
    ),
  parent_id: uuidOrNull.describe(`The token that it was got for. ${HIDDEN}`),
  root_id: uuidOrNull.describe(`The first of its lineage: itself where it has no parent. ${HIDDEN}`),
  depth: z.int().describe('How many ancestors it has.'),
  actors: z.array(uuid).describe('Ids of the agents that act for the subject, the last one first.'),
  actor_names: z.array(agentName).describe('Their names, in the same order.'),
})

const ending = {
  ended_at: time.describe('For an expired token the time of its expiry.'),
  termination_reason: z.string().describe('One of an open set of names in lower snake case.'),
  ended_by: actor.nullable().describe('Who ended the token; null where only time did.'),
  note: textOrNull,
  revocation_id: uuidOrNull.describe('The revocation of many tokens that ended this one.'),
  ancestor_id: uuidOrNull.describe(`Where the reason is ancestor_ended, the token whose end this is. ${HIDDEN}`),
}

export const endedTokenRecord = tokenRecord.extend(ending)

export const tokenLife = tokenRecord.extend({
  state: z.enum(['active', 'ended']),
  ...ending,
  ended_at: ending.ended_at.nullable().describe('For an expired token the time of its expiry.'),
  termination_reason: textOrNull.describe('One of an open set of names in lower snake case.'),
})

export const tokenExample = {
  id: TOKEN_ID,
  agent_id: AGENT_ID,
  ...NAMES,
  client_id: AGENT_ID,
  credential_id: CREDENTIAL_ID,
  scope: 'db:read',
  audience: [AUDIENCE],
  kid: EXAMPLE_KEY.kid,
  issued_at: MADE,
  expires_at: EXPIRY,
  subject: { agent_id: AGENT_ID, agent_name: NAMES.agent_name },
  parent_id: null,
  root_id: TOKEN_ID,
  depth: 0,
  actors: [],
  actor_names: [],
}

export const endedTokenExample = {
  ...tokenExample,
  ended_at: LATER,
  termination_reason: 'manual_revocation',
  ended_by: OPERATOR,
  note: 'seen in a log',
  revocation_id: null,
  ancestor_id: null,
}

export const lifeExample = { ...endedTokenExample, state: 'ended' as const }

/** For what no index finds. */
const SHORT = 'Pages may be short, even empty, with a `next_cursor`.'

const SELECTED = `At most ${AGENTS_SELECTED_MAX} agents may match, in history those that were deleted among them. ${SHORT}`

/** Filters of the live tokens. */
export const tokenFilters = {
  agent_id: uuidParameter('Only tokens of this agent.'),
  client_id: clientIdParameter('Only tokens of this client.'),
  scope: parameter(parseScopeItem, 'one item of the form resource:action', {
    description: 'Only tokens that carry this item.',
    pattern: ITEM_PATTERN,
    maxLength: SCOPE_CHARACTERS_MAX,
    examples: ['db:read'],
  }),
  issued_after: timeParameter('Only tokens issued then or later.'),
  issued_before: timeParameter('Only tokens issued earlier.'),
  subject: parameter(parseSubject, SUBJECT_FORM, {
    description: 'Only tokens that act on behalf of this agent, or of this subject of a trusted issuer: `ALIAS:SUB`.',
    pattern: SUBJECT_PATTERN,
    examples: [AGENT_ID, 'acme:00u1a2b3'],
  }),
  parent_id: uuidParameter('Only tokens that were got for this token.'),
  root_id: uuidParameter('Only this token, and all that descend from it.'),
  credential_id: uuidParameter(`Only tokens that were got with this credential. ${SHORT}`),
  kid: text(isKid, KID_FORM, {
    description: `Only tokens that this key signed. ${SHORT}`,
    pattern: KID_PATTERN,
  }).optional(),
  audience: audience
    .describe(`Only tokens for this audience, among others perhaps, in whatever spelling of the URI. ${SHORT}`)
    .optional(),
  owner: nameParameter(`Only tokens of the agents that have this owner now. ${SELECTED}`),
  label: labelParameter(`Only tokens of the agents that have this label now, \`key=value\`; may repeat. ${SELECTED}`),
  agent_name: nameParameter(
    `Only tokens of the agent that has this name now; in history also of those that had it when they were deleted. ${SELECTED}`,
  ),
}

/** Filters of the tokens that have ended, beside those. */
export const endingFilters = {
  termination_reason: parameter(parseReasonList, 'a comma list of names in lower snake case', {
    description:
      `Only tokens that ended for one of these reasons, separated by commas: ${Object.keys(REASONS).join(', ')}. ` +
      'Others are named in `unknown`.',
    pattern: REASON_LIST_PATTERN,
    examples: ['manual_revocation', 'expired,agent_disabled'],
  }),
  ended_after: timeParameter('Only tokens that ended then or later.'),
  ended_before: timeParameter('Only tokens that ended earlier.'),
  ended_by: actorParameter(
    'Only tokens that this one ended: the `sub` of an operator, the `id` of a client, an API key or a user at the terminal, ' +
      `or \`system\` for the service itself. ${SHORT}`,
  ),
  revocation_id: uuidParameter(
    'Only tokens that this revocation of many tokens ended, by themselves or with an ancestor.',
  ),
}

export const listTokens = operation({
  route: 'GET /api/v1/tokens',
  id: 'listTokens',
  summary: 'List live tokens',
  access: ACCESS.readTokens,
  ...listing(tokenRecord, tokenExample, tokenFilters),
})

export const listHistory = operation({
  route: 'GET /api/v1/tokens/history',
  id: 'listHistory',
  summary: 'List ended tokens',
  access: ACCESS.readTokens,
  ...listing(endedTokenRecord, endedTokenExample, { ...tokenFilters, ...endingFilters }),
  answers: { 200: pageOf(endedTokenRecord).extend({ unknown: unknownNames }) },
})

export const countTokens = operation({
  route: 'GET /api/v1/tokens/count',
  id: 'countTokens',
  summary: `Count live tokens, exactly below ${PAGE_RECORDS_MAX}`,
  access: ACCESS.readTokens,
  query: z.object(tokenFilters),
  answers: { 200: countRecord },
  example: { answer: { count: 17, exact: true } },
})

export const countHistory = operation({
  route: 'GET /api/v1/tokens/history/count',
  id: 'countHistory',
  summary: `Count ended tokens, exactly below ${PAGE_RECORDS_MAX}`,
  access: ACCESS.readTokens,
  query: z.object({ ...tokenFilters, ...endingFilters }),
  answers: { 200: countRecord.extend({ unknown: unknownNames }) },
  example: { answer: { count: PAGE_RECORDS_MAX, exact: false } },
})

export const showToken = operation({
  route: 'GET /api/v1/tokens/{id}',
  id: 'showToken',
  summary: 'Show the whole life of a token',
  access: ACCESS.readTokens,
  answers: { 200: tokenLife },
  example: { answer: lifeExample },
})

const removedToken = z.object({
  id: uuid,
  removed: z.literal(true).describe('Retention removed it; its descendants still name it.'),
})

export const listLineage = operation({
  route: 'GET /api/v1/tokens/{id}/lineage',
  id: 'listLineage',
  summary: 'Show the tree of a token: its root first, parents before their children',
  access: ACCESS.readTokens,
  ...listing(z.union([tokenLife, removedToken]), lifeExample, {}),
})

export const revokeTokenById = operation({
  route: 'POST /api/v1/tokens/{id}/revoke',
  id: 'revokeTokenById',
  summary: 'Revoke a token by its id',
  access: ACCESS.revokeTokens,
  body: z
    .strictObject({
      reason: choice(TOKEN_REVOCATION_REASONS).default(TOKEN_REVOCATION_REASONS[0]),
      note: note.optional(),
    })
    .prefault({}),
  answers: { 200: tokenLife.extend({ changed }) },
  example: {
    body: { reason: 'secret_leaked', note: 'seen in a log' },
    answer: { ...lifeExample, termination_reason: 'secret_leaked', changed: true },
  },
})
