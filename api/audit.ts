// The audit log, and the counts of refused authentications.
import { z } from 'zod'
import { AGENT_ID, LATER, MADE, NAMES, OPERATOR } from './examples.ts'
import {
  actorParameter,
  choiceParameter,
  clientIdParameter,
  countOrNull,
  listing,
  matching,
  pageOf,
  parameter,
  textOrNull,
  time,
  timeParameter,
  unknownNames,
  uuidParameter,
} from './fields.ts'
import { actor, agentNames } from './names.ts'
import { operation } from './operation.ts'
import { ACCESS } from './values/access.ts'
import { ACT_KINDS, ACTOR_TYPES, SEAL_STATES, TAMPERINGS, WAYS } from './values/audit.ts'

/** The set is open: a kind that this version does not know matches nothing. */
const KIND = '^[a-z][a-z_]{0,63}\\.[a-z][a-z_]{0,63}$'
const REQUEST_ID = '^[A-Za-z0-9._-]{1,64}$'
const SOURCE = '^(?:unknown|[0-9A-Fa-f:.]{2,45}(?:%[0-9A-Za-z._-]{1,16})?)$'

/** A parameter of this pattern. */
const patterned = (pattern: string, form: string, description: string, examples?: readonly string[]) =>
  parameter(matching(new RegExp(pattern)), form, { description, pattern, examples })

export const auditRecord = z.object({
  n: z.int().describe('Its number: entries are numbered from 1 without a gap.'),
  at: time,
  kind: z.string().describe('One of an open set of names.'),
  actor,
  source: textOrNull.describe(
    'The address that the request came from, or `unknown` where its connection had none any more; null for an act without a request.',
  ),
  request_id: textOrNull,
  subject: textOrNull.describe('The id of what was acted on.'),
  note: textOrNull,
  detail: z.record(z.string(), z.unknown()).describe('What the act did; its members are those of the kind.'),
  ...agentNames,
})

const refusalRecord = z.object({
  minute: time.describe('The beginning of the minute.'),
  way: z
    .enum(WAYS)
    .describe(
      'What was presented: the credentials of a client, an API key, or a JWT; `limit`: beyond a limit of its agent.',
    ),
  client_id: textOrNull.describe('The client, where it exists.'),
  source: textOrNull.describe(
    'The address, or `unknown` where the connection had none any more; null for all beyond what is counted apart in one minute.',
  ),
  count: z.int(),
  ...agentNames,
})

export const auditExample = {
  n: 42,
  at: LATER,
  kind: 'agent.disable',
  actor: OPERATOR,
  source: '192.0.2.7',
  request_id: 'b2d8a4c0-1f3e-4c55-9a61-3f2b7d1c8e90',
  subject: AGENT_ID,
  note: null,
  detail: {},
  ...NAMES,
}

const refusalExample = { minute: MADE, way: 'client', client_id: AGENT_ID, source: '192.0.2.7', count: 12, ...NAMES }

export const auditFilters = {
  kind: patterned(
    KIND,
    'a kind of act such as agent.disable',
    `Only acts of this kind: ${ACT_KINDS.join(', ')}. Another is named in \`unknown\`.`,
    ['agent.disable'],
  ),
  actor_type: choiceParameter(ACTOR_TYPES, { description: 'Only acts of this kind of actor.' }),
  actor_id: actorParameter('Only acts of the client, the API key, the issuer or the user at the terminal of this id.'),
  actor_iss: actorParameter('Only acts of operators of this identity provider.'),
  actor_sub: actorParameter('Only acts of the operator whom the identity provider calls so.'),
  subject: actorParameter('Only acts on the agent, credential, key or token of this id, or on the subject ALIAS:SUB.'),
  ended_token: uuidParameter(
    'Only the act that ended the token of this id: on itself, on what it hangs on, or on all of the store.',
  ),
  request_id: patterned(
    REQUEST_ID,
    '1 to 64 of letters, digits, dot, hyphen and underscore',
    'Only acts of this request.',
  ),
  since: timeParameter('Only acts of then or later.'),
  before: timeParameter('Only acts of earlier.'),
}

const refusalFilters = {
  way: choiceParameter(WAYS, {
    description:
      'Only attempts as a client, with an API key, as an operator or an issuer with a JWT, or beyond a limit of an agent.',
  }),
  client_id: clientIdParameter('Only attempts as this client.'),
  source: patterned(
    SOURCE,
    'an IP address or unknown',
    'Only attempts from this address; `unknown`: from connections that had none any more.',
  ),
  since: timeParameter('Only minutes that began then or later.'),
  before: timeParameter('Only minutes that began earlier.'),
}

export const listAudit = operation({
  route: 'GET /api/v1/audit',
  id: 'listAudit',
  summary: 'Read the audit log',
  access: ACCESS.readAudit,
  ...listing(auditRecord, auditExample, auditFilters),
  answers: { 200: pageOf(auditRecord).extend({ unknown: unknownNames }) },
})

const MEANINGS = {
  good: 'what was checked is as it was sealed, and no more is sealed',
  more: 'what was checked is as it was sealed, and more seals follow',
  broken: 'something is not as it was sealed',
} as const

const sealCheck = z.object({
  state: z.enum(SEAL_STATES).describe(SEAL_STATES.map(state => `\`${state}\`: ${MEANINGS[state]}`).join('; ')),
  seal: countOrNull.describe('The last seal that was checked, for the next `after_seal`. Null: see `broken`.'),
  entry: countOrNull.describe('The log is as it was up to this entry; 0: there is none. Null: see `broken`.'),
  sealed_up_to: z.int().describe('The last entry that is sealed; 0: none.'),
  unsealed: countOrNull.describe('Entries after it, counted up to 500. Null where more seals follow.'),
  broken: z
    .object({
      entry: z.int().describe('The first entry that is not as it was.'),
      tampering: z.enum(TAMPERINGS).describe('What was done to it.'),
      because: z.string().describe('How that shows, in a sentence.'),
    })
    .nullable(),
})

const SEAL_NUMBER = /^(?:0|[1-9]\d{0,14})$/

export const checkSeals = operation({
  route: 'GET /api/v1/audit/seals',
  id: 'checkSeals',
  summary: 'Check a part of the audit log against its seals',
  access: ACCESS.readAudit,
  refusals: [400],
  query: z.strictObject({
    after_seal: parameter(
      given => (SEAL_NUMBER.test(given) ? Number(given) : undefined),
      'the number of a seal, or 0',
      {
        description: 'Only from the seal after this one on; without it, from the first.',
        type: 'integer',
        minimum: 0,
      },
    ),
  }),
  answers: { 200: sealCheck },
  example: { answer: { state: 'good', seal: 17, entry: 4711, sealed_up_to: 4711, unsealed: 2, broken: null } },
})

export const listRefusals = operation({
  route: 'GET /api/v1/audit/refusals',
  id: 'listRefusals',
  summary: 'Count refused authentications and token requests',
  access: ACCESS.readAudit,
  ...listing(refusalRecord, refusalExample, refusalFilters),
})
