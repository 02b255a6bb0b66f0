// In this folder: tables of records: filters and order in the address, paging, chosen rows, new rows. Screens bring the columns.
// The filters of a list as chips: each is in the address, is taken away by a click, and is added by its name.
import { type FormEvent, useId, useState } from 'react'
import { changeQuery, useAddress } from '../address.ts'
import { AgentField, useMeantAgent } from '../parts/agent-field.tsx'
import { AgentName } from '../parts/agent-name.tsx'
import type { IsAgent } from '../reading/meant-agent.ts'
import { type FormName, wrongIn } from './filter-forms.ts'
import { textIn } from '../parts/form-fields.tsx'

export type Filter = {
  /** The name of the parameter in the API and in the address. */
  readonly name: string
  readonly title: string
  /** What may be typed, as a hint. */
  readonly hint: string
  /** Its value is the id of an agent, or may be one: the agent is found by any part of its name. */
  readonly isAgent?: IsAgent
  /** What its value must be. */
  readonly form?: FormName
  /** The values to choose from, where there are few. */
  readonly choices?: readonly string[]
}

/** Why the service refused the filter of this name. */
export type Refused = { readonly name: string; readonly message: string }

type ChipProps = { readonly filter: Filter; readonly value: string; readonly wrong: string | undefined }

const Chip = ({ filter, value, wrong }: ChipProps) => (
  <li className={wrong === undefined ? 'chip' : 'chip wrong'}>
    <span className="quiet">{filter.title}</span>{' '}
    {filter.isAgent === undefined ? <bdi>{value}</bdi> : <AgentName id={value} />}
    <button
      type="button"
      aria-label={`Without ${filter.title} ${value}`}
      onClick={() => changeQuery(filter.name, null)}
    >
      ×
    </button>
    {wrong !== undefined && <span role="alert">{wrong}</span>}
  </li>
)

const ValueField = ({ filter, describedBy }: { readonly filter: Filter; readonly describedBy: string | undefined }) =>
  filter.choices === undefined ? (
    <input
      name="value"
      aria-label={filter.title}
      placeholder={filter.hint}
      aria-invalid={describedBy !== undefined}
      aria-describedby={describedBy}
      required
      autoComplete="off"
      spellCheck={false}
    />
  ) : (
    <select name="value" aria-label={filter.title} required defaultValue="">
      <option value="" disabled>
        choose…
      </option>
      {filter.choices.map(choice => (
        <option key={choice}>{choice}</option>
      ))}
    </select>
  )

const AddFilter = ({ filters }: { readonly filters: readonly Filter[] }) => {
  const meantAgent = useMeantAgent()
  const [name, setName] = useState(filters[0]?.name)
  const [wrong, setWrong] = useState<string>()
  const wrongId = useId()
  const filter = filters.find(each => each.name === name) ?? filters[0]
  if (filter === undefined) return null
  const choose = (chosen: string): void => {
    setName(chosen)
    setWrong(undefined)
  }
  const take = (value: string): void => changeQuery(filter.name, value)
  const addAgent = async (form: HTMLFormElement, isAgent: IsAgent): Promise<void> => {
    const text = textIn(new FormData(form), 'value')
    if (text === '') return
    const meant = await meantAgent(text, isAgent)
    // Meanwhile something else may have been typed or chosen.
    if (!form.isConnected || textIn(new FormData(form), 'value') !== text) return
    if ('id' in meant) take(meant.id)
    else setWrong(meant.wrong)
  }
  const add = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    if (filter.isAgent !== undefined) {
      void addAgent(event.currentTarget, filter.isAgent)
      return
    }
    const value = textIn(new FormData(event.currentTarget), 'value')
    const fault = value === '' ? undefined : wrongIn(filter.form, value)
    setWrong(fault)
    if (fault !== undefined) return
    if (value !== '') take(value)
    event.currentTarget.reset()
  }
  const describedBy = wrong === undefined ? undefined : wrongId
  return (
    <form className="add-filter" onSubmit={add}>
      <select aria-label="Filter by" value={filter.name} onChange={event => choose(event.target.value)}>
        {filters.map(each => (
          <option key={each.name} value={each.name}>
            {each.title}
          </option>
        ))}
      </select>
      {filter.isAgent === undefined ? (
        <ValueField key={filter.name} filter={filter} describedBy={describedBy} />
      ) : (
        <AgentField
          key={filter.name}
          label={filter.title}
          hint={filter.hint}
          describedBy={describedBy}
          onChoose={take}
          onText={() => setWrong(undefined)}
        />
      )}
      <button type="submit">Add filter</button>
      {wrong !== undefined && (
        <span id={wrongId} role="alert" className="wrong">
          {wrong}
        </span>
      )}
    </form>
  )
}

type ChipsProps = { readonly filters: readonly Filter[]; readonly refused: Refused | undefined }

export const Chips = ({ filters, refused }: ChipsProps) => {
  const { query } = useAddress()
  const set = filters.flatMap(filter => {
    const value = query.get(filter.name)
    return value === null ? [] : [{ filter, value }]
  })
  return (
    <div className="chips" role="search" aria-label="Filters of the list">
      <ul aria-label="Filters">
        {set.map(({ filter, value }) => (
          <Chip
            key={filter.name}
            filter={filter}
            value={value}
            wrong={refused?.name === filter.name ? refused.message : undefined}
          />
        ))}
      </ul>
      <AddFilter filters={filters.filter(filter => !query.has(filter.name))} />
    </div>
  )
}
