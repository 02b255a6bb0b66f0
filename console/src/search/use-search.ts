// What the header's search finds: agents by a part of their text, credentials and API keys by the beginning of an id (keys of a
// name too), a token by its id, a subject of an issuer as it is named.
import { skipToken, useQuery } from '@tanstack/react-query'
import { ACCESS } from '../../../api/values/access.ts'
import { parseUuidOpening } from '../../../api/values/uuid.ts'
import { parseIssuerSubject } from '../../../api/values/subject.ts'
import type { AgentRecord } from '../../../packages/client/src/index.ts'
import { addressOf } from '../address.ts'
import type { Option } from '../parts/combobox.tsx'
import { OPEN } from '../parts/panel.tsx'
import { agentSearch, besideName } from '../reading/agent-search.ts'
import { useMay } from '../reading/role.ts'
import { administration } from '../reading/service.ts'
import type { Sought } from '../reading/pasted-text.ts'
import { addressOfSubject } from '../parts/subject-address.ts'

export type Found = Option

const API_KEYS_SHOWN = 4
const CREDENTIALS_SHOWN = 4
/** Ids begin with their time: fewer characters lead to whatever is about as old. */
const CREDENTIAL_CHARACTERS_MIN = 8

export const openAt = (screen: string, id: string): string => addressOf(screen, new URLSearchParams({ [OPEN]: id }))

const foundAgent = (asked: string, agent: AgentRecord): Found => ({
  key: openAt('agents', agent.agent_id),
  kind: 'Agent',
  name: agent.name,
  more: besideName(asked, agent).join(' · '),
})

const readApiKeys = async (asked: string, signal: AbortSignal): Promise<readonly Found[]> => {
  const found: Found[] = []
  for await (const { api_key_id: id, name } of administration.listApiKeys({
    query: { q: asked, limit: API_KEYS_SHOWN },
    signal,
  })) {
    found.push({ key: openAt('api-keys', id), kind: 'API key', name, more: '' })
    if (found.length === API_KEYS_SHOWN) break
  }
  return found
}

/** Those of the agents to which the beginning of an id leads, as far as it is that of a credential. */
const readCredentials = async (opening: string, signal: AbortSignal): Promise<readonly Found[]> => {
  const found: Found[] = []
  const query = { id_prefix: opening, limit: CREDENTIALS_SHOWN }
  for await (const { agent_id, name: agentName } of administration.listAgents({ query, signal })) {
    const asked = { path: { agent_id }, query: { q: opening }, signal }
    for await (const { credential_id: id, name } of administration.listCredentials(asked)) {
      if (!id.startsWith(opening)) continue
      const key = addressOf('agents', new URLSearchParams({ [OPEN]: agent_id, credential: id }))
      found.push({ key, kind: 'Credential', name, more: `of ${agentName}` })
      if (found.length === CREDENTIALS_SHOWN) return found
    }
  }
  return found
}

export type Search = { readonly found: readonly Found[]; readonly isSettled: boolean }

export const useSearch = (sought: Sought): Search => {
  // The text of a token and a secret are no part of any address.
  const { name: asked, tokenId } = 'name' in sought ? sought : { name: '', tokenId: undefined }
  const isName = asked !== ''
  const opening = tokenId ?? (asked.length < CREDENTIAL_CHARACTERS_MIN ? undefined : parseUuidOpening(asked))
  const agents = useQuery({ ...agentSearch(asked), placeholderData: kept => kept })
  const apiKeys = useQuery({
    queryKey: ['search', 'api-keys', asked],
    queryFn: useMay(ACCESS.writeKeys) && isName ? ({ signal }) => readApiKeys(asked, signal) : skipToken,
    retry: false,
  })
  const credentials = useQuery({
    queryKey: ['search', 'credentials', opening],
    queryFn: opening === undefined ? skipToken : ({ signal }) => readCredentials(opening, signal),
    retry: false,
  })
  const isSettled = !agents.isPlaceholderData && [agents, apiKeys, credentials].every(({ isLoading }) => !isLoading)
  const found = [
    ...(isName ? (agents.data ?? []) : []).map(agent => foundAgent(asked, agent)),
    ...(credentials.data ?? []),
    ...(apiKeys.data ?? []),
    ...(tokenId === undefined ? [] : [{ key: openAt('tokens', tokenId), kind: 'Token', name: tokenId, more: '' }]),
    // A web address has the same form.
    ...(asked.includes('://') || parseIssuerSubject(asked) === undefined
      ? []
      : [{ key: addressOfSubject(asked), kind: 'Subject', name: asked, more: 'of an issuer' }]),
  ]
  return { found, isSettled: !isName || isSettled }
}
