// A text field with a list of what was found for it: the combobox of the ARIA Authoring Practices, moved through by arrows.
import { type InputHTMLAttributes, type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react'

export type Option = {
  /** Distinguishes it in its list. */
  readonly key: string
  /** What it is, where the list has several kinds. */
  readonly kind?: string
  readonly name: string
  /** What stands beside the name. */
  readonly more: string
}

type ComboboxProps<Of extends Option> = {
  readonly field: Pick<
    InputHTMLAttributes<HTMLInputElement>,
    'id' | 'name' | 'type' | 'aria-label' | 'placeholder' | 'aria-invalid' | 'aria-describedby' | 'required'
  >
  readonly listLabel: string
  readonly text: string
  readonly onText: (text: string) => void
  readonly options: readonly Of[]
  /** The options are those of this text, and all of them. */
  readonly isSettled: boolean
  /** Enter takes the first option where none was moved to. */
  readonly takesFirst?: true
  readonly onChoose: (option: Of) => void
  /** Enter that is not for the list; says whether it was taken. */
  readonly onEnter?: () => boolean
  /** Escape where the list is closed. */
  readonly onEscape?: () => void
  /** Stands below the field while it is open. */
  readonly children?: ReactNode
}

const NONE = -1

/** Where in the list the reader is, whether it is shown, and an Enter that waits for the answer. */
const usePlace = <Of extends Option>({ text, options, isSettled, takesFirst, onChoose }: ComboboxProps<Of>) => {
  const start = takesFirst === true ? 0 : NONE
  const [place, setPlace] = useState(start)
  const [isClosed, setClosed] = useState(false)
  // Enter that comes before the answer chooses what the answer finds, not what stood there before.
  const [isEntered, setEntered] = useState(false)
  const chosen = options[Math.min(place, options.length - 1)]
  useEffect(() => {
    if (!isEntered || !isSettled) return
    setEntered(false)
    if (chosen !== undefined) onChoose(chosen)
  })
  const last = options.length - 1
  return {
    chosen,
    isOpen: text.trim() !== '' && !isClosed,
    setClosed,
    down: () => setPlace(Math.min(place + 1, last)),
    up: () => setPlace(Math.max(place - 1, start)),
    enter: () => setEntered(text.trim() !== ''),
    reset: () => {
      setPlace(start)
      setClosed(false)
      setEntered(false)
    },
  }
}

type OptionsProps<Of> = Pick<ComboboxProps<Option>, 'listLabel'> & {
  readonly id: string
  readonly options: readonly Of[]
  readonly chosen: Of | undefined
  readonly isOpen: boolean
  readonly onChoose: (option: Of) => void
}

const Options = <Of extends Option>({ id, listLabel, options, chosen, isOpen, onChoose }: OptionsProps<Of>) => (
  <ul id={id} role="listbox" aria-label={listLabel} hidden={!isOpen || options.length === 0}>
    {options.map((each, index) => (
      <li
        key={each.key}
        id={`${id}-${index}`}
        role="option"
        aria-selected={each === chosen}
        onPointerDown={event => event.preventDefault()}
        onClick={() => onChoose(each)}
      >
        {each.kind !== undefined && <span className="quiet">{each.kind} </span>}
        <bdi>{each.name}</bdi> <span className="quiet">{each.more}</span>
      </li>
    ))}
  </ul>
)

export const Combobox = <Of extends Option>(props: ComboboxProps<Of>) => {
  const { field, listLabel, text, onText, options, onChoose, onEnter, onEscape, children } = props
  const listId = useId()
  const { chosen, isOpen, setClosed, down, up, enter, reset } = usePlace(props)
  const choose = (option: Of): void => {
    reset()
    onChoose(option)
  }
  const keys: Readonly<Record<string, (() => void) | undefined>> = {
    ArrowDown: down,
    ArrowUp: up,
    Enter: () => (onEnter?.() === true ? undefined : enter()),
    Escape: isOpen ? () => setClosed(true) : onEscape,
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const act = keys[event.key]
    // Where nothing is chosen Enter is the form's.
    if (act === undefined || (event.key === 'Enter' && props.takesFirst !== true && chosen === undefined)) return
    event.preventDefault()
    act()
  }
  return (
    <>
      <input
        {...field}
        role="combobox"
        aria-expanded={isOpen && options.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && chosen !== undefined ? `${listId}-${options.indexOf(chosen)}` : undefined}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={event => {
          reset()
          onText(event.target.value)
        }}
        onKeyDown={onKeyDown}
        onBlur={() => setClosed(true)}
        onFocus={() => setClosed(false)}
      />
      <Options id={listId} listLabel={listLabel} options={options} chosen={chosen} isOpen={isOpen} onChoose={choose} />
      {isOpen && children}
    </>
  )
}
