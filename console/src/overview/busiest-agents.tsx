// In this folder: parts of the overview: the state of the service, busy agents, refusals, what expires, verifiers.
// The agents by the tokens that they got in the last minute: a runaway one stands first.
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { ListAgentUsageAnswer } from '../../../packages/client/src/index.ts'
import { addressOf } from '../address.ts'
import { StopAgent } from '../acts/stop-agent.tsx'
import { Command } from '../parts/command.tsx'
import { formatCount, formatNumber } from '../parts/format-number.ts'
import { Link } from '../parts/link.tsx'
import { Time } from '../parts/time.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useRefreshMs } from '../reading/live-stream.ts'
import { administration } from '../reading/service.ts'
import { keepOrder } from './keep-order.ts'

type Busy = ListAgentUsageAnswer['data'][number]

const AGENTS_SHOWN = 5
const REFRESH_MS = 2_000
/** Rates fall by themselves. */
const REFRESH_WITH_STREAM_MS = 5_000

const Row = ({ agent }: { readonly agent: Busy }) => (
  <tr>
    <th scope="row">
      <Link to={addressOf('tokens', new URLSearchParams({ agent_id: agent.agent_id }))}>{agent.name}</Link>
    </th>
    <td>{agent.owner ?? <span className="quiet">nobody</span>}</td>
    <td className="number">{formatNumber(agent.tokens_last_minute)}</td>
    <td className="number">{formatNumber(agent.tokens_last_hour)}</td>
    <td className="number">{formatNumber(agent.tokens_last_day)}</td>
    <td className="number">{formatCount(agent.live_tokens)}</td>
    <td className="number">{formatNumber(agent.refusals)}</td>
    <td>{agent.last_issued_at === null ? '' : <Time at={agent.last_issued_at} />}</td>
    <td className="act">
      {agent.state === 'active' ? (
        <StopAgent id={agent.agent_id} name={agent.name} look="dangerous" />
      ) : (
        <span className="state ended">{agent.state}</span>
      )}
    </td>
  </tr>
)

const idOf = (agent: Busy): string => agent.agent_id

/** The rows, in an order that does not change while the pointer or the focus is in the table; and what notices both. */
const useCalmOrder = (newest: readonly Busy[]) => {
  const [isPointed, setPointed] = useState(false)
  const order = useRef<readonly string[]>([])
  const rows = isPointed ? keepOrder(order.current, newest, idOf) : newest
  order.current = rows.map(idOf)
  const [enter, leave] = [() => setPointed(true), () => setPointed(false)]
  return { rows, pointed: { onPointerEnter: enter, onPointerLeave: leave, onFocus: enter, onBlur: leave } }
}

export const BusiestAgents = () => {
  const query = useQuery({
    queryKey: ['usage', 'agents'],
    queryFn: ({ signal }) => administration.listAgentUsage({ query: { limit: AGENTS_SHOWN }, signal }),
    refetchInterval: useRefreshMs(REFRESH_MS, REFRESH_WITH_STREAM_MS),
  })
  const { data } = query
  const { rows, pointed } = useCalmOrder(data?.data ?? [])
  const waiting = <Waiting query={query} />
  if (data === undefined) return waiting
  if (data.data.length === 0) {
    return (
      <>
        {waiting}
        <section className="empty">
          <p>No agent asked for a token within the last day.</p>
          <Command words={['mintmark', 'agent', 'create', '--name', 'NAME', '--scope', 'SCOPE']} />
        </section>
      </>
    )
  }
  return (
    <div className="records by-rate" {...pointed}>
      {waiting}
      <table aria-label="Agents by tokens of the last minute">
        <thead>
          <tr>
            <th scope="col">Agent</th>
            <th scope="col">Owner</th>
            <th scope="col" className="number">
              Last minute
            </th>
            <th scope="col" className="number">
              Hour
            </th>
            <th scope="col" className="number">
              Day
            </th>
            <th scope="col" className="number">
              Live
            </th>
            <th scope="col" className="number">
              Refused
            </th>
            <th scope="col">Last token</th>
            <th scope="col">
              <span className="unseen">Acts</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(agent => (
            <Row key={agent.agent_id} agent={agent} />
          ))}
        </tbody>
      </table>
    </div>
  )
}
