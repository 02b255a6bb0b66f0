// What a text means in a field that takes an agent, by the agents that have it: one of them, or something else.
import { parseIssuerSubject } from '../../../api/values/subject.ts'
import type { AgentRecord } from '../../../packages/client/src/index.ts'

/** Whether a value is an agent; `or_subject`: else a subject of an issuer; `maybe`: else that, or an id of something else. */
export type IsAgent = true | 'maybe' | 'or_subject'

export type Meant = { readonly id: string } | { readonly wrong: string }

export const isIssuerSubject = (text: string): boolean => parseIssuerSubject(text) !== undefined

const NOT_FOUND = 'No agent has this in its name, owner or labels'

/**
 * What a text means, by the agents that it finds: the one with this whole name, or the only one. An agent may be called as a
 * subject of an issuer is: then its whole name alone means it.
 */
export const meantBy = (text: string, isAgent: IsAgent, found: readonly AgentRecord[]): Meant => {
  const named = found.find(({ name }) => name === text)
  if (named !== undefined) return { id: named.agent_id }
  if (isAgent !== true && isIssuerSubject(text)) return { id: text }
  const [only, ...others] = found
  if (others.length > 0) return { wrong: 'Several agents have this: choose one of the list.' }
  if (only !== undefined) return { id: only.agent_id }
  if (isAgent === 'maybe') return { id: text }
  return { wrong: isAgent === true ? `${NOT_FOUND}.` : `${NOT_FOUND}, and a subject of an issuer is ALIAS:SUB.` }
}
