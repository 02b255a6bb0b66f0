// Ends one of chosen tokens, where no more would end than an exact plan shows.
import type { Asked } from '../acts/ask-each.ts'
import { administration } from '../reading/service.ts'
import { type ChosenPlan, isOutgrown } from './chosen-plan.ts'
import { planChosen } from './plan-chosen.ts'

/** Throws where more would end by now than an exact plan has. */
export const refuseOutgrown = async (plan: ChosenPlan, signal: AbortSignal): Promise<void> => {
  if (isOutgrown(plan, await planChosen(plan.chosen, signal)))
    throw new Error('More would end than the plan has. Nothing was sent.')
}

export const endOne = async (id: string, body: { readonly note?: string }): Promise<Asked> => {
  const { ended_at: at, changed } = await administration.revokeTokenById({ path: { id }, body })
  return { at, isDoneNow: changed }
}
