// Every list of the API with each filter that it has: taken from the operations, so that no new filter stays unmeasured.
import { formatTime } from '../../../api/values/time.ts'
import type { Operation } from '../../../api/operation.ts'
import { OPERATIONS } from '../../../api/operations.ts'
import type { Span } from '../../../testkit/stores/fill-store.ts'
import { FREQUENT, RARE } from './rare-rows.ts'

export type ListQuestion = { readonly title: string; readonly path: string; readonly countPath: string | undefined }

/** What is in the store: by the names of parameters what many records have. */
export type Known = {
  readonly agent_id: string
  readonly client_id: string
  readonly agent_name: string
  readonly credential_id: string
  readonly kid: string
  readonly audience: string
  readonly token_id: string
  readonly live: Span
  readonly ended: Span
}

const NOBODY = '0198d4c2-5d7c-7b7a-9c3e-1f2a3b4c5d6e'

const middleOf = ({ oldest, newest }: Span): string => formatTime(Math.floor((oldest + newest) / 2))

const NOT_FILTERS = new Set(['limit', 'cursor'])

/** What each parameter is asked for: what many records have, what few have. */
const valuesOf = ({ live, ended, token_id, ...known }: Known): Readonly<Record<string, readonly string[]>> => ({
  ...Object.fromEntries(Object.entries(known).map(([name, value]) => [name, [value]])),
  agent_id: [known.agent_id, RARE.agent_id],
  client_id: [known.client_id, RARE.client_id],
  agent_name: [known.agent_name, RARE.agent_name],
  credential_id: [known.credential_id, RARE.credential_id],
  kid: [known.kid, RARE.kid],
  audience: [known.audience, RARE.audience],
  scope: ['db:read', RARE.scope],
  owner: [FREQUENT.owner, RARE.owner],
  label: [FREQUENT.label, RARE.label],
  subject: [known.agent_id, RARE.agent_id],
  parent_id: [token_id],
  root_id: [token_id],
  token_id: [token_id],
  ended_token: [token_id],
  issued_after: [middleOf(live), middleOf(ended)],
  issued_before: [middleOf(live), middleOf(ended)],
  ended_after: [middleOf(ended)],
  ended_before: [middleOf(ended)],
  since: [middleOf(ended)],
  before: [middleOf(ended)],
  termination_reason: ['manual_revocation', 'expired', 'key_compromise'],
  ended_by: ['operator-1', 'system'],
  revocation_id: [NOBODY],
  api_key_id: [NOBODY],
  request_id: [NOBODY],
  disabled: ['false', 'true'],
  grant_type: ['client_credentials', 'urn:ietf:params:oauth:grant-type:token-exchange'],
  name: ['bench 1', 'nobody'],
  name_prefix: ['bench', 'nobody'],
  q: ['bench', 'ench 1', 'nobody', RARE.agent_id],
  id_prefix: ['00000000', RARE.credential_id],
  kind: ['agent.create', 'store.restore'],
  actor_type: ['operator', 'system'],
  actor_id: ['nobody'],
  actor_iss: ['nobody'],
  actor_sub: ['operator-1', 'nobody'],
  way: ['client', 'limit'],
  source: ['10.0.1.1', '192.0.2.1'],
})

/** What many have with what few have, and the other way about. */
const pairsOf = (known: Known): readonly Readonly<Record<string, string>>[] => [
  { owner: FREQUENT.owner, scope: RARE.scope },
  { owner: FREQUENT.owner, scope: 'db:write' },
  { owner: FREQUENT.owner, audience: RARE.audience },
  { label: FREQUENT.label, kid: RARE.kid },
  { agent_id: known.agent_id, scope: RARE.scope },
  { agent_id: known.agent_id, audience: RARE.audience },
  { agent_id: known.agent_id, kid: RARE.kid },
  { credential_id: known.credential_id, scope: RARE.scope },
  { scope: 'db:read', audience: RARE.audience },
  { scope: 'db:read', kid: RARE.kid },
  { kid: known.kid, audience: RARE.audience },
]

const LIST = /^GET (\/api\/v1\/[^{]+)$/

const filtersOf = ({ query }: Operation): readonly string[] =>
  Object.keys(query?.shape ?? {}).filter(name => !NOT_FILTERS.has(name))

const isList = ({ query }: Operation): boolean => 'cursor' in (query?.shape ?? {})

const questionsOf = (operation: Operation, known: Known): readonly ListQuestion[] => {
  const [, path] = LIST.exec(operation.route) ?? []
  if (path === undefined || !isList(operation)) return []
  const values = valuesOf(known)
  const filters = filtersOf(operation)
  const single = filters.flatMap(name => {
    const some = values[name]
    if (some === undefined)
      throw new Error(`${operation.id} has the filter ${name}: give it values in list-questions.ts.`)
    return some.map(value => ({ [name]: value }))
  })
  const pairs = pairsOf(known).filter(pair => Object.keys(pair).every(name => filters.includes(name)))
  const ofMany = new Set<unknown>(Object.values(known))
  const hasCount = OPERATIONS.some(({ route }) => route === `${operation.route}/count`)
  return [{}, ...single, ...pairs].map(asked => {
    const query = new URLSearchParams(asked).toString()
    // What was made at random would be another title in each run.
    const title = Object.entries(asked).map(([name, value]) => `${name} ${ofMany.has(value) ? 'of many' : value}`)
    return {
      title: [operation.id, ...title].join(', '),
      path: `${path}?${query}`,
      countPath: hasCount ? `${path}/count?${query}` : undefined,
    }
  })
}

export const listQuestions = (known: Known): readonly ListQuestion[] =>
  OPERATIONS.flatMap(operation => questionsOf(operation, known))
