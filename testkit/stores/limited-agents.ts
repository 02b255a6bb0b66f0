// Agents with limits, and what the store answers to their requests for tokens.
import type { AgentLimits } from '../../api/values/limits.ts'
import type { TokenAddress } from '../../server/src/domain/ledger/claims.ts'
import type { InsertOutcome, LimitReached } from '../../server/src/ports/ports.ts'
import { createAgent, newTokens, type TestAgent, type TestedStore, type TokenWish } from './store.ts'

export const limited = (store: TestedStore, limits: Partial<AgentLimits>, lifetimeSeconds: number | null = null) =>
  createAgent(store, lifetimeSeconds, limits)

export type Asked = {
  readonly outcomes: readonly InsertOutcome[]
  /** The tokens that were written, in the order asked for. */
  readonly got: readonly TokenAddress[]
}

/** Asks for tokens in one group. */
export const ask = async (store: TestedStore, agent: TestAgent, count = 1, wish: TokenWish = {}): Promise<Asked> => {
  const tokens = await newTokens(
    store,
    agent,
    Array.from({ length: count }, () => wish),
  )
  const outcomes = (await store.ledger.insert(tokens)).map(outcome => {
    if (outcome instanceof Error) throw outcome
    return outcome
  })
  const written = tokens.filter((_, n) => outcomes[n] === 'inserted')
  return { outcomes, got: written.map(({ id, lifetimeSeconds }) => ({ id, lifetimeSeconds })) }
}

/** `granted` tokens, and then a refusal of each of the others. */
export const upTo = (granted: number, refused: number, reached: LimitReached): readonly InsertOutcome[] => [
  ...Array.from({ length: granted }, () => 'inserted' as const),
  ...Array.from({ length: refused }, () => reached),
]
