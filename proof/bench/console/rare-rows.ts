// What a filled store has few of, or many: SQL that both stores understand, run before anything serves the store.
import { LIVE_LIFETIME_SECONDS, REASONS_GIVEN, type Span } from '../../../testkit/stores/fill-store.ts'
import { REASONS } from '../../../api/values/reason.ts'

/** Tokens of each rare kind, live and ended. */
const RARE_ROWS = 60
const AGENTS = 10_000
const REFUSED = 100_000
/** The key signed what was issued in so many ms, half before and half after the middle of the live tokens. */
const PERIOD_MS = 20_000

export const RARE = {
  agent_id: '00000000-0000-4000-8000-aaaaaaaaaaaa',
  client_id: 'rare-client',
  agent_name: 'rare agent',
  owner: 'Rare',
  label: 'team=rare',
  scope: 'rare:read',
  audience: 'https://rare.example',
  kid: 'rare',
  credential_id: '00000000-0000-4000-8000-bbbbbbbbbbbb',
} as const

/** Marks of half the agents of the filling. */
export const FREQUENT = { owner: 'Ada', label: 'team=data' } as const

/** The nth group of the oldest live tokens. */
const oldestLive = (group: number): string => `where life = ${LIVE_LIFETIME_SECONDS} and id in (select id from token
  where life = ${LIVE_LIFETIME_SECONDS} order by life, id limit ${RARE_ROWS} offset ${group * RARE_ROWS})`

const oldestEnded = (group: number): string => `where id in (select id from ended
  where reason = ${REASONS[REASONS_GIVEN[0] ?? 'manual_revocation']} order by at, id limit ${RARE_ROWS} offset ${group * RARE_ROWS})`

/** A column of the nth group of live and of ended tokens. */
const mark = (group: number, column: string, value: string): readonly string[] => [
  `update token set ${column} = (${value}) ${oldestLive(group)}`,
  `update ended set ${column} = (${value}) ${oldestEnded(group)}`,
]

const numbers = (count: number): string =>
  `with recursive numbers (g) as (select 1 union all select g + 1 from numbers where g < ${count})`

/** \`agent\` is the number of an agent with many tokens. */
export const rareRows = (agent: string, { oldest, newest }: Span, live: number): readonly string[] => {
  const middle = Math.floor((oldest + newest) / 2)
  const ofKey = `(select n from signing_key where kid = '${RARE.kid}')`
  return [
    `insert into signing_key (kid, public_jwk, thumbprint, sealed_private_key, key_encryption_key_id, created_at, state,
        signs_from, signs_until, gone_at)
      select '${RARE.kid}', public_jwk, '${RARE.kid}', sealed_private_key, key_encryption_key_id, created_at, 'gone',
        ${middle - PERIOD_MS / 2}, ${middle + PERIOD_MS / 2}, ${middle + PERIOD_MS / 2} from signing_key order by n limit 1`,
    `update signing_key set signs_from = ${oldest - 40 * 86_400_000} where kid <> '${RARE.kid}'`,
    `update token set key = ${ofKey} where life = ${LIVE_LIFETIME_SECONDS} and id in (select id from token
      where life = ${LIVE_LIFETIME_SECONDS} order by life, id limit ${RARE_ROWS} offset ${Math.floor(live / 2)})`,
    `insert into audience_set (members, used_day) values ('["${RARE.audience}"]', ${Math.floor(newest / 86_400_000)})`,
    ...mark(0, 'aud', 'select max(n) from audience_set'),
    `insert into scope_set (text, used_day) values ('${RARE.scope}', ${Math.floor(newest / 86_400_000)})`,
    `insert into scope_set_item (item, n) select text, n from scope_set where text = '${RARE.scope}'`,
    ...mark(1, 'scope', 'select max(n) from scope_set'),
    `update agent set owner = case when n % 2 = 0 then '${FREQUENT.owner}' else 'Grace' end,
      labels = case when n % 2 = 0 then '{"team":"data"}' else '{}' end`,
    `insert into agent (id, client_id, name, created_at, scopes, resources, owner, labels)
      select '${RARE.agent_id}', '${RARE.client_id}', '${RARE.agent_name}', created_at, scopes, resources, '${RARE.owner}', '{"team":"rare"}'
      from agent where n = ${agent}`,
    ...mark(2, 'agent', `select n from agent where client_id = '${RARE.client_id}'`),
    `insert into credential (agent, id, secret_hash, created_at)
      select agent, '${RARE.credential_id}', secret_hash, created_at from credential where agent = ${agent} order by n limit 1`,
    ...mark(3, 'cred', `select n from credential where id = '${RARE.credential_id}'`),
    ...mark(3, 'agent', agent),
    `${numbers(AGENTS)} insert into agent (id, client_id, name, created_at, scopes, resources, owner, labels)
      select '00000000-0000-4000-8000-' || substr(cast(1000000000000 + g as text), 2), 'more-' || g, 'more ' || g, created_at + g,
        scopes, resources, 'Owner ' || (g % 100), '{"line":"' || (g % 50) || '"}' from numbers, agent where n = ${agent}`,
    `${numbers(REFUSED)} insert into refused (at, way, client, source, count)
      select ${newest} - ${newest % 60_000} - 60000 * (g % 20000), 'client', '', '10.0.' || (g % 200) || '.' || (g % 199), 1 from numbers`,
  ]
}
