// What would end with the tokens that were chosen: themselves, as far as they are live, and all that was got for them.
import type { AgentHit } from '../acts/progress.ts'
import type { TokenRecord } from '../../../packages/client/src/index.ts'

type Member = Pick<TokenRecord, 'id' | 'parent_id' | 'depth'>

export type ChosenPlan<Token extends Member = TokenRecord> = {
  /** The chosen tokens that are live. */
  readonly chosen: readonly Token[]
  /** Live tokens that were got for those, or for one that was. */
  readonly below: readonly Token[]
  /** False where a tree is longer than a page, so that more tokens end. */
  readonly isExact: boolean
}

/** How many of these tokens each agent holds, the one with most first. */
export const countByAgent = (tokens: readonly Pick<TokenRecord, 'agent_id' | 'agent_name'>[]): readonly AgentHit[] =>
  [...Map.groupBy(tokens, ({ agent_id: id }) => id)]
    .map(([id, all]) => ({ agent_id: id, name: all[0]?.agent_name ?? null, tokens: all.length }))
    .toSorted((a, b) => b.tokens - a.tokens)

export type TreeRead<Token> = {
  /** The newest live members of a tree, as many as a page has. */
  readonly newest: readonly Token[]
  readonly isWhole: boolean
}

/** What the service is asked. */
export type ReadTokens<Token> = {
  readonly tree: (root: string) => Promise<TreeRead<Token>>
  /** Returns undefined if the token has ended. */
  readonly live: (id: string) => Promise<Token | undefined>
}

/** A live token has no ancestor that is ended: what was got for the chosen is reached through live tokens. */
export const planAmong = <Token extends Member>(
  ids: ReadonlySet<string>,
  live: readonly Token[],
): Omit<ChosenPlan<Token>, 'isExact'> => {
  const reached = new Set(live.filter(({ id }) => ids.has(id)).map(({ id }) => id))
  const ofDepth = live.toSorted((a, b) => a.depth - b.depth)
  for (const { id, parent_id: parent } of ofDepth) if (parent !== null && reached.has(parent)) reached.add(id)
  const ending = live.filter(({ id }) => reached.has(id))
  return { chosen: ending.filter(({ id }) => ids.has(id)), below: ending.filter(({ id }) => !ids.has(id)) }
}

/** Reads each tree once. Of a tree longer than a page only the newest tokens are read: chosen ones that are older are read singly. */
export const planOf = async <Token extends Member & { readonly root_id: string | null }>(
  asked: readonly Token[],
  read: ReadTokens<Token>,
): Promise<ChosenPlan<Token>> => {
  const live = new Map<string, Token>()
  let isExact = true
  for (const [root, ofTree] of Map.groupBy(asked, ({ root_id: rootId, id }) => rootId ?? id)) {
    const { newest, isWhole } = await read.tree(root)
    for (const token of newest) live.set(token.id, token)
    if (isWhole) continue
    isExact = false
    for (const { id } of ofTree.filter(token => !live.has(token.id))) {
      const token = await read.live(id)
      if (token !== undefined) live.set(id, token)
    }
  }
  return { ...planAmong(new Set(asked.map(({ id }) => id)), [...live.values()]), isExact }
}

/** Whether more would end now than a plan has that was exact: one that was not names not all that end with the chosen. */
export const isOutgrown = <Token extends Member>(plan: ChosenPlan<Token>, now: ChosenPlan<Token>): boolean => {
  if (!plan.isExact) return false
  const planned = new Set([...plan.chosen, ...plan.below].map(({ id }) => id))
  return !now.isExact || [...now.chosen, ...now.below].some(({ id }) => !planned.has(id))
}

/** By it the note is kept, whichever tokens they are. */
export const END_CHOSEN = 'end chosen tokens'
