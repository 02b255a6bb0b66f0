// What agents use of the service, and where their tokens are used.
import { z } from 'zod'
import { AGENT_ID, API_KEY_ID, LATER, MADE, NAMES, TOKEN_ID } from './examples.ts'
import {
  anyOf,
  choiceParameter,
  count,
  countOrNull,
  countRecord,
  flag,
  limitParameter,
  listing,
  textOrNull,
  texts,
  time,
  timeOrNull,
  timeParameter,
  uuid,
  uuidMember,
  uuidParameter,
} from './fields.ts'
import { agentNames } from './names.ts'
import { operation } from './operation.ts'
import { ACCESS } from './values/access.ts'
import { PAIRS_A_MINUTE_MAX, REFUSAL_ROWS_A_SLOT_MAX, SERIES_WINDOW_NAMES, USES_KEPT_DAYS } from './values/usage.ts'

const tokens = (window: string) =>
  count.describe(
    `Tokens that it got in the last ${window}; the slot of time that the window cuts counts in proportion.`,
  )

const usageRecord = z.object({
  agent_id: uuid,
  name: z.string(),
  owner: textOrNull,
  state: z.enum(['active', 'disabled', 'deleted']),
  tokens_last_minute: tokens('60 s'),
  tokens_last_hour: tokens('60 minutes'),
  tokens_last_day: tokens('24 hours'),
  live_tokens: countRecord.describe('Its live tokens: exact to 10,000.'),
  refusals: count.describe(
    'Token requests of the last 60 minutes that were refused although the agent had authenticated itself.',
  ),
  last_issued_at: timeOrNull.describe('When it got its last token; null: not within the last day.'),
  last_used_at: timeOrNull.describe('When one of its credentials last got a token, to the minute; null: never.'),
})

export const listAgentUsage = operation({
  route: 'GET /api/v1/usage/agents',
  id: 'listAgentUsage',
  summary: 'List the agents that use the service most',
  access: ACCESS.readUsage,
  query: z.object({
    limit: limitParameter('Agents, at most.'),
    agent_id: anyOf(uuidMember(), 'Only these agents, also where they asked for no token; may repeat.'),
  }),
  answers: {
    200: z.object({
      data: z
        .array(usageRecord)
        .describe(
          'Agents that asked for a token within the last day, or those of `agent_id`, most tokens of the last minute first, of equals those of the last hour, of the last day, and that got one last.',
        ),
    }),
  },
  example: {
    answer: {
      data: [
        {
          agent_id: AGENT_ID,
          name: 'reports',
          owner: 'Ada',
          state: 'active',
          tokens_last_minute: 1_204,
          tokens_last_hour: 3_310,
          tokens_last_day: 4_092,
          live_tokens: { count: 10_000, exact: false },
          refusals: 17,
          last_issued_at: LATER,
          last_used_at: LATER,
        },
      ],
    },
  },
})

const reasonOfRefusal = {
  reason: z.string().describe('The code of the error, see `/errors`, or the name of the limit that was reached.'),
  status: countOrNull.describe('The status of the response. Null: there was none, the connection was closed.'),
  settings: texts.describe(
    'What changes the limit: settings of the service, or a member of the agent. Empty: it is none, or fixed.',
  ),
  count: z.int().describe('How often; the slot of time that the window cuts counts in proportion.'),
  last_at: time.describe('When it was last counted, at most 2 s after it happened.'),
}

const LIMIT_REACHED = {
  reason: 'tokens_per_minute',
  status: 429,
  settings: ['tokens_per_minute'],
  count: 17,
  last_at: LATER,
}

export const listRefusedRequests = operation({
  route: 'GET /api/v1/usage/refusals',
  id: 'listRefusedRequests',
  summary: 'List what was refused of late by agent and reason, and the limits that were reached',
  access: ACCESS.readUsage,
  query: z.object({
    over: choiceParameter(SERIES_WINDOW_NAMES, { description: 'The last hour, or the last day.', default: '1h' }),
    agent_id: uuidParameter('Only what this agent asked for.'),
    limit: limitParameter('Rows of `data`, at most.'),
  }),
  answers: {
    200: z.object({
      data: z
        .array(
          z.object({
            agent_id: uuid
              .nullable()
              .describe(
                `Null: a limit of the service turned it away, or it is beyond ${REFUSAL_ROWS_A_SLOT_MAX} pairs of agent and reason of a slot.`,
              ),
            name: textOrNull,
            ...reasonOfRefusal,
          }),
        )
        .describe('Most first, then the one that was counted last.'),
      limits: z.array(z.object(reasonOfRefusal)).describe('The limits among them, each of all agents together.'),
    }),
  },
  example: {
    answer: { data: [{ agent_id: AGENT_ID, name: 'reports', ...LIMIT_REACHED }], limits: [LIMIT_REACHED] },
  },
})

const agentOfUse = uuid.nullable().describe('Null: of no agent that is known.')

