// The state of the service in figures, which several parts of a page show.
import { useQuery } from '@tanstack/react-query'
import { administration } from './service.ts'

/** Reads it once, or again and again. */
export const useStatus = (refreshMs: number | false = false) =>
  useQuery({
    queryKey: ['status'],
    queryFn: ({ signal }) => administration.showStatus({ signal }),
    refetchInterval: refreshMs,
  })
