// One agent: who answers for it, what it may do, its credentials, and the ways to stop it.
import { formatLabels } from '../../../api/values/labels.ts'
import { useQuery } from '@tanstack/react-query'
import { lazy } from 'react'
import type { AgentRecord } from '../../../packages/client/src/index.ts'
import { addressOf } from '../address.ts'
import { AgentOverTime } from '../charts/lazy-charts.tsx'
import { Command } from '../parts/command.tsx'
import { Instant } from '../parts/instant.tsx'
import { Later } from '../parts/later.tsx'
import { Link } from '../parts/link.tsx'
import { Members } from '../parts/members.tsx'
import { Panel } from '../parts/panel.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { administration } from '../reading/service.ts'
import { ChangeAgent } from './agent-form.tsx'
import { Credentials } from './credentials.tsx'
import { DeleteAgent } from './delete-agent.tsx'
import { Snippets } from './snippets.tsx'
import { EnableAgent, StopAgent } from '../acts/stop-agent.tsx'

const TimeLine = lazy(async () => ({ default: (await import('./time-line.tsx')).TimeLine }))

const limitOf = (value: number | null): string => (value === null ? 'any number' : String(value))

const Life = ({ agent }: { readonly agent: AgentRecord }) => {
  const isDisabled = agent.disabled_at !== null
  const list = (screen: string): string => addressOf(screen, new URLSearchParams({ agent_id: agent.agent_id }))
  return (
    <>
      <p className={isDisabled ? 'state ended' : 'state active'}>{isDisabled ? 'disabled' : 'active'}</p>
      <div className="acts">
        {isDisabled ? (
          <EnableAgent id={agent.agent_id} name={agent.name} />
        ) : (
          <StopAgent id={agent.agent_id} name={agent.name} />
        )}
        <ChangeAgent agent={agent} />
        <DeleteAgent agent={agent} />
      </div>
      <div className="acts">
        <Link to={list('tokens')}>Live tokens</Link>
        <Link to={list('history')}>History</Link>
        <Link to={addressOf('delegation', new URLSearchParams({ agent: agent.agent_id }))}>Delegation</Link>
      </div>
      <Members
        of={[
          ['Description', agent.description],
          ['Owner', agent.owner],
          ['Labels', formatLabels(agent.labels).join('\n')],
          ['Agent', <code key="id">{agent.agent_id}</code>],
          ['Client', agent.client_id === agent.agent_id ? null : <code key="client">{agent.client_id}</code>],
          ['Scope', agent.scope],
          ['Default scope', agent.default_scope],
          ['Audiences', agent.resources.join('\n')],
          ['Lifetime of tokens', agent.lifetime_seconds === null ? null : `${agent.lifetime_seconds} s`],
          ['Tokens a minute', limitOf(agent.tokens_per_minute)],
          ['Tokens a day', limitOf(agent.tokens_per_day)],
          ['Live at once', limitOf(agent.live_tokens_max)],
          ['Grants', agent.grant_types.join('\n')],
          ['Made', <Instant key="made" at={agent.created_at} />],
          ['Disabled', agent.disabled_at === null ? null : <Instant key="disabled" at={agent.disabled_at} />],
          [
            'Suspended by a restore',
            agent.suspended_at === null ? null : <Instant key="suspended" at={agent.suspended_at} />,
          ],
        ]}
      />
      <Credentials agentId={agent.agent_id} />
      <AgentOverTime id={agent.agent_id} />
      <Later>
        <TimeLine agent={agent} />
      </Later>
      <Snippets agent={agent} />
      <Command words={['mintmark', 'agent', 'show', agent.agent_id]} />
    </>
  )
}

export const AgentPanel = ({ id }: { readonly id: string }) => {
  const query = useQuery({
    queryKey: ['agent', id],
    queryFn: ({ signal }) => administration.showAgent({ path: { id }, signal }),
  })
  const { data } = query
  return (
    <Panel title={data?.name ?? 'Agent'}>
      <Waiting query={query} />
      {data !== undefined && <Life agent={data} />}
    </Panel>
  )
}
