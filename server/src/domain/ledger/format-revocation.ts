// The record of a revocation, on the wire and on the command line: names in lower snake case, times in RFC 3339.
import { PLAN_SECONDS_MAX } from './plan.ts'
import { formatRecord } from './format-token.ts'
import type { Revocation, RevocationConditions, RevocationDryRun } from './revocation.ts'
import { formatHolding, type Holding } from '../clients/verifier.ts'
import { formatTime } from '../../../../api/values/time.ts'

const formatConditions = (conditions: RevocationConditions) => ({
  all: Object.values(conditions).every(condition => condition === null || condition === undefined),
  agent_id: conditions.agentId,
  credential_id: conditions.credentialId,
  scope: conditions.scope,
  audience: conditions.audience,
  kid: conditions.kid,
  issued_before: conditions.issuedBefore === null ? null : formatTime(conditions.issuedBefore),
  lineage: conditions.lineage,
  subject: typeof conditions.subject === 'string' ? conditions.subject : null,
  issuer: conditions.issuer ?? null,
  owner: conditions.selection?.owner ?? null,
  labels: conditions.selection?.labels ?? null,
  disable_agents: conditions.selection?.disable ?? false,
})

/** The JSON of a revocation, with the verifiers that hold it; null: not known. */
export const formatRevocation = (revocation: Revocation, verifiers: Holding | null) => ({
  id: revocation.id,
  ...formatConditions(revocation.conditions),
  agents: revocation.agents,
  reason: revocation.reason,
  note: revocation.note,
  created_by: revocation.createdBy,
  created_at: formatTime(revocation.createdAt),
  state: revocation.state,
  tokens_moved: revocation.tokensMoved,
  verifiers: verifiers === null ? null : formatHolding(verifiers),
})

export const formatDryRun = ({
  count,
  isExact,
  agents,
  sample,
  instant,
  planId,
}: RevocationDryRun & { readonly planId: string }) => ({
  dry_run: true as const,
  tokens: count,
  tokens_exact: isExact,
  agents,
  sample: sample.map(formatRecord),
  plan_id: planId,
  plan_expires_at: formatTime(instant + 1000 * PLAN_SECONDS_MAX),
})
