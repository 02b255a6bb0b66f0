// An agent by its name, or by its id where it has none any more.
import { useAgentName } from '../reading/agent-names.ts'

const SHOWN_OF_ID = 13

/** Ids are distinguished by their ends: their beginnings are times. */
export const ShortId = ({ id }: { readonly id: string }) => <code title={id}>…{id.slice(-SHOWN_OF_ID)}</code>

export const AgentName = ({ id }: { readonly id: string }) => {
  const name = useAgentName(id)
  return name === undefined ? <ShortId id={id} /> : <bdi title={`${name}\n${id}`}>{name}</bdi>
}
