// One row of a table of records: opened by a click or Enter, chosen by its box or the space bar.
import type { KeyboardEvent } from 'react'
import { type Column, classOf } from './column.ts'

type RecordRowProps<Row> = {
  readonly columns: readonly Column<Row>[]
  readonly row: Row
  readonly index: number
  readonly isOpen: boolean
  /** It is not in the list any more; it stays in sight until the reader asks for the newest. */
  readonly isGone: boolean
  /** One row of a table is reached by Tab, the others from there. */
  readonly isReachable: boolean
  /** Undefined where rows cannot be chosen. */
  readonly isChosen: boolean | undefined
  readonly onToggle: (isRange: boolean) => void
  readonly onOpen: () => void
  readonly onFocus: () => void
}

/** Moves the focus to the next row, if there is one: the space above and below the rows has no tabindex. */
export const moveToRow = (from: Element | null, step: 'next' | 'previous'): void => {
  const to = step === 'next' ? from?.nextElementSibling : from?.previousElementSibling
  if (to instanceof HTMLElement && to.hasAttribute('tabindex')) to.focus()
}

export const RecordRow = <Row,>(props: RecordRowProps<Row>) => {
  const { columns, row, index, isOpen, isGone, isReachable, isChosen, onToggle, onOpen, onFocus } = props
  const actions: Readonly<Record<string, (event: KeyboardEvent<HTMLTableRowElement>) => void>> = {
    ArrowDown: event => moveToRow(event.currentTarget, 'next'),
    ArrowUp: event => moveToRow(event.currentTarget, 'previous'),
    Enter: onOpen,
    ...(isChosen !== undefined && { ' ': event => onToggle(event.shiftKey) }),
  }
  return (
    <tr
      className={isGone ? 'gone' : undefined}
      aria-rowindex={index + 2}
      aria-current={isOpen ? 'true' : undefined}
      tabIndex={isReachable ? 0 : -1}
      onClick={onOpen}
      onFocus={onFocus}
      onKeyDown={event => {
        const action = event.target === event.currentTarget ? actions[event.key] : undefined
        if (action === undefined) return
        event.preventDefault()
        action(event)
      }}
    >
      {isChosen !== undefined && (
        <td className="box" onClick={event => event.stopPropagation()}>
          <input
            type="checkbox"
            aria-label={`Choose row ${index + 1}`}
            tabIndex={-1}
            checked={isChosen}
            readOnly
            onClick={event => onToggle(event.shiftKey)}
          />
        </td>
      )}
      {columns.map(column => (
        <td key={column.title} className={classOf(column)}>
          {column.show(row)}
        </td>
      ))}
    </tr>
  )
}
