// One agent: who answers for it, what it may do, its credentials, and the ways to stop it.
import { formatLabels } from '../../../api/values/labels.ts'
import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode } from 'react'
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
import { stateOf } from './agent-columns.tsx'
import { ChangeAgent } from './agent-form.tsx'
import { Credentials } from './credentials.tsx'
import { DeleteAgent } from './delete-agent.tsx'
import { Snippets } from './snippets.tsx'
import { EnableAgent, StopAgent } from '../acts/stop-agent.tsx'

const TimeLine = lazy(async () => ({ default: (await import('./time-line.tsx')).TimeLine }))

const limitOf = (value: number | null): string => (value === null ? 'any number' : String(value))

const claimsOf = ({ claims }: AgentRecord): readonly string[] =>
  Object.entries(claims).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)

const instantOf = (at: string | null): ReactNode => (at === null ? null : <Instant at={at} />)

/** What is shown of an agent, in this order; null: the form that changes it shows it, or the title does. */
const MEMBERS: Readonly<
  Record<keyof AgentRecord, readonly [name: string, valueOf: (agent: AgentRecord) => ReactNode] | null>
> = {
  name: null,
  description: ['Description', agent => agent.description],
  owner: ['Owner', agent => agent.owner],
  labels: ['Labels', agent => formatLabels(agent.labels).join('\n')],
  agent_id: ['Agent', agent => <code>{agent.agent_id}</code>],
  client_id: ['Client', agent => (agent.client_id === agent.agent_id ? null : <code>{agent.client_id}</code>)],
  scope: ['Scope', agent => agent.scope],
  default_scope: ['Default scope', agent => agent.default_scope],
  resources: ['Audiences', agent => agent.resources.join('\n')],
  default_audience: null,
  lifetime_seconds: [
    'Lifetime of tokens',
    agent => (agent.lifetime_seconds === null ? null : `${agent.lifetime_seconds} s`),
  ],
  tokens_per_minute: ['Tokens a minute', agent => limitOf(agent.tokens_per_minute)],
  tokens_per_day: ['Tokens a day', agent => limitOf(agent.tokens_per_day)],
  live_tokens_max: ['Live at once', agent => limitOf(agent.live_tokens_max)],
  at_live_tokens_max: null,
  dpop_bound_access_tokens: null,
  tls_client_certificate_bound_access_tokens: null,
  grant_types: ['Grants', agent => agent.grant_types.join('\n')],
  acts_for: null,
  receives: null,
  issuer_clients: ['Clients at issuers', agent => formatLabels(agent.issuer_clients).join('\n')],
  claims: ['Own claims', agent => claimsOf(agent).join('\n')],
  expires_at: ['Expires', agent => instantOf(agent.expires_at)],
  managed_by: ['Managed by', agent => agent.managed_by],
  created_at: ['Made', agent => instantOf(agent.created_at)],
  disabled_at: ['Disabled', agent => instantOf(agent.disabled_at)],
  suspended_at: ['Suspended by a restore', agent => instantOf(agent.suspended_at)],
}

const Life = ({ agent }: { readonly agent: AgentRecord }) => {
  const [isDisabled, state] = [agent.disabled_at !== null, stateOf(agent)]
  const list = (screen: string): string => addressOf(screen, new URLSearchParams({ agent_id: agent.agent_id }))
  return (
    <>
      <p className={`state ${state === 'active' ? state : 'ended'}`}>{state}</p>
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
      <Members of={Object.values(MEMBERS).flatMap(row => (row === null ? [] : [[row[0], row[1](agent)]]))} />
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
