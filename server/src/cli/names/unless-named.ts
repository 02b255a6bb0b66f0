// A whole id may also be what something is called: it is the name of that where nothing has it as its id.
import { showAgent } from '../../../../api/agents.ts'
import { showApiKey } from '../../../../api/api-keys.ts'
import { showCredential } from '../../../../api/credentials.ts'
import { type Api, ApiRefusal } from '../remote/api.ts'
import { CommandFailed } from '../terminal/exit.ts'
import type { KindName, Named, Typed } from './named-kinds.ts'

const isFound = async (asked: Promise<unknown>): Promise<boolean> => {
  try {
    await asked
    return true
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === 404) return false
    throw error
  }
}

type IsThere = (api: Api, id: string, typed: Typed) => Promise<boolean>

const isAgentThere: IsThere = (api, id) => isFound(api.call(showAgent, { path: { id } }))

/** The kinds that have names, and how one is asked for by its id: the usual case costs one request and no list. */
const IS_THERE: Readonly<Partial<Record<KindName, IsThere>>> = {
  'agent-id': isAgentThere,
  // The id of a client is that of its agent, unless it was imported: those are in the list.
  'client-id': isAgentThere,
  'api-key-id': (api, id) => isFound(api.call(showApiKey, { path: { api_key_id: id } })),
  // Without its agent no list has it.
  'credential-id': async (api, id, { agentId }) =>
    agentId === undefined || isFound(api.call(showCredential, { path: { agent_id: agentId, credential_id: id } })),
  // Each is in the list.
  'session-id': () => Promise.resolve(false),
}

type Whole = Typed & { readonly kind: KindName; readonly id: string }

/** What is called so where nothing has the id; empty where the id means itself, and where the caller may not look. */
export const findNamesakes = async (
  api: Api,
  { kind, id, ...typed }: Whole,
  gather: () => Promise<readonly Named[]>,
): Promise<readonly Named[]> => {
  const isThere = IS_THERE[kind]
  if (isThere === undefined) return []
  try {
    if (await isThere(api, id, typed)) return []
    const listed = await gather()
    return listed.some(one => one.id === id) ? [] : listed.filter(({ names }) => names.includes(typed.text))
  } catch (error) {
    // Nothing was wrong with the id: the service says so where it is.
    if (error instanceof CommandFailed) return []
    throw error
  }
}
