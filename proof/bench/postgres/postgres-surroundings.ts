// What the tokens of a filled store hang on: agents with their credentials, keys, sets of scopes, acts.
import type pg from 'pg'
import { ACTS, LIVE_LIFETIME_SECONDS, SHORT_LIFETIMES_SECONDS } from '../../../testkit/stores/fill-store.ts'

/** The first has a twentieth of all tokens; of the others the more the lower their number, as the cube of chance falls. */
const AGENTS = 200
const FIRST_SHARE = 0.05
const CREDENTIALS = 2
/** Half of them hold db:read. */
const SCOPES = ['', ' db:write', ' mail:send', ' db:write mail:send'].flatMap(rest => [
  `db:read${rest}`,
  `files${rest}`,
])
const DAY_MS = 86_400_000

/** The first number of each, and of what there is only one the number. */
export type Numbers = {
  readonly agent: number
  readonly credential: number
  readonly key: number
  readonly formerKey: number
  readonly scope: number
  readonly audience: number
  readonly act: number
  readonly seq: number
  readonly kid: string
}

/** The only row of a statement. */
export const one = async <R extends object>(
  client: pg.Client,
  text: string,
  values: readonly unknown[] = [],
): Promise<R> => {
  const { rows } = await client.query<R>(text, [...values])
  const [row] = rows
  if (row === undefined) throw new Error(`The store has no row for: ${text}`)
  return row
}

type First = { readonly n: number }

/** Inserts many rows; the first number that they were given. */
const firstOf = async (client: pg.Client, insert: string, values: readonly unknown[] = []): Promise<number> => {
  const text = `with made as (${insert} returning n) select min(n)::integer as n from made`
  return (await one<First>(client, text, values)).n
}

const ADD_SCOPE_ITEMS = `insert into scope_set_item select item, n from scope_set, unnest(string_to_array(text, ' ')) as item
  on conflict do nothing`

/** What is not under test is made once. */
export const addSurroundings = async (client: pg.Client, baseUrl: string, now: number): Promise<Numbers> => {
  const day = Math.floor(now / DAY_MS)
  const lives = [LIVE_LIFETIME_SECONDS, ...SHORT_LIFETIMES_SECONDS]
  await client.query('insert into lifetime select unnest($1::integer[]) on conflict do nothing', [lives])
  const actor = JSON.stringify({ type: 'operator', iss: baseUrl, sub: 'operator-1' })
  const own = await one<{ key: number; kid: string; seq: number }>(
    client,
    'select k.n::integer as key, k.kid, s.seq::integer from service s, signing_key k order by k.n limit 1',
  )
  const agent = await firstOf(
    client,
    `insert into agent (id, client_id, name, created_at, scopes, resources)
      select gen_random_uuid(), 'bench-' || gen_random_uuid(), 'bench ' || g.n, created_at, scopes, resources
      from agent, generate_series(1, ${AGENTS}) as g (n) where agent.n = 1 order by g.n`,
  )
  const numbers = {
    ...own,
    agent,
    credential: await firstOf(
      client,
      `insert into credential (agent, id, secret_hash, created_at)
        select a.n, gen_random_uuid(), uuid_send(gen_random_uuid()), a.created_at
        from agent a, generate_series(1, ${CREDENTIALS}) where a.n >= $1 order by a.n`,
      [agent],
    ),
    formerKey: await firstOf(
      client,
      `insert into signing_key (kid, public_jwk, sealed_private_key, key_encryption_key_id, created_at, thumbprint,
          state, signs_from, signs_until, gone_at)
        select 'former', public_jwk, sealed_private_key, key_encryption_key_id, created_at, 'former', 'gone', created_at,
          created_at, created_at from signing_key where n = $1`,
      [own.key],
    ),
    scope: await firstOf(client, 'insert into scope_set (text, used_day) select unnest($1::text[]), $2', [SCOPES, day]),
    audience: await firstOf(client, 'insert into audience_set (members, used_day) values ($1, $2)', [
      JSON.stringify([baseUrl]),
      day,
    ]),
    act: await firstOf(
      client,
      `insert into act (kind, actor, at) select 'token.revoke', $1, $2::bigint - n from generate_series(1, ${ACTS}) as g (n)`,
      [actor, now],
    ),
  }
  await client.query(ADD_SCOPE_ITEMS)
  return numbers
}

/** What a row hangs on, from numbers by chance a, b and c. */
export const kindsOf = ({ agent, credential, scope, audience }: Numbers): string => {
  const nth = `(case when a < ${FIRST_SHARE} then 0
    else 1 + floor(${AGENTS - 1} * power((a - ${FIRST_SHARE}) / ${1 - FIRST_SHARE}, 3)) end)::integer`
  return `${agent} + ${nth} as agent,
    ${credential} + ${CREDENTIALS} * ${nth} + floor(b * ${CREDENTIALS})::integer as cred,
    ${scope} + floor(c * ${SCOPES.length})::integer as scope, ${audience} as aud`
}
