// What a change of an agent would end, while its form is filled in.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { type Ends, WouldEnd } from '../acts/would-end.tsx'
import { administration } from '../reading/service.ts'
import type { Change } from './agent-fields.ts'

/** The pause after the last keystroke before the ends are counted, so that not every letter costs a count. */
const PAUSE_MS = 300

export type ChangeEnd = {
  readonly ends: Ends
  /** With what they end; none where it takes nothing away. */
  readonly reasons: readonly string[]
}

const paused = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, PAUSE_MS)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    })
  })

/** Named by the change itself: another one is counted anew. */
export const changeEnds = (id: string, change: Change) =>
  queryOptions({
    queryKey: ['change-ends', id, change],
    queryFn: async ({ signal }): Promise<ChangeEnd> => {
      await paused(signal)
      const body = { ...change, dry_run: true } as const
      const { reasons, ...ends } = (await administration.changeAgent({ path: { id }, body, signal })).ends
      return { ends, reasons }
    },
    enabled: Object.keys(change).length > 0,
    retry: false,
  })

/** Nothing where the service refuses the change: it says so when it is sent. */
export const ChangeEnds = ({ id, change }: { readonly id: string; readonly change: Change }) => {
  const { data, isError, isFetching } = useQuery(changeEnds(id, change))
  if (Object.keys(change).length === 0 || isError) return null
  if (data?.reasons.length === 0 && !isFetching) return <p className="quiet">This ends no token.</p>
  return <WouldEnd ends={data?.ends} isUncounted={false} />
}
