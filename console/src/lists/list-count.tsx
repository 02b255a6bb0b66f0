// How many records match, beside the title of a list: up to a bound, so that it costs no more than a page.
import { useQuery } from '@tanstack/react-query'
import type { Count } from '../../../packages/client/src/index.ts'
import { liveChoice } from '../reading/live-choice.ts'
import type { Query } from '../reading/page.ts'
import { formatCount } from '../parts/format-number.ts'

export type CountRecords = (query: Query, signal: AbortSignal) => Promise<Count>

const REFRESH_MS = 10_000

type ListCountProps = { readonly name: string; readonly query: Query; readonly ask: CountRecords }

export const ListCount = ({ name, query, ask }: ListCountProps) => {
  const { data } = useQuery({
    queryKey: ['count', name, query],
    queryFn: ({ signal }) => ask(query, signal),
    refetchInterval: liveChoice.use() === 'live' && REFRESH_MS,
    // A list without its count is still a list, and says what is wrong by itself.
    retry: false,
  })
  if (data === undefined) return null
  const text = formatCount(data)
  return (
    <span className="count" title={data.exact ? undefined : `At least ${text.slice(0, -1)}: beyond, none is counted.`}>
      {text}
    </span>
  )
}
