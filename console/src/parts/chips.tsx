// The filters of a list as chips: each is in the address, is taken away by a click, and is added by its name.
import { type FormEvent, useState } from 'react'
import { changeQuery, useAddress } from '../address.ts'
import { AgentName } from './agent-name.tsx'

export type Filter = {
  /** The name of the parameter in the API and in the address. */
  readonly name: string
  readonly title: string
  /** What may be typed, as a hint. */
  readonly hint: string
  /** Its value is the id of an agent. */
  readonly isAgent?: true
  /** The values to choose from, where there are few. */
  readonly choices?: readonly string[]
}

const Chip = ({ filter, value }: { readonly filter: Filter; readonly value: string }) => (
  <li className="chip">
    <span className="quiet">{filter.title}</span>{' '}
    {filter.isAgent === true ? <AgentName id={value} /> : <bdi>{value}</bdi>}
    <button
      type="button"
      aria-label={`Without ${filter.title} ${value}`}
      onClick={() => changeQuery(filter.name, null)}
    >
      ×
    </button>
  </li>
)

const ValueField = ({ filter }: { readonly filter: Filter }) =>
  filter.choices === undefined ? (
    <input
      name="value"
      aria-label={filter.title}
      placeholder={filter.hint}
      required
      autoComplete="off"
      spellCheck={false}
    />
  ) : (
    <select name="value" aria-label={filter.title}>
      {filter.choices.map(choice => (
        <option key={choice}>{choice}</option>
      ))}
    </select>
  )

const AddFilter = ({ filters }: { readonly filters: readonly Filter[] }) => {
  const [name, setName] = useState(filters[0]?.name)
  const filter = filters.find(each => each.name === name) ?? filters[0]
  if (filter === undefined) return null
  const add = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const value = new FormData(event.currentTarget).get('value')
    if (typeof value === 'string' && value.trim() !== '') changeQuery(filter.name, value.trim())
    event.currentTarget.reset()
  }
  return (
    <form className="add-filter" onSubmit={add}>
      <select aria-label="Filter by" value={filter.name} onChange={event => setName(event.target.value)}>
        {filters.map(each => (
          <option key={each.name} value={each.name}>
            {each.title}
          </option>
        ))}
      </select>
      <ValueField key={filter.name} filter={filter} />
      <button type="submit">Add filter</button>
    </form>
  )
}

export const Chips = ({ filters }: { readonly filters: readonly Filter[] }) => {
  const { query } = useAddress()
  const set = filters.flatMap(filter => {
    const value = query.get(filter.name)
    return value === null ? [] : [{ filter, value }]
  })
  return (
    <div className="chips" role="search" aria-label="Filters of the list">
      <ul aria-label="Filters">
        {set.map(({ filter, value }) => (
          <Chip key={filter.name} filter={filter} value={value} />
        ))}
      </ul>
      <AddFilter filters={filters.filter(filter => !query.has(filter.name))} />
    </div>
  )
}
