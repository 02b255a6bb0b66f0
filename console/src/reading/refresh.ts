// After an act the page reads again what the act may have changed. The outcome of the act is shown meanwhile.
import type { InfiniteData, Query, QueryClient } from '@tanstack/react-query'

/** Queries that an act does not make stale: they belong to the moment of their request, or no act of this page changes them. */
const UNTOUCHED: readonly unknown[] = [
  'session',
  'metadata',
  'newest',
  'revocation-plan',
  'plan',
  'change-ends',
  'would-end',
  'asked-by',
  'agent-names',
  'search',
]

/** A list that was read far is left as it is: what is new or gone shows in it by itself. */
const isLong = (data: unknown): boolean =>
  typeof data === 'object' && data !== null && 'pages' in data && (data as InfiniteData<unknown>).pages.length > 1

const isTouched = ({ queryKey, state }: Query): boolean => !UNTOUCHED.includes(queryKey[0]) && !isLong(state.data)

export const refresh = (queryClient: QueryClient): void => void queryClient.invalidateQueries({ predicate: isTouched })
