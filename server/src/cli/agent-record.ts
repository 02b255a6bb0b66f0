// An agent as the command line shows it.
import type { Agent } from '../domain/agent.ts'
import { formatScope } from '../domain/scope.ts'
import { formatTime, type Milliseconds } from '../domain/time.ts'
import { printJson, printRecord } from './print.ts'

export const formatTimeOrNull = (instant: Milliseconds | null): string | null =>
  instant === null ? null : formatTime(instant)

export const agentRecord = (agent: Agent) => ({
  agent_id: agent.id,
  client_id: agent.clientId,
  name: agent.name,
  scope: formatScope(agent.scopes),
  default_scope: agent.defaultScope === null ? null : formatScope(agent.defaultScope),
  resources: agent.resources,
  default_audience: agent.defaultAudience,
  lifetime_seconds: agent.lifetimeSeconds,
  created_at: formatTime(agent.createdAt),
  disabled_at: formatTimeOrNull(agent.disabledAt),
})

export const printAgent = (agent: Agent, asJson: boolean): void =>
  asJson ? printJson(agentRecord(agent)) : printRecord(agentRecord(agent))
