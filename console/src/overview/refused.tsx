// What was refused in the last hour, by agent and reason, and which limits were reached in the last day.
import { useQuery } from '@tanstack/react-query'
import type { SeriesWindow } from '../../../api/values/usage.ts'
import type { ListRefusedRequestsAnswer } from '../../../packages/client/src/index.ts'
import { addressOf } from '../address.ts'
import { NamedAgent } from '../parts/agent-name.tsx'
import { Command } from '../parts/command.tsx'
import { formatNumber } from '../parts/format-number.ts'
import { Link } from '../parts/link.tsx'
import { OPEN } from '../parts/panel.tsx'
import { Time } from '../parts/time.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useRefreshMs } from '../reading/live-stream.ts'
import { administration } from '../reading/service.ts'

type RefusedRequest = ListRefusedRequestsAnswer['data'][number]
type Limit = ListRefusedRequestsAnswer['limits'][number]

const SHOWN = 10
const REFRESH_MS = 5_000
/** Nothing of the stream says that something was refused. */
const REFRESH_WITH_STREAM_MS = 10_000

const useRefusals = (over: SeriesWindow) =>
  useQuery({
    queryKey: ['usage', 'refusals', over],
    queryFn: ({ signal }) => administration.listRefusedRequests({ query: { over, limit: SHOWN }, signal }),
    refetchInterval: useRefreshMs(REFRESH_MS, REFRESH_WITH_STREAM_MS),
  })

type AgentProps = { readonly of: RefusedRequest; readonly isLimit: boolean }

const Agent = ({ of: { agent_id: id, name }, isLimit }: AgentProps) => {
  if (id === null) return <span className="quiet">{isLimit ? 'none' : 'other agents'}</span>
  return (
    <Link to={addressOf('agents', new URLSearchParams({ [OPEN]: id }))}>
      <NamedAgent id={id} name={name} />
    </Link>
  )
}

const Head = ({
  first,
  reason,
  last,
}: {
  readonly first?: string
  readonly reason: string
  readonly last?: string
}) => (
  <thead>
    <tr>
      {first !== undefined && <th scope="col">{first}</th>}
      <th scope="col">{reason}</th>
      <th scope="col" className="number">
        Status
      </th>
      <th scope="col" className="number">
        Refused
      </th>
      <th scope="col">Last</th>
      {last !== undefined && <th scope="col">{last}</th>}
    </tr>
  </thead>
)

const Counted = ({ status, count, last_at: at }: Limit) => (
  <>
    <td className="number">{status ?? 'closed'}</td>
    <td className="number">{formatNumber(count)}</td>
    <td>
      <Time at={at} />
    </td>
  </>
)

/** A limit of the service turns a request away before its agent is known. */
const Refusals = ({ of: { data, limits } }: { readonly of: ListRefusedRequestsAnswer }) => (
  <div className="records">
    <table aria-label="Refusals by agent and reason">
      <Head first="Agent" reason="Reason" />
      <tbody>
        {data.map(one => (
          <tr key={`${one.agent_id} ${one.reason}`}>
            <th scope="row">
              <Agent of={one} isLimit={limits.some(({ reason }) => reason === one.reason)} />
            </th>
            <td>
              <code>{one.reason}</code>
            </td>
            <Counted {...one} />
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const RefusedLately = () => {
  const query = useRefusals('1h')
  const { data } = query
  return (
    <section className="overview-part" aria-label="Refused in the last hour">
      <h2>Refused in the last hour</h2>
      <Waiting query={query} />
      {data?.data.length === 0 && <p className="quiet">Nothing was refused.</p>}
      {data !== undefined && data.data.length > 0 && (
        <>
          <Refusals of={data} />
          {data.data.length === SHOWN && <Command words={['mintmark', 'top', '--refused', '1h']} />}
        </>
      )}
    </section>
  )
}

/** A setting of the service has an upper-case name, and a member of an agent has not. */
const Setting = ({ name }: { readonly name: string }) => (
  <Link
    to={name === name.toUpperCase() ? addressOf('settings', new URLSearchParams({ q: name })) : addressOf('agents')}
  >
    <code>{name}</code>
  </Link>
)

const LimitRow = ({ limit }: { readonly limit: Limit }) => (
  <tr>
    <th scope="row">
      <code>{limit.reason}</code>
    </th>
    <Counted {...limit} />
    <td>
      {limit.settings.length === 0 && <span className="quiet">none</span>}
      {limit.settings.map(name => (
        <div key={name}>
          <Setting name={name} />
        </div>
      ))}
    </td>
  </tr>
)

const LimitsReached = () => {
  const query = useRefusals('24h')
  const { data } = query
  return (
    <section className="overview-part" aria-label="Limits that were reached in the last day">
      <h2>Limits that were reached in the last day</h2>
      <Waiting query={query} />
      {data?.limits.length === 0 && <p className="quiet">No limit was reached.</p>}
      {data !== undefined && data.limits.length > 0 && (
        <div className="records">
          <table aria-label="Limits that were reached">
            <Head reason="Limit" last="Set by" />
            <tbody>
              {data.limits.map(limit => (
                <LimitRow key={limit.reason} limit={limit} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

export const Refused = () => (
  <>
    <RefusedLately />
    <LimitsReached />
  </>
)
