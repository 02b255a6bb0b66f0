// Who may act for whom: an agent, those for which it may act, and those that may act for it.
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { ShowDelegationAnswer } from '../../../packages/client/src/index.ts'
import { addressOf, changeQuery, useAddress } from '../address.ts'
import { Command } from '../parts/command.tsx'
import { Fault } from '../parts/fault.tsx'
import { Link } from '../parts/link.tsx'
import { Members } from '../parts/members.tsx'
import { OPEN } from '../parts/panel.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useAgentName } from '../reading/agent-names.ts'
import { readPage } from '../reading/read-page.ts'
import { administration } from '../reading/service.ts'

const AGENT = 'agent'
const AGENTS_SHOWN = 20

type Peer = ShowDelegationAnswer['subjects'][number]

const delegationOf = (id: string): string => addressOf('delegation', new URLSearchParams({ [AGENT]: id }))

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
            <span className="quiet by">by {by === '*' ? 'any agent' : <code>{by}</code>}</span>
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
              [
                'Acts for',
                data.acts_for.length === 0 ? 'no agent' : data.acts_for.join('\n').replace(/^\*$/m, 'any agent'),
              ],
              ['Exchanges tokens for', data.receives.length === 0 ? 'no audience' : data.receives.join('\n')],
            ]}
          />
        </section>
        <Peers title="May act for it" peers={data.actors} hasMore={data.actors_more} />
      </div>
      <Command words={['mintmark', 'agent', 'delegation', id]} />
    </>
  )
}

const Choose = () => {
  const [text, setText] = useState('')
  const { data, error, refetch } = useQuery({
    queryKey: ['search', 'delegation', text],
    queryFn: ({ signal }) =>
      readPage((cursor, aborted) =>
        administration.listAgents({
          query: { ...(text !== '' && { q: text }), limit: AGENTS_SHOWN, cursor },
          signal: aborted,
        }),
      )(undefined, signal),
    placeholderData: kept => kept,
  })
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const first = data?.data[0]
    if (first !== undefined) changeQuery(AGENT, first.agent_id)
  }
  return (
    <>
      <form role="search" aria-label="Agent" onSubmit={send}>
        <input
          type="search"
          aria-label="Agent by name or id"
          placeholder="The beginning of a name, or an id"
          autoComplete="off"
          spellCheck={false}
          maxLength={100}
          className="wide"
          onChange={event => setText(event.target.value.trim())}
        />
      </form>
      {error !== null && <Fault fault={error} onAgain={() => void refetch()} />}
      <ul className="peers sheet">
        {data?.data.map(({ agent_id: id, name, owner }) => (
          <li key={id}>
            <Link to={delegationOf(id)}>{name}</Link> <span className="quiet">{owner}</span>
          </li>
        ))}
      </ul>
      {data?.data.length === 0 && <p className="quiet">No agent has a name that begins so.</p>}
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
