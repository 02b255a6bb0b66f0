// An agent as the API, the command line and the audit show it.
import type { Agent } from './agent.ts'
import { formatScope } from '../../../../api/values/scope.ts'
import { formatTime, formatTimeOrNull } from '../../../../api/values/time.ts'
import type { AgentSettings } from './change-agent.ts'

/** What can be changed of an agent, under the names of the wire. */
export const settingsRecord = (settings: AgentSettings) => ({
  name: settings.name,
  description: settings.description,
  owner: settings.owner,
  labels: settings.labels,
  scope: formatScope(settings.scopes),
  default_scope: settings.defaultScope === null ? null : formatScope(settings.defaultScope),
  resources: [...settings.resources],
  default_audience: settings.defaultAudience,
  lifetime_seconds: settings.lifetimeSeconds,
  tokens_per_minute: settings.tokensPerMinute,
  tokens_per_day: settings.tokensPerDay,
  live_tokens_max: settings.liveTokensMax,
  at_live_tokens_max: settings.atLiveTokensMax,
  dpop_bound_access_tokens: settings.dpopBound,
  tls_client_certificate_bound_access_tokens: settings.certificateBound,
})

export const agentRecord = (agent: Agent) => ({
  agent_id: agent.id,
  client_id: agent.clientId,
  ...settingsRecord(agent),
  created_at: formatTime(agent.createdAt),
  disabled_at: formatTimeOrNull(agent.disabledAt),
  suspended_at: formatTimeOrNull(agent.suspendedAt),
})
