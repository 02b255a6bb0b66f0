// What agents use of the service.
import { z } from 'zod'
import { AGENT_ID, LATER } from './examples.ts'
import { countRecord, limitParameter, timeOrNull } from './fields.ts'
import { operation } from './operation.ts'
import { ACCESS } from './values/access.ts'

const tokens = (window: string) =>
  z
    .int()
    .describe(`Tokens that it got in the last ${window}; the slot of time that the window cuts counts in proportion.`)

const usageRecord = z.object({
  agent_id: z.string(),
  name: z.string(),
  owner: z.string().nullable(),
  state: z.enum(['active', 'disabled', 'deleted']),
  tokens_last_minute: tokens('60 s'),
  tokens_last_hour: tokens('60 minutes'),
  tokens_last_day: tokens('24 hours'),
  live_tokens: countRecord.describe('Its live tokens: exact to 10,000.'),
  refusals: z
    .int()
    .describe('Token requests of the last 60 minutes that were refused although the agent had authenticated itself.'),
  last_issued_at: timeOrNull.describe('When it got its last token; null: not within the last day.'),
})

export const listAgentUsage = operation({
  route: 'GET /api/v1/usage/agents',
  id: 'listAgentUsage',
  summary: 'List the agents that use the service most',
  access: ACCESS.readUsage,
  query: z.object({ limit: limitParameter('Agents, at most.') }),
  answers: {
    200: z.object({
      data: z
        .array(usageRecord)
        .describe(
          'Agents that asked for a token within the last day, most tokens of the last minute first, then those that got one last.',
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
        },
      ],
    },
  },
})
