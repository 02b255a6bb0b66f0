// The names of agents and API keys beside their ids in records: as they are now, or were when the agent was deleted.
import { ACCESS } from '../../../../api/values/access.ts'
import type { Actor } from '../audit/act.ts'
import { type Administrator, may } from '../caller.ts'
import { isAgent, type TokenSubject } from '../ledger/token-subject.ts'

/** What an id is of. An imported client keeps its own: it is not the id of its agent. */
export type NameKind = 'agent' | 'client' | 'api_key'

export type NameKinds = readonly NameKind[]

const agentIn = (subject: WithNames['subject']): string | null =>
  typeof subject === 'object' && subject !== null && isAgent(subject) ? subject.agentId : null

type Named = { readonly name: string; readonly owner: string | null }

/** By {@link nameKey}. A record has those of its page, or none where the caller may read none. */
export type Names = ReadonlyMap<string, Named>

type OfAgent = { readonly agentId?: string | null; readonly clientId?: string | null }

export type WithNames = OfAgent & {
  readonly names?: Names | undefined
  /** On whose behalf a token acts; that of any other record names no agent. */
  readonly subject?: TokenSubject | string | null
  readonly actors?: readonly string[]
  readonly actor?: Actor
  readonly endedBy?: Actor | null
}

export const nameKey = (kind: string, id: string): string => `${kind} ${id}`

/** Whose names the caller may read: no list shows a name that the list of agents or API keys would refuse. */
export const kindsNamedTo = (caller: Administrator): NameKinds => [
  ...(may(caller, ACCESS.readAgents) ? (['agent', 'client'] as const) : []),
  ...(may(caller, ACCESS.writeKeys) ? (['api_key'] as const) : []),
]

/** The ids of this kind that a record names. A client alone is looked up where the record has no agent. */
export const idsIn = (
  { agentId, clientId, subject, actors = [], endedBy, actor = endedBy ?? undefined }: WithNames,
  kind: NameKind,
) =>
  [
    ...(kind === 'agent' ? [agentId, agentIn(subject), ...actors] : []),
    kind === 'client' && agentId === undefined ? clientId : null,
    actor?.type === kind ? actor.id : null,
  ].filter(id => typeof id === 'string')

export const agentName = (names: Names | undefined, id: string): string | null =>
  names?.get(nameKey('agent', id))?.name ?? null

/** The members of a record about its agent. */
export const agentMembers = ({ names, agentId, clientId }: WithNames) => {
  const [kind, id] = agentId === undefined ? ['client', clientId] : ['agent', agentId]
  // A client may be called null.
  const named = typeof id === 'string' ? names?.get(nameKey(kind, id)) : undefined
  const { name: agent_name = null, owner = null } = named ?? {}
  return { agent_name, owner }
}

export const actorRecord = (names: Names | undefined, actor: Actor): Actor & { readonly name?: string } => {
  const named = 'id' in actor ? names?.get(nameKey(actor.type, actor.id)) : undefined
  return named === undefined ? actor : { ...actor, name: named.name }
}
