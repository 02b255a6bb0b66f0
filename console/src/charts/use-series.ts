// What is asked for and refused over time, of all agents or of one, and over what time the reader wants it.
import { useQuery } from '@tanstack/react-query'
import { type SeriesWindow, SERIES_WINDOW_NAMES } from '../../../api/values/usage.ts'
import { useAddress } from '../address.ts'
import { liveChoice } from '../reading/live-choice.ts'
import { administration } from '../reading/service.ts'

/** While nothing of the stream says that it changed. */
export const REFRESH_MS = 10_000

/** The member of the address that says over what time. */
export const OVER = 'over'

export const useWindow = (): SeriesWindow => {
  const asked = useAddress().query.get(OVER)
  return SERIES_WINDOW_NAMES.find(name => name === asked) ?? '1h'
}

export const useSeries = (over: SeriesWindow, agentId: string | undefined) =>
  useQuery({
    queryKey: ['usage', 'series', over, agentId],
    queryFn: ({ signal }) => administration.showUsageSeries({ query: { over, agent_id: agentId }, signal }),
    refetchInterval: liveChoice.use() === 'live' && REFRESH_MS,
    placeholderData: before => before,
  })
