// Above a table: how many rows are chosen, and what is done with them together.
import type { ReactNode } from 'react'
import { openAct } from '../acts/open-act.ts'
import { RoleContext, useRole } from '../reading/role.ts'
import type { Selection } from '../reading/selection.ts'

/** Each is asked for by a request of its own. */
export const CHOSEN_MAX = 100

/** The question about what was chosen; `onOver` is called with the ids of what is left of it, once it was asked for. */
export type ChosenAct = {
  readonly title: string
  readonly name: string
  readonly content: (onOver: (left: readonly string[]) => void) => ReactNode
}

type ChosenBarProps<Row> = {
  readonly selection: Selection<Row>
  /** What rows are chosen for. */
  readonly hint: string
  readonly submit: string
  /** What to do with more than {@link CHOSEN_MAX}. */
  readonly tooMany: string
  readonly actOn: (rows: readonly Row[]) => ChosenAct
}

export const ChosenBar = <Row,>({ selection, hint, submit, tooMany, actOn }: ChosenBarProps<Row>) => {
  const role = useRole()
  const { size } = selection.chosen
  if (size === 0) return <span className="quiet">{hint}</span>
  // The table may be read anew meanwhile; what was chosen stays what it was.
  const open = (): void => {
    const { title, name, content } = actOn([...selection.chosen.values()])
    let rest: readonly string[] | undefined
    const over = (left: readonly string[]): void => {
      rest = left
    }
    openAct({
      title,
      name,
      content: <RoleContext value={role}>{content(over)}</RoleContext>,
      onClose: () => {
        if (rest !== undefined) selection.keep(rest)
      },
    })
  }
  return (
    <>
      <span role="status">{size} chosen</span>
      {size <= CHOSEN_MAX ? (
        <button type="button" className="danger" aria-haspopup="dialog" onClick={open}>
          {submit}
        </button>
      ) : (
        <span className="quiet">{tooMany}</span>
      )}
      <button type="button" onClick={selection.clear}>
        Choose none
      </button>
    </>
  )
}
