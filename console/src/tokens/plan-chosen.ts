// Reads what would end with chosen tokens.
import type { TokenRecord } from '../../../packages/client/src/index.ts'
import { PAGE_RECORDS_MAX } from '../../../api/values/lists.ts'
import { readPage } from '../reading/read-page.ts'
import { administration } from '../reading/service.ts'
import { type ChosenPlan, planOf, type ReadTokens } from './chosen-plan.ts'

const readWith = (signal: AbortSignal): ReadTokens<TokenRecord> => {
  const readNewest = (root: string) =>
    readPage((cursor, aborted) =>
      administration.listTokens({ query: { root_id: root, limit: PAGE_RECORDS_MAX, cursor }, signal: aborted }),
    )(undefined, signal)
  return {
    tree: async root => {
      const { data, next_cursor: next } = await readNewest(root)
      return { newest: data, isWhole: next === null }
    },
    live: async id => {
      const token = await administration.showToken({ path: { id }, signal })
      return token.state === 'active' ? token : undefined
    },
  }
}

export const planChosen = (chosen: readonly TokenRecord[], signal: AbortSignal): Promise<ChosenPlan> =>
  planOf(chosen, readWith(signal))
