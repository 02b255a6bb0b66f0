// The search of the header: an agent by its name, owner or label, keys and credentials by id, a token by its id or its text.
import { useState } from 'react'
import { go } from '../address.ts'
import { SEARCH_ID } from '../keyboard/keys.ts'
import { Combobox } from '../parts/combobox.tsx'
import { Fault } from '../parts/fault.tsx'
import { readSought, type Sought } from '../reading/pasted-text.ts'
import { useExplain } from './use-explain.ts'
import { type Found, useSearch } from './use-search.ts'

/** Nobody types so much at once: it was pasted. */
const PASTED_CHARACTERS_MIN = 20

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
  const found =
    'notSent' in sought ? sought.notSent : 'No agent has this in its name, owner or labels, and nothing has this id.'
  return (
    <p className="nothing" role="status">
      {isPending ? 'Explaining…' : found}
    </p>
  )
}

export const HeaderSearch = () => {
  const [text, setText] = useState('')
  const sought = readSought(text)
  const { found, isSettled } = useSearch(sought)
  const explaining = useExplain(() => setText(''))
  const explain = (asked: Sought): boolean => {
    if (!('token' in asked)) return false
    explaining.mutate(asked.token)
    return true
  }
  const write = (changed: string): void => {
    setText(changed)
    explaining.reset()
    if (changed.length >= text.length + PASTED_CHARACTERS_MIN) explain(readSought(changed))
  }
  const open = ({ key: address }: Found): void => {
    setText('')
    go(address)
  }
  return (
    <div className="search" role="search" aria-label="Agents, keys and tokens">
      <Combobox
        field={{
          id: SEARCH_ID,
          type: 'search',
          'aria-label': 'Agent by name, owner or label, anything by id, token by text',
          placeholder: 'Agent, id, or a pasted token',
        }}
        listLabel="Found"
        text={text}
        onText={write}
        options={found}
        isSettled={isSettled}
        takesFirst
        onChoose={open}
        onEnter={() => explain(sought)}
        onEscape={() => document.getElementById('screen')?.focus()}
      >
        <Outcome sought={sought} isNothing={isSettled && found.length === 0} explaining={explaining} />
      </Combobox>
    </div>
  )
}
