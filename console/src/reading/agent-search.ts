// The search of agents by a part of their text, for all fields that find one, and why each was found.
import { queryOptions } from '@tanstack/react-query'
import { type GrantType, TOKEN_EXCHANGE } from '../../../api/values/delegation.ts'
import { toLowerAscii } from '../../../api/values/ascii-case.ts'
import { ApiRefused } from '../../../packages/client/src/administration/api-errors.ts'
import type { AgentRecord } from '../../../packages/client/src/index.ts'
import { notFilter } from './pasted-text.ts'
import { administration } from './service.ts'

export const AGENTS_SHOWN = 10

type Search = { readonly q?: string; readonly grant_type?: GrantType }

/** The first of them, or of all agents where nothing is asked: a page of rare ones may be short, so that it reads on until there are enough. */
const readFirst = async (query: Search, signal: AbortSignal): Promise<readonly AgentRecord[]> => {
  const found: AgentRecord[] = []
  for await (const agent of administration.listAgents({ query: { ...query, limit: AGENTS_SHOWN }, signal })) {
    found.push(agent)
    if (found.length === AGENTS_SHOWN) break
  }
  return found
}

/** It may not be sent; the message says why. */
class NotSent extends Error {}

const withText = (text: string): Search => {
  const not = notFilter(text)
  if (not !== undefined) throw new NotSent(not)
  return text === '' ? {} : { q: text }
}

export const agentSearch = (text: string) =>
  queryOptions({
    queryKey: ['search', 'agents', text],
    queryFn: ({ signal }) => readFirst(withText(text), signal),
    enabled: text !== '',
    retry: false,
  })

/** Of the agents with this in their text, or of all, those that may exchange tokens. */
export const exchangerSearch = (text: string) =>
  queryOptions({
    queryKey: ['search', 'exchangers', text],
    queryFn: ({ signal }) => readFirst({ ...withText(text), grant_type: TOKEN_EXCHANGE }, signal),
    retry: false,
  })

/** Why a search failed, for a person. */
export const describeFault = (fault: unknown): string => {
  if (fault instanceof NotSent) return fault.message
  if (fault instanceof ApiRefused && fault.status === 400) return fault.description
  return 'The agents cannot be searched now. Try again.'
}

/** What stands beside the name: its owner, and the label that was found where neither shows what was asked for. */
export const besideName = (text: string, { name, owner, labels }: AgentRecord): readonly string[] => {
  const asked = toLowerAscii(text)
  const hasIt = (one: string): boolean => toLowerAscii(one).includes(asked)
  const shown = owner === null ? [] : [owner]
  if ([name, ...shown].some(hasIt)) return shown
  const label = Object.entries(labels).find(texts => texts.some(hasIt))
  return label === undefined ? shown : [...shown, label.join('=')]
}
