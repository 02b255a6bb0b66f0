// Where a token is used: which resource servers presented it after its end, and which take the tokens of its agent.
import { useQuery } from '@tanstack/react-query'
import type { ListUsesRecord, TokenRecord } from '../../../packages/client/src/index.ts'
import { Command } from '../parts/command.tsx'
import { Fault } from '../parts/fault.tsx'
import { formatNumber } from '../parts/format-number.ts'
import { Time } from '../parts/time.tsx'
import { useRefreshMs } from '../reading/live-stream.ts'
import { readPage } from '../reading/read-page.ts'
import { administration } from '../reading/service.ts'
import { gatherByKey } from '../reading/gather-uses.ts'

/** Rows of a minute and an API key each: the newest, gathered by API key. */
const MINUTES_READ = 200
const LATE_SHOWN = 20
/** The stream of changes does not report uses. */
const REFRESH_MS = 5_000

const AfterEnd = ({ id }: { readonly id: string }) => {
  const { data, error, refetch } = useQuery({
    queryKey: ['uses-after-end', id],
    refetchInterval: useRefreshMs(REFRESH_MS, REFRESH_MS),
    queryFn: ({ signal }) =>
      readPage((cursor, aborted) =>
        administration.listUsesAfterEnd({ query: { token_id: id, limit: LATE_SHOWN, cursor }, signal: aborted }),
      )(undefined, signal),
  })
  if (error !== null) return <Fault fault={error} onAgain={() => void refetch()} />
  if (data === undefined) return null
  if (data.data.length === 0) return <p className="quiet">Nobody presented it after its end.</p>
  return (
    <ul className="uses">
      {data.data.map(use => (
        <li key={use.api_key_id} className="late">
          <bdi>{use.api_key_name}</bdi> asked {formatNumber(use.count)} {use.count === 1 ? 'time' : 'times'} after its
          end: last <Time at={use.last_used_at} />
        </li>
      ))}
    </ul>
  )
}

const OfAgent = ({ agentId }: { readonly agentId: string }) => {
  const { data, error, refetch } = useQuery({
    queryKey: ['uses', agentId],
    refetchInterval: useRefreshMs(REFRESH_MS, REFRESH_MS),
    queryFn: ({ signal }) =>
      readPage<ListUsesRecord>((cursor, aborted) =>
        administration.listUses({ query: { agent_id: agentId, limit: MINUTES_READ, cursor }, signal: aborted }),
      )(undefined, signal),
  })
  if (error !== null) return <Fault fault={error} onAgain={() => void refetch()} />
  if (data === undefined) return null
  if (data.data.length === 0) return <p className="quiet">No resource server asked about tokens of its agent.</p>
  return (
    <ul className="uses" aria-label="Where the tokens of its agent are used">
      {gatherByKey(data.data).map(({ key, name, introspections, afterEnd, uses, last }) => (
        <li key={key}>
          <bdi>{name}</bdi>{' '}
          <span className="quiet">
            {formatNumber(introspections)} introspected
            {afterEnd > 0 && `, ${formatNumber(afterEnd)} after an end`}
            {uses > 0 && `, ${formatNumber(uses)} accepted from the feed`} · <Time at={last} />
          </span>
        </li>
      ))}
    </ul>
  )
}

type TokenUsesProps = { readonly token: Pick<TokenRecord, 'id' | 'agent_id'>; readonly isEnded: boolean }

export const TokenUses = ({ token: { id, agent_id: agentId }, isEnded }: TokenUsesProps) => (
  <section>
    <h3>Its use</h3>
    {isEnded && <AfterEnd id={id} />}
    <h4>Tokens of its agent</h4>
    <OfAgent agentId={agentId} />
    <Command words={isEnded ? ['mintmark', 'usage', '--token-id', id] : ['mintmark', 'usage', '--agent', agentId]} />
  </section>
)
