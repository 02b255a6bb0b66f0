// The agents that a revocation selects by owner and labels, as its transaction sees them.
import type { Act } from '../../domain/audit/act.ts'
import type { AgentMarks, AgentSelection, SelectedAgents } from '../../domain/ledger/selection.ts'
import { AGENTS_SELECTED_MAX } from '../../../../api/values/lists.ts'
import { formatTimeOrNull } from '../../../../api/values/time.ts'
import { markedBy } from '../lists/list-agents.ts'
import type { Condition } from '../lists/name-conditions.ts'
import { requireKnowledge } from '../schema-version.ts'
import { all, run, type Program } from '../statement-program.ts'
import { auditEach, type Transaction } from '../transaction.ts'

const where = ({ owner, labels }: AgentSelection) =>
  markedBy({ owner, agentName: null, labels: Object.entries(labels ?? {}).map(([key, value]) => ({ key, value })) })

function* readNumbers({ sql, values }: Condition): Program<readonly number[] | 'too_many_agents'> {
  const select = `select n from agent where ${sql} order by n limit ?`
  const rows = yield* all<{ n: number }>(select, ...values, AGENTS_SELECTED_MAX + 1)
  return rows.length > AGENTS_SELECTED_MAX ? 'too_many_agents' : rows.map(({ n }) => n)
}

/** The agents whose tokens a list is asked for. */
export const selectMarkedAgents = (
  marks: AgentMarks,
  among: 'kept' | 'ever',
): Program<readonly number[] | 'too_many_agents'> => readNumbers(markedBy(marks, among))

/** The agents that match now and are not deleted. */
export function* selectAgents(
  selection: AgentSelection,
): Program<SelectedAgents | 'no_agent_selected' | 'too_many_agents'> {
  const agents = yield* readNumbers(where(selection))
  if (agents === 'too_many_agents') return agents
  return agents.length === 0 ? 'no_agent_selected' : { ...selection, agents }
}

/** A program that does not know selections would end the tokens of every agent. */
export const requireSelections = (tx: Transaction): Program<void> =>
  requireKnowledge(tx, 'revocation feed', 'owners and labels in revocations')

/** The number on each of them that ends their tokens; they are those that this transaction selected. */
export function* anchorSelected(selected: SelectedAgents, seq: number): Program<void> {
  const { sql, values } = where(selected)
  yield* run(`update agent set ended_seq = ? where ${sql}`, seq, ...values)
}

/** Disables those that are not, each with an entry of its own in the audit log, by which a restore finds it. */
export function* disableSelected(
  tx: Transaction,
  { selected, act, seq }: { readonly selected: SelectedAgents; readonly act: Act; readonly seq: number },
): Program<void> {
  const { sql, values } = where(selected)
  const enabled = `${sql} and disabled_at is null`
  const change = { before: { disabled_at: null }, after: { disabled_at: formatTimeOrNull(tx.now) }, seq }
  const from = { sql: `from agent where ${enabled} order by n`, values }
  yield* auditEach(tx, { ...act, kind: 'agent.disable' }, from, change)
  yield* run(`update agent set disabled_at = ? where ${enabled}`, tx.now, ...values)
}
