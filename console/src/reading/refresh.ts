// After an act: what is shown is read anew, but for what does not change by it. What came of the act is said meanwhile.
import type { InfiniteData, Query, QueryClient } from '@tanstack/react-query'

/** They are of the moment in which they were asked for, or change by no act of this page. */
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