const outside = flag.describe(
  'Whether the tokens are for other audiences than the API key may see: it was answered that they are inactive.',
)

const useRecord = z.object({
  minute: time.describe('The minute in which it was counted.'),
  agent_id: agentOfUse.describe(
    'The agent of the tokens. Null: they are no tokens of this service, or of several agents.',
  ),
  ...agentNames,
  api_key_id: uuid
    .nullable()
    .describe(
      `The API key of the resource server. Null: all beyond ${PAIRS_A_MINUTE_MAX} pairs of the minute together.`,
    ),
  api_key_name: textOrNull,
  outside_audiences: outside,
  introspections: z.int().describe('How often tokens were introspected.'),
  active: z.int().describe('How many of these were answered with active.'),
  after_end: z.int().describe('How many of these were of tokens that had ended.'),
  uses: z.int().describe('Tokens that followers of the revocation feed say they accepted, beside introspections.'),
  first_used_at: time,
  last_used_at: time,
})

const useFilters = {
  agent_id: uuidParameter('Only tokens of this agent.'),
  api_key_id: uuidParameter('Only through this API key.'),
}

export const listUses = operation({
  route: 'GET /api/v1/usage',
  id: 'listUses',
  summary: `List where tokens were used, by agent, API key and minute, for ${USES_KEPT_DAYS} days`,
  access: ACCESS.readTokens,
  ...listing(
    useRecord,
    {
      minute: MADE,
      agent_id: AGENT_ID,
      ...NAMES,
      api_key_id: API_KEY_ID,
      api_key_name: 'orders',
      outside_audiences: false,
      introspections: 1204,
      active: 1190,
      after_end: 14,
      uses: 0,
      first_used_at: MADE,
      last_used_at: MADE,
    },
    {
      ...useFilters,
      since: timeParameter('Only minutes that began then or later.'),
      before: timeParameter('Only minutes that began earlier.'),
    },
  ),
})

const lateUseRecord = z.object({
  token_id: uuid,
  agent_id: agentOfUse,
  ...agentNames,
  api_key_id: uuid.describe('The API key of the resource server that introspected it.'),
  api_key_name: z.string(),
  outside_audiences: outside,
  expired: z.boolean().describe('Whether it had only expired; false: something ended it earlier.'),
  count: z.int().describe('How often it was introspected after its end.'),
  first_used_at: time,
  last_used_at: time,
})

export const listUsesAfterEnd = operation({
  route: 'GET /api/v1/usage/after-end',
  id: 'listUsesAfterEnd',
  summary: 'List tokens that were introspected after they had ended, last used first',
  access: ACCESS.readTokens,
  ...listing(
    lateUseRecord,
    {
      token_id: TOKEN_ID,
      agent_id: AGENT_ID,
      ...NAMES,
      api_key_id: API_KEY_ID,
      api_key_name: 'orders',
      outside_audiences: false,
      expired: false,
      count: 14,
      first_used_at: MADE,
      last_used_at: LATER,
    },
    {
      token_id: uuidParameter('Only this token.'),
      ...useFilters,
      since: timeParameter('Only tokens that were last used then or later.'),
      before: timeParameter('Only tokens that were last used earlier.'),
    },
  ),
})

const seriesPoint = z.object({
  from: time.describe('When the minute or hour begins.'),
  issued: z.int().describe('Tokens issued.'),
  refused: z.int().describe('Token requests that were refused although the agent had authenticated itself.'),
  active: z.int().describe('Introspections that were answered with active.'),
  inactive: z.int().describe('Introspections that were answered with inactive.'),
  ended: z
    .array(z.object({ reason: z.string(), ...countRecord.shape }))
    .describe(
      'Tokens that ended before they expired, by reason. Those of a large revocation appear as their records are updated.',
    ),
})

export const showUsageSeries = operation({
  route: 'GET /api/v1/usage/series',
  id: 'showUsageSeries',
  summary: 'Show what was issued, refused, introspected and ended over time',
  access: ACCESS.readUsage,
  query: z.object({
    over: choiceParameter(SERIES_WINDOW_NAMES, {
      description: '`1h`: the last 60 minutes, minute by minute; `24h`: the last 24 hours, hour by hour.',
      default: '1h',
    }),
    agent_id: uuidParameter('Only what this agent asked for, and only its tokens.'),
  }),
  answers: {
    200: z.object({
      at: time.describe('By the clock of the store.'),
      point_seconds: z.int().describe('The length of a minute or hour, in seconds.'),
      data: z.array(seriesPoint).describe('Oldest first, without gaps. The last one is not over yet.'),
    }),
  },
  refusals: [404],
  example: {
    answer: {
      at: LATER,
      point_seconds: 60,
      data: [
        {
          from: MADE,
          issued: 1204,
          refused: 17,
          active: 1190,
          inactive: 14,
          ended: [{ reason: 'manual_revocation', count: 2, exact: true }],
        },
      ],
    },
  },
})
