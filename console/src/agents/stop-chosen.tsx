// Stops the agents that were chosen, after it counted what would end with each.
import { ApiRefused } from '../../../packages/client/src/administration/api-errors.ts'
import type { AgentRecord } from '../../../packages/client/src/index.ts'
import { type ChosenProps, EachDialog } from '../acts/each-dialog.tsx'
import { type Ends, formatEnds } from '../acts/would-end.tsx'
import { formatNumber } from '../parts/format-number.ts'
import { administration } from '../reading/service.ts'
import { STOP_CHOSEN, type StopPlan, sumOf } from './stop-plan.ts'

/** Undefined where the agent is gone. */
const dryRunOf = async (id: string, signal: AbortSignal) => {
  try {
    return (await administration.disableAgent({ path: { id }, body: { dry_run: true }, signal })).ends
  } catch (fault) {
    if (fault instanceof ApiRefused && fault.status === 404) return undefined
    throw fault
  }
}

const planStops = async (agents: readonly AgentRecord[], signal: AbortSignal): Promise<StopPlan> => {
  const [stops, stopped, gone]: [{ agent: AgentRecord; ends: Ends }[], AgentRecord[], AgentRecord[]] = [[], [], []]
  for (const agent of agents) {
    const ends = await dryRunOf(agent.agent_id, signal)
    if (ends === undefined) gone.push(agent)
    else if (ends.reasons.length === 0) stopped.push(agent)
    else stops.push({ agent, ends })
  }
  return { stops: stops.toSorted((a, b) => b.ends.tokens - a.ends.tokens), stopped, gone }
}

const Names = ({ of: agents, are }: { readonly of: readonly AgentRecord[]; readonly are: string }) =>
  agents.length > 0 && (
    <p>
      {agents.length} {are}: {agents.map(({ name }) => name).join(', ')}.
    </p>
  )

const WouldStop = ({ plan }: { readonly plan: StopPlan }) => {
  const { stops, stopped, gone } = plan
  const { tokens, descendants, isExact } = sumOf(plan)
  return (
    <>
      <p>
        Now this ends{isExact ? '' : ' at least'}{' '}
        <strong>
          {formatNumber(tokens)} live {tokens === 1 ? 'token' : 'tokens'}
        </strong>{' '}
        of {stops.length} {stops.length === 1 ? 'agent' : 'agents'}
        {descendants > 0 && `, and up to ${formatNumber(descendants)} that were got for them`}.
      </p>
      <Names of={stopped} are="stopped already" />
      <Names of={gone} are="deleted meanwhile" />
      <ul className="plan">
        {stops.map(({ agent: { agent_id: id, name, owner }, ends }) => (
          <li key={id}>
            <bdi title={id}>{name}</bdi> <span className="quiet">{[owner, formatEnds(ends)].join(' ').trim()}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

export const StopChosen = ({ agents, ...asked }: ChosenProps & { readonly agents: readonly AgentRecord[] }) => (
  <EachDialog
    {...asked}
    name={STOP_CHOSEN}
    about="They get no token until an administrator enables them again. All their tokens end now, with everything that was got for them; they do not come back."
    submit="Stop them"
    deed="stopped"
    command="mintmark agent disable"
    chosen={agents.map(({ agent_id: id }) => id)}
    makePlan={signal => planStops(agents, signal)}
    describePlan={plan => <WouldStop plan={plan} />}
    idsOf={({ stops }) => stops.map(({ agent }) => agent.agent_id)}
    ask={async (id, note) => {
      const { disabled_at: at, changed } = await administration.disableAgent({ path: { id }, body: note })
      return { at, isDoneNow: changed }
    }}
  />
)
