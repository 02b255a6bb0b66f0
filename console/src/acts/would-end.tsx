// How many live tokens an act ends, what goes with them, and who asked about them lately: before it is done.
import type { AgentHit } from './progress.ts'
import { useQuery } from '@tanstack/react-query'
import { NamedAgent } from '../parts/agent-name.tsx'
import { formatNumber } from '../parts/format-number.ts'
import { readPage } from '../reading/read-page.ts'
import { administration } from '../reading/service.ts'
import { serviceNow } from '../reading/service-clock.ts'
import { gatherByKey } from '../reading/gather-uses.ts'

export type Ends = {
  readonly tokens: number
  /** Live tokens beside those that were got for them. */
  readonly descendants: number
  /** Whose those are, the one with most first; a long list may be cut. */
  readonly descendant_agents?: readonly AgentHit[]
  /** False: at least so many. */
  readonly exact: boolean
}

const HOUR_MS = 3_600_000
const ROWS_READ = 200
const KEYS_NAMED = 3

const AskedBy = ({ agentId }: { readonly agentId: string }) => {
  const { data, isError } = useQuery({
    queryKey: ['asked-by', agentId],
    queryFn: ({ signal }) => {
      const since = new Date(serviceNow() - HOUR_MS).toISOString()
      return readPage((cursor, aborted) =>
        administration.listUses({ query: { agent_id: agentId, since, limit: ROWS_READ, cursor }, signal: aborted }),
      )(undefined, signal)
    },
    gcTime: 0,
    retry: false,
  })
  if (isError) return <p className="quiet">Who asked about its tokens cannot be read now.</p>
  if (data === undefined) return null
  const keys = gatherByKey(data.data)
  if (keys.length === 0) return <p>Nobody asked about its tokens in the last hour.</p>
  const named = keys.slice(0, KEYS_NAMED).map(({ name, introspections, uses }) => `${name} (${introspections + uses})`)
  const more = keys.length - named.length
  return (
    <p>
      Asked about its tokens in the last hour{data.next_cursor === null ? '' : ', at least'}: {named.join(', ')}
      {more > 0 && ` and ${more} more`}.
    </p>
  )
}

const tokensOf = (count: number): string => `${formatNumber(count)} live ${count === 1 ? 'token' : 'tokens'}`

/** Such as `12 live tokens, with 3 that were got for them`. */
export const formatEnds = ({ tokens, descendants, exact }: Ends): string => {
  const least = exact ? '' : 'at least '
  const were = descendants === 1 ? 'was' : 'were'
  const beside = descendants === 0 ? '' : `, with ${formatNumber(descendants)} that ${were} got for them`
  return `${least}${tokensOf(tokens)}${beside}`
}

export const AgentsHit = ({ of: agents }: { readonly of: readonly AgentHit[] }) => (
  <ul className="plan">
    {agents.map(({ agent_id: id, name, tokens }) => (
      <li key={id}>
        <NamedAgent id={id} name={name} />{' '}
        <span className="quiet">
          {formatNumber(tokens)} {tokens === 1 ? 'token' : 'tokens'}
        </span>
      </li>
    ))}
  </ul>
)

/** Which other agents lose tokens: those that were got for the tokens that end. */
const EndWithThem = ({ ends: { descendants, descendant_agents: agents = [], exact } }: { readonly ends: Ends }) => {
  if (agents.length === 0) return null
  const named = agents.reduce((sum, { tokens }) => sum + tokens, 0)
  return (
    <>
      <p>What was got for them is held by{(named < descendants || !exact) && ', among others'}:</p>
      <AgentsHit of={agents} />
    </>
  )
}

type WouldEndProps = {
  readonly ends: Ends | undefined
  readonly isUncounted: boolean
  /** The agent whose tokens they are, where it is one. */
  readonly agentId?: string | undefined
}

export const WouldEnd = ({ ends, isUncounted, agentId }: WouldEndProps) => (
  <>
    {ends === undefined ? (
      <p className="quiet">{isUncounted ? 'How many tokens end cannot be counted now.' : 'Counting…'}</p>
    ) : (
      <>
        <p>
          Now this ends <strong>{formatEnds(ends)}</strong>.{isUncounted && ' It cannot be counted again right now.'}
        </p>
        <EndWithThem ends={ends} />
      </>
    )}
    {agentId !== undefined && <AskedBy agentId={agentId} />}
  </>
)
