// Ends chosen tokens one after the other, where no more would end than an exact plan shows.
import { administration } from '../reading/service.ts'
import { type ChosenPlan, isOutgrown } from './chosen-plan.ts'
import { planChosen } from './plan-chosen.ts'

export type Failure = { readonly id: string; readonly message: string }

export type Progress = { readonly done: number; readonly of: number; readonly failures: readonly Failure[] }

type EndEach = {
  readonly plan: ChosenPlan
  readonly note: string
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
  onProgress({ done: 0, of, failures: [] })
  for (const [index, { id }] of plan.chosen.entries()) {
    if (signal.aborted) return
    try {
      await administration.revokeTokenById({ path: { id }, body: { ...(note !== '' && { note }) } })
    } catch (fault) {
      failures.push({ id, message: fault instanceof Error ? fault.message : String(fault) })
    }
    onProgress({ done: index + 1, of, failures: [...failures] })
  }
}
