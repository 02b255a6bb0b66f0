// In this folder: components that several screens or the frame use: fields, names, instants, errors, the open panel.
// A field for an agent: any part of its name, owner or labels, with the agents that have it to choose from.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { isName } from '../../../api/values/name.ts'
import { parseUuid } from '../../../api/values/uuid.ts'
import { agentSearch, besideName, describeFault } from '../reading/agent-search.ts'
import { type IsAgent, isIssuerSubject, type Meant, meantBy } from '../reading/meant-agent.ts'
import { shortId } from './agent-name.tsx'
import { Combobox } from './combobox.tsx'

type AgentFieldProps = {
  readonly label: string
  readonly hint: string
  readonly describedBy: string | undefined
  readonly onChoose: (id: string) => void
  readonly onText: () => void
}

/** In its form it is the value. */
export const AgentField = ({ label, hint, describedBy, onChoose, onText }: AgentFieldProps) => {
  const [text, setText] = useState('')
  const asked = text.trim()
  const {
    data = [],
    isPlaceholderData,
    isLoading,
  } = useQuery({
    ...agentSearch(asked),
    enabled: isName(asked),
    placeholderData: kept => kept,
  })
  const options = (asked === '' ? [] : data).map(agent => ({
    key: agent.agent_id,
    name: agent.name,
    more: [...besideName(asked, agent), shortId(agent.agent_id)].join(' · '),
  }))
  return (
    <span className="agent-field">
      <Combobox
        field={{
          name: 'value',
          'aria-label': label,
          placeholder: hint,
          required: true,
          'aria-invalid': describedBy !== undefined,
          'aria-describedby': describedBy,
        }}
        listLabel="Agents"
        text={text}
        onText={changed => {
          setText(changed)
          onText()
        }}
        options={options}
        isSettled={!isPlaceholderData && !isLoading}
        onChoose={({ key }) => onChoose(key)}
      />
    </span>
  )
}

/** Finds what a text means. A subject of an issuer may be longer than any name, and is then not searched for. */
export const useMeantAgent = () => {
  const queryClient = useQueryClient()
  return async (text: string, isAgent: IsAgent): Promise<Meant> => {
    const id = parseUuid(text)
    if (id !== undefined) return { id }
    if (isAgent !== true && isIssuerSubject(text) && !isName(text)) return { id: text }
    try {
      return meantBy(text, isAgent, await queryClient.fetchQuery(agentSearch(text)))
    } catch (fault) {
      return { wrong: describeFault(fault) }
    }
  }
}
