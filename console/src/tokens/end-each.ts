// Ends chosen tokens one after the other, where no more would end than an exact plan shows.
import { administration } from '../reading/service.ts'
import { type ChosenPlan, isOutgrown } from './chosen-plan.ts'
import { planChosen } from './plan-chosen.ts'
import { type Failure, failureOf, type Progress } from './progress.ts'

type EndEach = {
  readonly plan: ChosenPlan
  readonly note: { readonly note?: string }
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
}

/** Throws, and has ended none, where more would end by now than an exact plan has. Stops at the next token where it is aborted. */
export const endEach = async ({ plan, note, signal, onProgress }: EndEach): Promise<void> => {
  if (isOutgrown(plan, await planChosen(plan.chosen, signal))) {
    throw new Error('More would end than the plan has. None was ended.')
  }
  const of = plan.chosen.length
  const failures: Failure[] = []
  let since: string | undefined
  onProgress({ done: 0, of, failures: [] })
  for (const [index, { id }] of plan.chosen.entries()) {
    if (signal.aborted) return
    try {
      const ended = await administration.revokeTokenById({ path: { id }, body: note })
      since ??= ended.ended_at ?? undefined
    } catch (fault) {
      failures.push(failureOf(id, fault))
    }
    onProgress({ done: index + 1, of, failures: [...failures], since })
  }
}
