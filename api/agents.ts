// Agents: the clients that may ask for tokens.
import { z } from 'zod'
import { newSettings, settingsChange, settingsRecord } from './agent-settings.ts'
import { AGENT_ID, AUDIENCE, LATER, MADE, RELAY_ID } from './examples.ts'
import { changed, dryRun, dryRunParameter, endsCounted, exampleEnds } from './dry-run.ts'
import {
  anyOf,
  booleanParameter,
  choiceParameter,
  clientIdParameter,
  idPrefixParameter,
  managedBy,
  namedListing,
  nameFilters,
  nameParameter,
  noteBody,
  noteParameter,
  suspendedAt,
  textOrNull,
  textSearchParameter,
  time,
  timeOrNull,
  timeParameter,
  uuid,
  uuidMember,
} from './fields.ts'
import { operation } from './operation.ts'
import { labelParameter } from './names.ts'
import { ACCESS } from './values/access.ts'
import { GRANT_TYPES } from './values/delegation.ts'

export const agentRecord = z.object({
  agent_id: uuid.describe('The sub of its tokens. Never used twice.'),
  client_id: z.string(),
  ...settingsRecord,
  managed_by: managedBy,
  created_at: time,
  disabled_at: timeOrNull,
  suspended_at: suspendedAt,
})

const example = {
  agent_id: AGENT_ID,
  client_id: AGENT_ID,
  name: 'reports',
  description: null,
  owner: 'Ada',
  labels: { team: 'data' },
  scope: 'db:read db:write',
  default_scope: 'db:read',
  resources: [AUDIENCE],
  default_audience: null,
  lifetime_seconds: null,
  tokens_per_minute: 60,
  tokens_per_day: null,
  live_tokens_max: null,
  at_live_tokens_max: 'refuse',
  dpop_bound_access_tokens: false,
  tls_client_certificate_bound_access_tokens: false,
  grant_types: ['client_credentials'],
  acts_for: [],
  receives: [],
  issuer_clients: {},
  claims: { tenant_id: 'acme' },
  expires_at: null,
  managed_by: null,
  created_at: MADE,
  disabled_at: null,
  suspended_at: null,
}

const agentFilters = {
  disabled: booleanParameter('Only disabled ones, or only others.'),
  owner: nameParameter('Only those of this owner.'),
  label: labelParameter('Only those with this label, `key=value`; may repeat.'),
  grant_type: choiceParameter(GRANT_TYPES, { description: 'Only those that may use this grant.' }),
  agent_id: anyOf(uuidMember(), 'Only those with one of these ids; may repeat.'),
  client_id: anyOf(clientIdParameter('').unwrap(), 'Only the clients of these ids; may repeat.'),
  unused_since: timeParameter(
    'Only those that got no token since then, nor in the minute before, and existed by then.',
  ),
  expires_before: timeParameter('Only those that expire before then.'),
  ...nameFilters,
  id_prefix: idPrefixParameter,
  q: textSearchParameter,
}

const shown = { 200: agentRecord }
const switched = agentRecord.extend({ changed })
const shownOrCounted = { 200: z.union([agentRecord, endsCounted]) }

export const createAgent = operation({
  route: 'POST /api/v1/agents',
  id: 'createAgent',
  summary: 'Create an agent',
  access: ACCESS.writeAgents,
  body: newSettings,
  answers: { 201: agentRecord.extend({ client_secret: z.string().describe('Shown this once.') }) },
  example: {
    body: {
      name: 'reports',
      scope: 'db:read db:write',
      default_scope: 'db:read',
      resources: [AUDIENCE],
      owner: 'Ada',
      labels: { team: 'data' },
      tokens_per_minute: 60,
    },
    answer: { ...example, client_secret: 'mmc_…' },
  },
})

export const listAgents = operation({
  route: 'GET /api/v1/agents',
  id: 'listAgents',
  summary: 'List agents',
  access: ACCESS.readAgents,
  ...namedListing(agentRecord, example, agentFilters),
})

export const showAgent = operation({
  route: 'GET /api/v1/agents/{id}',
  id: 'showAgent',
  summary: 'Show an agent',
  access: ACCESS.readAgents,
  answers: shown,
  example: { answer: example },
})

const peers = (description: string) =>
  z
    .array(
      z.object({
        agent_id: uuid,
        name: z.string(),
        owner: textOrNull,
        disabled_at: timeOrNull,
        by: z.string().describe('The entry of acts_for that allows it.'),
      }),
    )
    .describe(description)

const more = z.boolean().describe('Whether there are more than are shown.')

export const showDelegation = operation({
  route: 'GET /api/v1/agents/{id}/delegation',
  id: 'showDelegation',
  summary: 'Show who may act for an agent, and for whom it may act',
  access: ACCESS.readAgents,
  answers: {
    200: z.object({
      agent_id: uuid,
      grant_types: settingsRecord.grant_types,
      acts_for: settingsRecord.acts_for,
      receives: settingsRecord.receives,
      issuer_clients: settingsRecord.issuer_clients,
      subjects: peers('Agents whose tokens it may exchange, where they are for an audience that it receives.'),
      subjects_more: more,
      actors: peers('Agents that may exchange its tokens, where they are for an audience that those receive.'),
      actors_more: more,
    }),
  },
  example: {
    answer: {
      agent_id: AGENT_ID,
      grant_types: ['client_credentials'],
      acts_for: [],
      receives: [],
      issuer_clients: {},
      subjects: [],
      subjects_more: false,
      actors: [{ agent_id: RELAY_ID, name: 'relay', owner: null, disabled_at: null, by: '*' }],
      actors_more: false,
    },
  },
})

export const changeAgent = operation({
  route: 'PATCH /api/v1/agents/{id}',
  id: 'changeAgent',
  summary: 'Change an agent',
  access: ACCESS.writeAgents,
  refusals: [409],
  body: settingsChange.extend({ dry_run: dryRun }),
  answers: shownOrCounted,
  example: {
    body: { scope: 'db:read', labels: { team: null } },
    answer: { ...example, scope: 'db:read', labels: {} },
  },
})

export const deleteAgent = operation({
  route: 'DELETE /api/v1/agents/{id}',
  id: 'deleteAgent',
  summary: 'Delete an agent',
  access: ACCESS.writeAgents,
  query: z.object({ note: noteParameter, dry_run: dryRunParameter }),
  answers: { 200: endsCounted, 204: z.undefined().describe('Done.') },
  example: { answer: exampleEnds('agent_deleted') },
})

export const disableAgent = operation({
  route: 'POST /api/v1/agents/{id}/disable',
  id: 'disableAgent',
  summary: 'Disable an agent',
  access: ACCESS.stopAgents,
  body: noteBody.unwrap().extend({ dry_run: dryRun }).default({}),
  answers: { 200: z.union([switched, endsCounted]) },
  example: { body: { note: 'it runs away' }, answer: { ...example, disabled_at: LATER, changed: true } },
})

export const enableAgent = operation({
  route: 'POST /api/v1/agents/{id}/enable',
  id: 'enableAgent',
  summary: 'Enable an agent',
  access: ACCESS.writeAgents,
  body: noteBody,
  answers: { 200: switched },
  example: { body: { note: 'mended' }, answer: { ...example, changed: true } },
})
