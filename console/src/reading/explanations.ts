// Why a token is active or not: asked by its id, or by its text, which goes to the service in a body and is kept nowhere.
import type { QueryClient } from '@tanstack/react-query'
import type { ExplainTokenAnswer } from '../../../packages/client/src/index.ts'
import { administration } from './service.ts'

/** The key, in place of an id, of the explanation of a text that is no token of this service. */
export const PASTED = 'pasted'

export const explanationKey = (id: string) => ['explanation', id] as const

export const explainId = (id: string, signal: AbortSignal): Promise<ExplainTokenAnswer> =>
  administration.explainToken({ path: { id }, signal })

/** Keeps the answer, not the text, for the panel; returns the id by which the panel finds it. */
export const explainText = async (queryClient: QueryClient, token: string): Promise<string> => {
  const answer = await administration.explainTokenText({ body: { token } })
  const isExact = answer.checks.every(({ check, outcome }) => check !== 'spelling' || outcome === 'passed')
  const id = answer.token === null || !isExact ? PASTED : answer.token.id
  queryClient.setQueryData(explanationKey(id), answer)
  return id
}
