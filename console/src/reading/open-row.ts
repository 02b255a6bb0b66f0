// The open record of a list whose records cannot be asked for one by one: among those that were read.
import { type InfiniteData, useQueryClient } from '@tanstack/react-query'
import type { Page } from './page.ts'

export const useOpenRow = <Row>(name: string, isOpen: (row: Row) => boolean): Row | undefined => {
  const queryClient = useQueryClient()
  const lists = queryClient.getQueriesData<InfiniteData<Page<Row>>>({ queryKey: [name] })
  const rows = lists.flatMap(([, data]) => data?.pages.flatMap(page => page.data) ?? [])
  return rows.find(isOpen)
}
