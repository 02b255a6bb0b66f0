// An agent as the API takes and shows it: names in lower snake case, times in RFC 3339.
import { z } from 'zod'
import { AT_LIVE_TOKENS_MAX } from '../../../../api/values/limits.ts'
import type { AgentFields } from '../../operations/agents/agent-fields.ts'
import { SUSPENDED_AT, timeOrNull } from './json-members.ts'
import { time } from './token-record.ts'

export const agentRecord = z.object({
  agent_id: z.string().describe('The sub of its tokens. Never used twice.'),
  client_id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  owner: z.string().nullable().describe('Who answers for it.'),
  labels: z.record(z.string(), z.string()),
  scope: z.string().describe('What it may ask for: items, or resource:* for every action on a resource.'),
  default_scope: z.string().nullable().describe('What it gets where a request names no scope.'),
  resources: z.array(z.string()).describe('What it may ask for as audience; * for any.'),
  default_audience: z.string().nullable().describe("Null: the service's."),
  lifetime_seconds: z.int().nullable().describe("Null: the service's."),
  tokens_per_minute: z.int().nullable().describe('The most tokens it gets in any 60 seconds. Null: any number.'),
  tokens_per_day: z.int().nullable().describe('The most tokens it gets in any 24 hours. Null: any number.'),
  live_tokens_max: z.int().nullable().describe('The most of its tokens that are alive at once. Null: any number.'),
  at_live_tokens_max: z
    .enum(AT_LIVE_TOKENS_MAX)
    .describe('What a request beyond live_tokens_max does: it is refused, or ends the oldest token of the agent.'),
  dpop_bound_access_tokens: z.boolean().describe('Whether it gets no token without a DPoP proof (RFC 9449 §5.2).'),
  tls_client_certificate_bound_access_tokens: z
    .boolean()
    .describe('Whether its tokens are bound to its TLS certificate, without which it gets none (RFC 8705 §3.4).'),
  created_at: time,
  disabled_at: time.nullable(),
  suspended_at: timeOrNull.describe(SUSPENDED_AT),
})

const settings = {
  description: z.string().nullable().optional(),
  owner: z.string().nullable().optional(),
  default_scope: z.string().nullable().optional(),
  resources: z.array(z.string()).optional(),
  default_audience: z.string().nullable().optional(),
  lifetime_seconds: z.number().nullable().optional(),
  tokens_per_minute: z.number().nullable().optional(),
  tokens_per_day: z.number().nullable().optional(),
  live_tokens_max: z.number().nullable().optional(),
  at_live_tokens_max: z.enum(AT_LIVE_TOKENS_MAX).nullable().optional().describe('Null: refuse.'),
  dpop_bound_access_tokens: z.boolean().optional(),
  tls_client_certificate_bound_access_tokens: z.boolean().optional(),
}

export const newAgentBody = z.strictObject({
  name: z.string(),
  scope: z.string(),
  ...settings,
  labels: z.record(z.string(), z.string()).nullable().optional(),
})

export const agentChangeBody = z.strictObject({
  name: z.string().optional(),
  scope: z.string().optional(),
  ...settings,
  labels: z
    .record(z.string(), z.string().nullable())
    .nullable()
    .optional()
    .describe('The labels to set; null for one to remove.'),
})

/** The body of a change under the names of the operation; that of a creation is one too. */
export const fieldsOf = (body: z.output<typeof agentChangeBody>): AgentFields => ({
  name: body.name,
  description: body.description,
  owner: body.owner,
  labels: body.labels,
  scope: body.scope,
  defaultScope: body.default_scope,
  resources: body.resources,
  defaultAudience: body.default_audience,
  lifetimeSeconds: body.lifetime_seconds,
  tokensPerMinute: body.tokens_per_minute,
  tokensPerDay: body.tokens_per_day,
  liveTokensMax: body.live_tokens_max,
  atLiveTokensMax: body.at_live_tokens_max,
  dpopBound: body.dpop_bound_access_tokens,
  certificateBound: body.tls_client_certificate_bound_access_tokens,
})
