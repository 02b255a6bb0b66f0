// Records that files declare: what would become of each, the doing of what was planned, and what a set of files manages.
import { z } from 'zod'
import { listOf, newSettings } from './agent-settings.ts'
import { trustMembers, trustsIn } from './credential-trust.ts'
import { endsCounted } from './dry-run.ts'
import { AGENT_ID } from './examples.ts'
import {
  choice,
  expiresAt,
  flag,
  listing,
  name,
  parameter,
  planId,
  text,
  textOrNull,
  uuidMember,
  wholeNumber,
} from './fields.ts'
import { createIssuer } from './issuers.ts'
import { operation } from './operation.ts'
import { ACCESS } from './values/access.ts'
import { TRUST_KINDS } from './values/credentials.ts'
import { ALIAS_FORM, isAlias, ISSUERS_MAX } from './values/issuers.ts'
import { COUNT_EXACT_MAX } from './values/lists.ts'
import {
  isSetName,
  MANAGED_ACTIONS,
  MANAGED_KINDS,
  MANAGED_REMARKS,
  PLAN_BYTES_MAX,
  PLANNED_RECORDS_MAX,
  SET_FORM,
  SET_PATTERN,
} from './values/managed.ts'
import { isUuid } from './values/uuid.ts'

const PLAN_VALUES_MAX = 20_000

const set = text(isSetName, SET_FORM, { pattern: SET_PATTERN }).describe('The name of the set of files.')

const adopt = flag.default(false).describe('Take over what another set manages, or nobody does.')

const agentRecord = newSettings.extend({
  kind: z.literal('agent'),
  agent_id: uuidMember(
    'A UUID of your own, which no agent has had; without it the agent is known by its name.',
  ).optional(),
})

const credentialRecord = z
  .strictObject({
    kind: z.literal('credential'),
    agent: name.describe('The agent, by its agent_id or its name.'),
    name: name.describe('A name to know it by: another one in its place has the same.'),
    expires_at: expiresAt,
    ...trustMembers,
  })
  .refine(body => trustsIn(body).length === 1, { error: `needs exactly one of ${TRUST_KINDS.join(', ')}` })

const issuerRecord = createIssuer.body.extend({ kind: z.literal('issuer') })

const removal = z
  .strictObject({
    kind: z.literal('removal'),
    of: choice(MANAGED_KINDS),
    id: text(given => isUuid(given) || isAlias(given), 'a UUID or an alias', { minLength: 1, maxLength: 36 }).describe(
      'Its agent_id or credential_id; of an issuer its alias.',
    ),
  })
  .describe('What no file has any more.')

/** A document of a file; or, of a command alone, the removal of what no file has. */
export const managedRecord = z.discriminatedUnion('kind', [agentRecord, credentialRecord, issuerRecord, removal], {
  error: `is not an object with kind, one of ${MANAGED_KINDS.join(', ')}`,
})

const planned = z.object({
  kind: z.enum(MANAGED_KINDS),
  action: z.enum(MANAGED_ACTIONS),
  id: textOrNull.describe('Null before it is made; of an issuer its alias.'),
  name: z.string(),
  agent: textOrNull.describe('The name of the agent of a credential.'),
  before: z.record(z.string(), z.unknown()).describe('The members that differ, as they are now.'),
  after: z.record(z.string(), z.unknown()).describe('The same as they will be.'),
  remark: z
    .enum(MANAGED_REMARKS)
    .nullable()
    .describe('What was done by hand, and is left so. `revoked`: such a credential is not made again.'),
})

const plannedOrRefused = planned.extend({
  ends: endsCounted.shape.ends,
  plan_id: textOrNull.describe('Null where nothing has to be done.'),
  refusal: z
    .object({ error: z.string(), description: z.string() })
    .nullable()
    .describe('Why nothing can become of it; then nothing else is known of it.'),
})

const example = {
  kind: 'agent',
  action: 'change',
  id: AGENT_ID,
  name: 'deploys',
  agent: null,
  before: { scope: 'deploy:*' },
  after: { scope: 'deploy:write' },
  remark: null,
} as const

const exampleRecord = { kind: 'agent', name: 'deploys', scope: 'deploy:write' } as const

export const planRecords = operation({
  route: 'POST /api/v1/managed/plan',
  id: 'planRecords',
  summary: 'Plan what becomes of declared records',
  access: ACCESS.planRecords,
  body: z.strictObject({
    set,
    adopt,
    issuers: listOf(ISSUERS_MAX, isAlias, ALIAS_FORM)
      .default([])
      .describe('The aliases of issuers that are declared beside these records, and applied before them.'),
    documents: z
      .array(managedRecord)
      .min(1, { error: 'holds no document' })
      .max(PLANNED_RECORDS_MAX, { error: `holds more than ${PLANNED_RECORDS_MAX} documents: plan them in parts` }),
  }),
  bodyBytesMax: PLAN_BYTES_MAX,
  bodyValues: { max: PLAN_VALUES_MAX, advice: 'plan the documents in parts' },
  answers: {
    200: z.object({ data: z.array(plannedOrRefused).describe('What would become of each record, in order.') }),
  },
  example: {
    body: { set: 'platform', documents: [exampleRecord] },
    answer: {
      data: [
        {
          ...example,
          ends: {
            tokens: 12,
            descendants: 0,
            descendant_agents: [],
            exact: true,
            reasons: ['scope_removed'],
          },
          plan_id: '1.1795859930000.…',
          refusal: null,
        },
      ],
    },
  },
})

export const applyRecord = operation({
  route: 'POST /api/v1/managed/apply',
  id: 'applyRecord',
  summary: 'Do what was planned for a declared record',
  access: ACCESS.writeAgents,
  refusals: [409],
  body: z.strictObject({
    set,
    adopt,
    document: managedRecord,
    plan_id: planId.describe(
      'Of a plan of the same record by the same caller, 600 s ago at most. Where something else would be done: 409.',
    ),
    max_extra: wholeNumber(0, COUNT_EXACT_MAX)
      .default(0)
      .describe('How many tokens more may end that were issued since the plan.'),
  }),
  // What can be planned can be applied.
  bodyBytesMax: PLAN_BYTES_MAX,
  bodyValues: { max: PLAN_VALUES_MAX, advice: 'shorten the lists of the record' },
  answers: { 200: planned },
  example: {
    body: { set: 'platform', document: exampleRecord, plan_id: '1.1795859930000.…' },
    answer: example,
  },
})

const managed = z.object({
  kind: z.enum(MANAGED_KINDS),
  id: z.string().describe('Its agent_id or credential_id; of an issuer its alias.'),
  name: z.string(),
  agent: textOrNull.describe('The name of the agent of a credential.'),
})

export const listManaged = operation({
  route: 'GET /api/v1/managed',
  id: 'listManaged',
  summary: 'List what a set of files manages',
  access: ACCESS.readAgents,
  ...listing(
    managed,
    { kind: 'agent', id: AGENT_ID, name: 'deploys', agent: null },
    {
      set: parameter(given => (isSetName(given) ? given : undefined), SET_FORM, {
        description: 'The name of the set.',
        pattern: SET_PATTERN,
      }),
    },
  ),
})
