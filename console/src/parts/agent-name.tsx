// An agent by its name, or by its id where it has none any more.
import { parseUuid } from '../../../api/values/uuid.ts'
import { useAgentName } from '../reading/agent-names.ts'

const SHOWN_OF_ID = 13

/** Ids are distinguished by their ends: their beginnings are times. */
export const shortId = (id: string): string => `…${id.slice(-SHOWN_OF_ID)}`

export const ShortId = ({ id }: { readonly id: string }) => <code title={id}>{shortId(id)}</code>

export const AgentName = ({ id }: { readonly id: string }) => {
  const name = useAgentName(id)
  return name === undefined ? <ShortId id={id} /> : <bdi title={`${name}\n${id}`}>{name}</bdi>
}

/** The name of the agent with this id; the text itself where it is something else, or nobody knows. */
export const AgentNameOrText = ({ text }: { readonly text: string }) => {
  const name = useAgentName(parseUuid(text))
  return name === undefined ? <bdi>{text}</bdi> : <bdi title={`${name}\n${text}`}>{name}</bdi>
}
