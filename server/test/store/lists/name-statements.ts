// The statements of the lists that are asked for names and ids, as a store that holds nothing runs them.
import type { NameKind } from '../../../src/domain/lists/names.ts'
import { listAgents } from '../../../src/store/lists/list-agents.ts'
import { nameRecords } from '../../../src/store/lists/read-names.ts'
import { listApiKeys } from '../../../src/store/repositories/api-keys.ts'
import { statementsOf } from '../../../../testkit/stores/asked-statements.ts'
import { NO_NAME_FILTERS, NO_AGENT_FILTERS } from '../../../../testkit/stores/store.ts'

const ID = '6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10'

const FIRST = { after: null, limit: 10 }

const agents = (filters: Partial<typeof NO_AGENT_FILTERS>) =>
  statementsOf(listAgents({ ...FIRST, filters: { ...NO_AGENT_FILTERS, ...filters } }))

const apiKeys = (filters: object) =>
  statementsOf(listApiKeys({ ...FIRST, filters: { ...NO_NAME_FILTERS, ids: [], ...filters } }))

const NAMED = { agentId: ID, actor: { type: 'api_key', id: ID } } as const
const named = (kind: NameKind) => statementsOf(nameRecords([kind === 'client' ? { clientId: ID } : NAMED], [kind]))

/** Each with the index that it has to seek in. */
export const NAME_STATEMENTS: readonly (readonly [index: RegExp, statements: readonly string[]])[] = [
  [/agent_name/, [...agents({ name: 'a' }), ...agents({ namePrefix: 'a' })]],
  [/agent_name|autoindex_agent_[12]|agent_(?:client_)?id_key/, agents({ search: ID.slice(0, 8) })],
  [
    /autoindex_agent_[12]|agent_(?:client_)?id_key|autoindex_credential_1|credential_id_key/,
    agents({ idPrefix: ID.slice(0, 8) }),
  ],
  [/autoindex_agent_1|agent_id_key/, [...agents({ ids: [ID, ID] }), ...named('agent')]],
  [/autoindex_agent_2|agent_client_id_key/, [...agents({ clientIds: [ID, ID] }), ...named('client')]],
  [/api_key_name/, [...apiKeys({ name: 'a' }), ...apiKeys({ namePrefix: 'a' })]],
  [/api_key_name/, apiKeys({ search: ID.slice(0, 8) })],
  [
    /autoindex_api_key_1|api_key_id_key/,
    [...apiKeys({ search: ID.slice(0, 8) }), ...apiKeys({ ids: [ID, ID] }), ...named('api_key')],
  ],
]
