// An agent by its name, or by its id where the reader may not see its name.
import { parseUuid } from '../../../api/values/uuid.ts'
import { useAgentName } from '../reading/agent-names.ts'

const SHOWN_OF_ID = 13

/** Ids are distinguished by their ends: their beginnings are times. */
export const shortId = (id: string): string => `…${id.slice(-SHOWN_OF_ID)}`

export const ShortId = ({ id }: { readonly id: string }) => <code title={id}>{shortId(id)}</code>

/** As a record names it. */
export const NamedAgent = ({ id, name }: { readonly id: string; readonly name: string | null }) =>
  name === null ? <ShortId id={id} /> : <bdi title={`${name}\n${id}`}>{name}</bdi>

/** An agent of which no record is at hand; the text itself where it is something else, or nobody knows. */
export const AgentName = ({ id }: { readonly id: string }) => {
  const name = useAgentName(parseUuid(id))
  return name === undefined ? <bdi>{id}</bdi> : <NamedAgent id={id} name={name} />
}
