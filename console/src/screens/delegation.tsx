// Who may act for whom: an agent, those for which it may act, and those that may act for it.
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, Fragment, useState } from 'react'
import type { AgentRecord, ShowDelegationAnswer } from '../../../packages/client/src/index.ts'
import { addressOf, changeQuery, useAddress } from '../address.ts'
import { ANY_AGENT, TOKEN_EXCHANGE } from '../../../api/values/delegation.ts'
import { formatLabels } from '../../../api/values/labels.ts'
import { AgentName } from '../parts/agent-name.tsx'
import { Command } from '../parts/command.tsx'
import { Link } from '../parts/link.tsx'
import { Members } from '../parts/members.tsx'
import { OPEN } from '../parts/panel.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useAgentName } from '../reading/agent-names.ts'
import { AGENTS_SHOWN, agentSearch, besideName, exchangerSearch } from '../reading/agent-search.ts'
import { administration } from '../reading/service.ts'

const AGENT = 'agent'

type Peer = ShowDelegationAnswer['subjects'][number]

const delegationOf = (id: string): string => addressOf('delegation', new URLSearchParams({ [AGENT]: id }))

/** An entry of `acts_for`: an agent by its name, any agent, or a label or an issuer as it stands there. */
const Entry = ({ of: entry }: { readonly of: string }) =>
  entry === ANY_AGENT ? <strong>any agent</strong> : <AgentName id={entry} />

const ActsFor = ({ of: entries }: { readonly of: readonly string[] }) => (
  <ul className="peers">
    {entries.map(entry => (
      <li key={entry}>
        <Entry of={entry} />
      </li>
    ))}
  </ul>
)

const Peers = ({
  title,
  peers,
  hasMore,
}: {
  readonly title: string
  readonly peers: readonly Peer[]
  readonly hasMore: boolean
}) => (
  <section className="sheet">
    <h2>{title}</h2>
    {peers.length === 0 ? (
      <p className="quiet">None.</p>
    ) : (
      <ul className="peers">
        {peers.map(({ agent_id: id, name, owner, disabled_at: disabled, by }) => (
          <li key={id}>
            <Link to={delegationOf(id)}>{name}</Link> <span className="quiet">{owner}</span>
            {disabled !== null && <span className="state ended">disabled</span>}
            <span className="quiet by">
              by <Entry of={by} />
            </span>
          </li>
        ))}
      </ul>
    )}
    {hasMore && <p className="quiet">And more, which are not shown.</p>}
  </section>
)

const Delegations = ({ id }: { readonly id: string }) => {
  const name = useAgentName(id)
  const query = useQuery({
    queryKey: ['delegation', id],
    queryFn: ({ signal }) => administration.showDelegation({ path: { id }, signal }),
  })
  const { data } = query
  if (query.error !== null || data === undefined) return <Waiting query={query} />
  return (
    <>
      <div className="sheets three">
        <Peers title="It may act for" peers={data.subjects} hasMore={data.subjects_more} />
        <section className="sheet center">
          <h2>
            <Link to={addressOf('agents', new URLSearchParams({ [OPEN]: id }))}>{name ?? id}</Link>
          </h2>
          <Members
            of={[
              ['Grants', data.grant_types.join('\n')],
              ['Acts for', data.acts_for.length === 0 ? 'nobody' : <ActsFor key="for" of={data.acts_for} />],
              ['Exchanges tokens for', data.receives.length === 0 ? 'no audience' : data.receives.join('\n')],
              ['Clients at issuers', formatLabels(data.issuer_clients).join('\n')],
            ]}
          />
        </section>
        <Peers title="May act for it" peers={data.actors} hasMore={data.actors_more} />
      </div>
      <Command words={['mintmark', 'agent', 'delegation', id]} />
    </>
  )
}

type FoundAgentsProps = {
  readonly title: string
  /** What was searched for. */
  readonly text: string
  readonly agents: readonly AgentRecord[]
}

const ENTRIES_SHOWN = 3

/** The agents of a search, each with the first of those that it may act for. */
const FoundAgents = ({ title, text, agents }: FoundAgentsProps) => (
  <section className="sheet" aria-label={title}>
    <h2>{title}</h2>
    <ul className="peers">
      {agents.map(agent => (
        <li key={agent.agent_id}>
          <Link to={delegationOf(agent.agent_id)}>{agent.name}</Link>
          <span className="quiet">{besideName(text, agent).join(' · ')}</span>
          {agent.disabled_at !== null && <span className="state ended">disabled</span>}
          {agent.acts_for.length > 0 && (
            <span className="quiet by">
              acts for{' '}
              {agent.acts_for.slice(0, ENTRIES_SHOWN).map((entry, n) => (
                <Fragment key={entry}>
                  {n > 0 && ', '}
                  <Entry of={entry} />
                </Fragment>
              ))}
              {agent.acts_for.length > ENTRIES_SHOWN && ` and ${agent.acts_for.length - ENTRIES_SHOWN} more`}
            </span>
          )}
        </li>
      ))}
    </ul>
    {agents.length === AGENTS_SHOWN && <p className="quiet">These are the first. Search for another.</p>}
  </section>
)

const mayExchange = ({ grant_types: grants }: AgentRecord): boolean => grants.includes(TOKEN_EXCHANGE)

/** Those that may exchange tokens first: all others act for themselves alone. */
const Choose = () => {
  const [text, setText] = useState('')
  const exchangers = useQuery({ ...exchangerSearch(text), placeholderData: kept => kept })
  const found = useQuery({ ...agentSearch(text), placeholderData: kept => kept })
  const others = text === '' ? [] : (found.data ?? []).filter(agent => !mayExchange(agent))
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const first = exchangers.data?.[0] ?? others[0]
    if (first !== undefined) changeQuery(AGENT, first.agent_id)
  }
  return (
    <>
      <form role="search" aria-label="Agent" onSubmit={send}>
        <input
          type="search"
          aria-label="Agent by name or id"
          placeholder="Part of a name, an owner or a label, or an id"
          autoComplete="off"
          spellCheck={false}
          className="wide"
          onChange={event => setText(event.target.value.trim())}
        />
      </form>
      <Waiting query={exchangers.data === undefined || text === '' ? exchangers : found} />
      {exchangers.data !== undefined && exchangers.data.length > 0 && (
        <FoundAgents title="May exchange tokens" text={text} agents={exchangers.data} />
      )}
      {exchangers.data?.length === 0 && (
        <p className="quiet">
          {text === '' ? 'No agent may exchange tokens yet.' : 'No agent that may exchange tokens matches.'}
        </p>
      )}
      {others.length > 0 && <FoundAgents title="Others" text={text} agents={others} />}
      {text === '' && <Command words={['mintmark', 'agent', 'list', '--grant-type', TOKEN_EXCHANGE]} />}
    </>
  )
}

export const Delegation = () => {
  const id = useAddress().query.get(AGENT)
  return (
    <>
      <h1>Delegation</h1>
      <p className="quiet">Which agents may exchange whose tokens for tokens of their own.</p>
      {id === null ? (
        <Choose />
      ) : (
        <>
          <p>
            <Link to={addressOf('delegation')}>Another agent</Link>
          </p>
          <Delegations key={id} id={id} />
        </>
      )}
    </>
  )
}
