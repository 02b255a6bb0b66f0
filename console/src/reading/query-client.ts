// What was read lately, and what is asked for: whether a session goes on is seen by each answer.
import { QueryClient } from '@tanstack/react-query'
import { ApiRefused } from '../../../packages/client/src/administration/api-errors.ts'

export const SESSION_KEY = ['session'] as const

const TRIES_MAX = 3

/** Where the browser says that it is offline, the service may be on this machine; and an act that cannot be sent now must not be sent later. */
const NETWORK_MODE = 'always'

const isLost = (fault: unknown): boolean => fault instanceof ApiRefused && fault.status === 401

/** A session that ended elsewhere shows at the next request: then the page asks who is signed in. */
export const makeQueryClient = (): QueryClient => {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        networkMode: NETWORK_MODE,
        refetchOnReconnect: true,
        staleTime: 5_000,
        retry: (count, fault) => !(fault instanceof ApiRefused) && count < TRIES_MAX,
        throwOnError: false,
      },
      mutations: { networkMode: NETWORK_MODE },
    },
  })
  const onFault = (fault: unknown): void => {
    if (isLost(fault)) void client.invalidateQueries({ queryKey: SESSION_KEY })
  }
  client.getQueryCache().subscribe(({ query, type }) => {
    if (type === 'updated' && query.state.status === 'error') onFault(query.state.error)
  })
  client.getMutationCache().subscribe(({ mutation }) => {
    if (mutation?.state.status === 'error') onFault(mutation.state.error)
  })
  return client
}
