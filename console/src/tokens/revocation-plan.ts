// A revocation of many tokens in two steps: what would end, and its end.
import { administration } from '../reading/service.ts'
import type { Conditions } from './revocation-of.ts'

export type Plan = {
  readonly conditions: Conditions
  readonly tokens: number
  /** False where `tokens` is a lower bound. */
  readonly isExact: boolean
  /** The id of the coming revocation: sent a second time it ends nothing more. */
  readonly id: string
  /** Of the agent whose tokens end, where that is a condition. */
  readonly agentName: string | undefined
  /** What ends is what was counted, and no more. */
  readonly planId: string
}

export const planRevocation = async (conditions: Conditions): Promise<Plan> => {
  const answer = await administration.createRevocation({ body: { ...conditions, dry_run: true } })
  if (!('dry_run' in answer)) throw new Error('The service ended tokens where it was asked to count them.')
  return {
    conditions,
    tokens: answer.tokens,
    isExact: answer.tokens_exact,
    id: crypto.randomUUID(),
    agentName: answer.sample.find(({ agent_id: agent }) => agent === conditions.agent_id)?.agent_name ?? undefined,
    planId: answer.plan_id,
  }
}

type CarriedOut = {
  /** Whether those end, too, that were issued since the plan. */
  readonly isOpen: boolean
  readonly note?: string
}

export const carryOut = async ({ conditions, id, planId }: Plan, { isOpen, ...note }: CarriedOut) => {
  const body = { ...conditions, id, ...(!isOpen && { plan_id: planId }), ...note }
  const answer = await administration.createRevocation({ body })
  if ('dry_run' in answer) throw new Error('The service counted tokens where it was asked to end them.')
  return answer
}
