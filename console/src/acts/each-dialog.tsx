// The dialog of an act on each of the chosen: it plans before it asks, and its title says what became of it.
import * as Dialog from '@radix-ui/react-dialog'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Waiting } from '../parts/waiting.tsx'
import { eachCommand } from './each-command.ts'
import { EachForm, type EachFormProps } from './each-form.tsx'

export type ChosenProps = {
  /** What it asks. */
  readonly title: string
  /** Called with those that are left once they were asked for. */
  readonly onOver: (left: readonly string[]) => void
}

type EachDialogProps<Plan> = ChosenProps &
  Pick<EachFormProps, 'name' | 'submit' | 'deed' | 'ask'> & {
    readonly about: string
    /** Those for which it plans. */
    readonly chosen: readonly string[]
    readonly makePlan: (signal: AbortSignal) => Promise<Plan>
    readonly describePlan: (plan: Plan) => ReactNode
    /** Those of the plan that are asked for. */
    readonly idsOf: (plan: Plan) => readonly string[]
    /** The shell command for one of them, without its id. */
    readonly command: string
    /** Throws where none may be asked for. */
    readonly check?: (plan: Plan, signal: AbortSignal) => Promise<void>
  }

/** The question, until those that are left are known. */
const titleOf = (left: readonly string[] | undefined, title: string, deed: string): string => {
  if (left === undefined) return title
  return left.length === 0 ? `All were ${deed}` : `Not all were ${deed}`
}

export const EachDialog = <Plan,>(props: EachDialogProps<Plan>) => {
  const { title, onOver, about, chosen, makePlan, describePlan, idsOf, command, check, ...form } = props
  const [left, setLeft] = useState<readonly string[]>()
  const query = useQuery({
    queryKey: ['plan', form.name, chosen],
    queryFn: ({ signal }) => makePlan(signal),
    // A plan is of the moment in which it was asked for.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { data: plan, refetch, dataUpdatedAt } = query
  const ids = plan === undefined ? [] : idsOf(plan)
  return (
    <>
      <Dialog.Title aria-live="polite">{titleOf(left, title, form.deed)}</Dialog.Title>
      <Dialog.Description>{about}</Dialog.Description>
      <Waiting query={query} />
      {plan !== undefined && (
        <EachForm
          {...form}
          key={dataUpdatedAt}
          commandOf={options => eachCommand(command, ids, options)}
          ids={ids}
          check={signal => check?.(plan, signal) ?? Promise.resolve()}
          onOver={rest => {
            setLeft(rest)
            onOver(rest)
          }}
          onAgain={() => {
            setLeft(undefined)
            void refetch()
          }}
        >
          {describePlan(plan)}
        </EachForm>
      )}
    </>
  )
}
