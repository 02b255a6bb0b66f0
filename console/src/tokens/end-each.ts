// Ends chosen tokens one after the other, where no more would end than an exact plan shows.
import { askEach } from '../acts/ask-each.ts'
import type { Each } from '../acts/each-form.tsx'
import { administration } from '../reading/service.ts'
import { type ChosenPlan, isOutgrown } from './chosen-plan.ts'
import { planChosen } from './plan-chosen.ts'

/** Throws, and has ended none, where more would end by now than an exact plan has. */
export const endEach = async (plan: ChosenPlan, { note, signal, onProgress }: Each): Promise<void> => {
  if (isOutgrown(plan, await planChosen(plan.chosen, signal))) {
    throw new Error('More would end than the plan has. None was ended.')
  }
  await askEach({
    ids: plan.chosen.map(({ id }) => id),
    ask: async id => (await administration.revokeTokenById({ path: { id }, body: note })).ended_at,
    signal,
    onProgress,
  })
}
