// Stops the agents that were chosen, after it counted what would end with each.
import * as Dialog from '@radix-ui/react-dialog'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AgentRecord } from '../../../packages/client/src/index.ts'
import { askEach } from '../acts/ask-each.ts'
import { EachForm } from '../acts/each-form.tsx'
import { type Ends, formatEnds } from '../acts/would-end.tsx'
import { formatNumber } from '../parts/format-number.ts'
import { Waiting } from '../parts/waiting.tsx'
import { administration } from '../reading/service.ts'
import { commandOf, type StopPlan, sumOf } from './stop-plan.ts'

const planStops = async (agents: readonly AgentRecord[], signal: AbortSignal): Promise<StopPlan> => {
  const plan: { agent: AgentRecord; ends: Ends }[] = []
  for (const agent of agents) {
    const path = { id: agent.agent_id }
    const { ends } = await administration.disableAgent({ path, body: { dry_run: true }, signal })
    plan.push({ agent, ends })
  }
  return plan.toSorted((a, b) => b.ends.tokens - a.ends.tokens)
}

const WouldStop = ({ plan }: { readonly plan: StopPlan }) => {
  const { tokens, descendants, isExact } = sumOf(plan)
  return (
    <>
      <p>
        Now this ends{isExact ? '' : ' at least'}{' '}
        <strong>
          {formatNumber(tokens)} live {tokens === 1 ? 'token' : 'tokens'}
        </strong>{' '}
        of {plan.length} {plan.length === 1 ? 'agent' : 'agents'}
        {descendants > 0 && `, and up to ${formatNumber(descendants)} that were got for them`}.
      </p>
      <ul className="plan">
        {plan.map(({ agent: { agent_id: id, name, owner }, ends }) => (
          <li key={id}>
            <bdi title={id}>{name}</bdi> <span className="quiet">{[owner, formatEnds(ends)].join(' ').trim()}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

type StopChosenProps = {
  readonly title: string
  readonly agents: readonly AgentRecord[]
  /** Called before the first of them is stopped. */
  readonly onBegin: () => void
}

export const StopChosen = ({ title, agents, onBegin }: StopChosenProps) => {
  const [isDone, setDone] = useState(false)
  const query = useQuery({
    queryKey: ['stop-plan', agents.map(({ agent_id: id }) => id)],
    queryFn: ({ signal }) => planStops(agents, signal),
    // A plan is of the moment in which it was asked for.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { data: plan, refetch } = query
  return (
    <>
      <Dialog.Title aria-live="polite">{isDone ? 'The chosen agents were asked to stop' : title}</Dialog.Title>
      <Dialog.Description>
        They get no token until an administrator enables them again. All their tokens end now, with everything that was
        got for them; they do not come back.
      </Dialog.Description>
      <Waiting query={query} />
      {plan !== undefined && (
        <EachForm
          name={commandOf(agents)}
          command={commandOf(agents)}
          submit="Stop them"
          deed="stopped"
          isEmpty={false}
          act={({ note, signal, onProgress }) =>
            askEach({
              ids: plan.map(({ agent }) => agent.agent_id),
              ask: async id => (await administration.disableAgent({ path: { id }, body: note })).disabled_at,
              signal,
              onProgress,
            })
          }
          onBegin={onBegin}
          onDone={() => setDone(true)}
          onAgain={() => void refetch()}
        >
          <WouldStop plan={plan} />
        </EachForm>
      )}
    </>
  )
}
