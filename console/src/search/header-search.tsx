// The search of the header: an agent by its name or id, a token by its id or its text.
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { go } from '../address.ts'
import { SEARCH_ID } from '../keyboard/keys.ts'
import { Fault } from '../parts/fault.tsx'
import { readSought, type Sought } from './pasted-text.ts'
import { useExplain } from './use-explain.ts'
import { type Found, useSearch } from './use-search.ts'

/** Nobody types so much at once: it was pasted. */
const PASTED_CHARACTERS_MIN = 20

type FoundListProps = {
  readonly id: string
  readonly found: readonly Found[]
  readonly chosen: Found | undefined
  readonly isOpen: boolean
  readonly onOpen: (found: Found) => void
}

const FoundList = ({ id: listId, found, chosen, isOpen, onOpen }: FoundListProps) => (
  <ul id={listId} role="listbox" aria-label="Found" hidden={!isOpen || found.length === 0}>
    {found.map((each, index) => (
      <li
        key={each.address}
        id={`${listId}-${index}`}
        role="option"
        aria-selected={each === chosen}
        onPointerDown={event => event.preventDefault()}
        onClick={() => onOpen(each)}
      >
        <span className="quiet">{each.kind}</span> <bdi>{each.name}</bdi> <span className="quiet">{each.more}</span>
      </li>
    ))}
  </ul>
)

type OutcomeProps = {
  readonly sought: Sought
  /** Whether nothing was found, and nothing more will be. */
  readonly isNothing: boolean
  readonly explaining: { readonly isPending: boolean; readonly error: Error | null }
}

const Outcome = ({ sought, isNothing, explaining: { isPending, error: fault } }: OutcomeProps) => {
  if (fault !== null) {
    return (
      <div className="nothing">
        <Fault fault={fault} />
      </div>
    )
  }
  if (!isPending && (!isNothing || 'token' in sought)) return null
  const found = 'notSent' in sought ? sought.notSent : 'No agent has a name that begins so, and no token has this id.'
  return (
    <p className="nothing" role="status">
      {isPending ? 'Explaining…' : found}
    </p>
  )
}

export const HeaderSearch = () => {
  const [text, setText] = useState('')
  const [place, setPlace] = useState(0)
  const [isClosed, setClosed] = useState(false)
  const listId = useId()
  // Enter that comes before the answer opens what the answer finds, not what stood there before.
  const [isEntered, setEntered] = useState(false)
  const sought = readSought(text)
  const { found, isSettled } = useSearch(sought)
  const isOpen = text.trim() !== '' && !isClosed
  const chosen = found[Math.min(place, found.length - 1)]
  const change = (changed: string): void => {
    setText(changed)
    setPlace(0)
    setClosed(false)
    setEntered(false)
  }
  const explaining = useExplain(() => change(''))
  const explain = (asked: Sought): void => ('token' in asked ? explaining.mutate(asked.token) : undefined)
  const write = (changed: string): void => {
    change(changed)
    explaining.reset()
    if (changed.length >= text.length + PASTED_CHARACTERS_MIN) explain(readSought(changed))
  }
  const open = ({ address }: Found): void => {
    change('')
    go(address)
  }
  useEffect(() => {
    if (!isEntered || !isSettled) return
    setEntered(false)
    if (chosen !== undefined) open(chosen)
  })
  const actions: Readonly<Record<string, () => void>> = {
    ArrowDown: () => setPlace(Math.min(place + 1, found.length - 1)),
    ArrowUp: () => setPlace(Math.max(place - 1, 0)),
    Enter: () => ('token' in sought ? explain(sought) : setEntered(text.trim() !== '')),
    Escape: () => (isOpen ? setClosed(true) : document.getElementById('screen')?.focus()),
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const action = actions[event.key]
    if (action === undefined) return
    event.preventDefault()
    action()
  }
  return (
    <div className="search" role="search" aria-label="Agents and tokens">
      <input
        id={SEARCH_ID}
        type="search"
        role="combobox"
        aria-label="Agent by name or id, token by id or text"
        aria-expanded={isOpen}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && chosen !== undefined ? `${listId}-${found.indexOf(chosen)}` : undefined}
        placeholder="Agent, or a pasted token"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={event => write(event.target.value)}
        onKeyDown={onKeyDown}
        onBlur={() => setClosed(true)}
        onFocus={() => setClosed(false)}
      />
      <FoundList id={listId} found={found} chosen={chosen} isOpen={isOpen} onOpen={open} />
      {isOpen && <Outcome sought={sought} isNothing={isSettled && found.length === 0} explaining={explaining} />}
    </div>
  )
}
