// A list as a table reads it: page after page, and what is new meanwhile.
import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Page } from './page.ts'
import { pageWithRows } from './read-page.ts'
import { type Changes, compareRows, NO_CHANGES } from './changes.ts'
import { liveChoice } from './live-choice.ts'
import { useRefreshMs } from './live-stream.ts'

/** The time between two refreshes. A hidden tab does not refresh; with a stream only what ends by itself needs them. */
const REFRESH_MS = 2_000
const REFRESH_WITH_STREAM_MS = 15_000

type Asked<Row> = {
  /** Names what is read; another name reads anew. */
  readonly queryKey: readonly unknown[]
  readonly read: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Row>>
  readonly idOf: (row: Row) => string
  readonly isLive: boolean
  readonly refreshMs: number | undefined
}

export type ReadList<Row> = {
  readonly rows: readonly Row[]
  readonly error: Error | null
  /** Why the last try failed, while further tries follow. */
  readonly failureReason: Error | null
  readonly isPending: boolean
  readonly isPart: boolean
  readonly hasNextPage: boolean
  readonly isFetchingNextPage: boolean
  readonly readMore: () => void
  readonly readAgain: () => void
  readonly changes: Changes
  /** Puts the newest page in the place of what is shown. */
  readonly showNewest: () => void
}

export const useList = <Row>({ queryKey, read, idOf, isLive, refreshMs }: Asked<Row>): ReadList<Row> => {
  const queryClient = useQueryClient()
  const isUnpaused = liveChoice.use() === 'live'
  const isLooking = isUnpaused && isLive
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => pageWithRows(read, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: Page<Row>) => page.next_cursor ?? undefined,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    refetchInterval: isUnpaused && (refreshMs ?? false),
  })
  const { data, dataUpdatedAt, hasNextPage, isFetchingNextPage } = list
  const rows = data?.pages.flatMap(page => page.data) ?? []
  const first = data?.pages[0]
  // Of two answers the later one counts, whichever of the two queries got it.
  const firstReadAt = useMemo(() => (first === undefined ? 0 : Date.now()), [first])
  const { data: newest, dataUpdatedAt: newestReadAt } = useQuery({
    queryKey: ['newest', ...queryKey],
    queryFn: ({ signal }) => read(undefined, signal),
    enabled: isLooking && first !== undefined,
    initialData: first,
    initialDataUpdatedAt: dataUpdatedAt,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: useRefreshMs(REFRESH_MS, REFRESH_WITH_STREAM_MS),
    // A list that cannot be looked at now is still a list.
    retry: false,
  })
  const changes =
    isLooking && newest !== undefined && newestReadAt >= firstReadAt
      ? compareRows({ known: rows, isWhole: !hasNextPage, newest, idOf })
      : NO_CHANGES
  return {
    rows,
    error: list.error,
    failureReason: list.failureReason,
    isPending: list.isPending,
    isPart: first?.isPart === true,
    hasNextPage,
    isFetchingNextPage,
    readMore: () => {
      if (hasNextPage && !isFetchingNextPage) void list.fetchNextPage()
    },
    readAgain: () => void list.refetch(),
    changes,
    showNewest: () => {
      if (newest === undefined) return
      queryClient.setQueryData<InfiniteData<Page<Row>>>(queryKey, { pages: [newest], pageParams: [undefined] })
    },
  }
}
