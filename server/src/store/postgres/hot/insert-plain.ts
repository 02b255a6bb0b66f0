// New tokens that need nothing but their row: many at once, in a transaction that is sent whole.
import { issuedAtOf } from '../../../domain/ledger/claims.ts'
import type { Lease } from '../../lease.ts'
import { LAST_USE_STEP_MS } from '../../repositories/last-uses.ts'
import type { InsertOutcome, NewToken } from '../../../ports/ports.ts'
import type { DatabaseTime, DatabaseClock } from '../connection/clock.ts'
import type { Answered, Asked, Connection } from '../connection/connection.ts'
import { withPartitions } from '../connection/faults.ts'
import { TOKENS_LOCK } from '../writer/open-transaction.ts'
import type { Session } from '../connection/session.ts'
import { listOf } from '../connection/values.ts'
import { DAY_MS } from '../../../../../api/values/time.ts'
import type { ProgramRunner } from '../connection/run-program.ts'
import type { FailOvers } from '../connection/fail-overs.ts'
import type { Transactions } from '../writer/transactions.ts'

// The numbers of scopes and audiences, as far as they were used today: then nothing removes them, and no use need be noted.

const CACHED_MAX = 65_536

const SET = {
  scope: 'select n, used_day as day from scope_set where text = ?',
  audience: 'select n, used_day as day from audience_set where members = ?',
} as const

type Kind = keyof typeof SET

type Kept = { readonly n: number; readonly day: number }

type KnownSetsParts = {
  readonly runner: Pick<ProgramRunner, 'ask'>
  readonly transactions: Pick<Transactions, 'read'>
  readonly clock: Pick<DatabaseClock, 'now'>
  readonly onFailOver: FailOvers['onFailOver']
}

export const makeKnownSets = ({ runner, transactions, clock, onFailOver }: KnownSetsParts) => {
  const sets = { scope: new Map<string, Kept>(), audience: new Map<string, Kept>() }
  onFailOver(() => {
    sets.scope.clear()
    sets.audience.clear()
  })

  // Known to the standby before it is believed: a deposed primary may have numbers that the next one gives to others.
  const readSets = (connection: Connection, kind: Kind, texts: readonly string[]) =>
    transactions.read(connection, async () => {
      const found: (readonly [text: string, kept: Kept])[] = []
      for (const text of texts) {
        const { rows } = await runner.ask(connection, SET[kind], text)
        const kept = rows[0] as Kept | undefined // as the statement lists it
        if (kept !== undefined) found.push([text, kept])
      }
      return found
    })

  /** The numbers of these texts; undefined for one that is new, or whose use today is not noted yet. */
  return async (connection: Connection, kind: Kind, texts: readonly string[]) => {
    const today = Math.floor(clock.now() / DAY_MS)
    const numberOf = (kept: Kept | undefined): number | undefined => (kept?.day === today ? kept.n : undefined)
    const numbers = new Map(texts.map(text => [text, numberOf(sets[kind].get(text))]))
    const unknown = [...numbers].flatMap(([text, n]) => (n === undefined ? [text] : []))
    if (unknown.length > 0) {
      if (sets[kind].size + unknown.length > CACHED_MAX) sets[kind].clear()
      for (const [text, kept] of await readSets(connection, kind, unknown)) {
        sets[kind].set(text, kept)
        numbers.set(text, numberOf(kept))
      }
    }
    return texts.map(text => numbers.get(text))
  }
}

/** The outcome of an insert; `later` if the token needs more than a row. */
export type PlainOutcome = InsertOutcome | 'later'

/** How far the time in an id may be from the store's. */
const ID_AGE_MS_MAX = 2000
const LEASE_ATTEMPTS = 3

const LOCK: Asked = { text: 'select pg_advisory_xact_lock_shared($1)', values: [TOKENS_LOCK], name: 'lock_tokens' }

// The lock is held by now, so that no act is under way and none follows until the commit. The sets were used today, and are not
// removed today; a lifetime may have been removed. A credential whose use another process notes just now needs no second note.
const INSERT = `with n as (select seq, clock_lease, mintmark_now() as now from service),
  written as (
    insert into token (life, id, digest, agent, cred, key, scope, aud, seq)
    select u.life, u.id, u.digest, u.agent, u.cred, u.key, u.scope, u.aud, n.seq
    from n, unnest($1::integer[], $2::uuid[], $3::uuid[], $4::integer[], $5::integer[], $6::integer[], $7::integer[],
      $8::integer[], $9::bigint[]) as u (life, id, digest, agent, cred, key, scope, aud, seq)
    where u.seq = n.seq and $10::bigint <= n.clock_lease and $11::bigint > n.now - ${ID_AGE_MS_MAX}
      and exists (select 1 from lifetime l where l.life = u.life)
    returning token.id, token.cred),
  used as (
    select c.n from credential c where c.n in (select cred from written)
      and coalesce(c.last_used_at, 0) <= (select now from n) - ${LAST_USE_STEP_MS} for update skip locked),
  noted as (
    update credential set last_used_at = (select now from n) where credential.n in (select used.n from used) returning 1)
  select id from written`

const STATE = 'select seq, clock_lease as "clockLease", last_at as "lastAt", mintmark_now() as reported from service'

type Row = { readonly token: NewToken; readonly scope: number; readonly aud: number }

const parametersOf = (rows: readonly Row[]): readonly unknown[] => {
  const times = rows.map(({ token }) => issuedAtOf(token.id))
  return [
    listOf(rows.map(({ token }) => token.lifetimeSeconds)),
    listOf(rows.map(({ token }) => token.id)),
    listOf(rows.map(({ token }) => token.digest)),
    listOf(rows.map(({ token }) => token.agent)),
    listOf(rows.map(({ token }) => token.credential)),
    listOf(rows.map(({ token }) => token.signingKey)),
    listOf(rows.map(({ scope }) => scope)),
    listOf(rows.map(({ aud }) => aud)),
    listOf(rows.map(({ token }) => token.seq)),
    times.reduce((most, at) => Math.max(most, at), 0),
    times.reduce((least, at) => Math.min(least, at), Number.MAX_SAFE_INTEGER),
  ]
}

/** Whether the token needs nothing but its row, and what it shares with others. */
const isPlain = ({ limits, proof, assertion, idJag, parent, principal }: NewToken): boolean =>
  limits === null && [proof, assertion, idJag, parent, principal].every(one => one === undefined)

/** The lease is renewed where an id is beyond it. */
export const makeWritePlain = (session: Session, lease: Pick<Lease, 'renew'>) => {
  const { transactions, clock } = session
  const numbersOf = makeKnownSets(session)

  const rowsOf = async (connection: Connection, tokens: readonly NewToken[]): Promise<readonly (Row | undefined)[]> => {
    const [scopeTexts, audienceTexts] = [tokens.map(one => one.scope), tokens.map(one => JSON.stringify(one.audience))]
    const scopes = await numbersOf(connection, 'scope', scopeTexts)
    const audiences = await numbersOf(connection, 'audience', audienceTexts)
    return tokens.map((token, n) => {
      const [scope, aud] = [scopes[n], audiences[n]]
      return scope === undefined || aud === undefined || !isPlain(token) ? undefined : { token, scope, aud }
    })
  }

  const write = async (connection: Connection, rows: readonly Row[]): Promise<readonly Answered[]> => {
    const insert: Asked = { text: INSERT, values: parametersOf(rows), name: 'insert_tokens' }
    const state: Asked = { text: STATE, name: 'insert_state' }
    return transactions.writeAtOnce(connection, [LOCK, insert, state])
  }

  /** What was written, and the state of the service then. Where an id is beyond the lease that is renewed first. */
  const writeLeased = async (connection: Connection, rows: readonly Row[]) => {
    const newest = rows.reduce((most, { token }) => Math.max(most, issuedAtOf(token.id)), 0)
    for (let n = 1; ; n += 1) {
      const [, inserted, stated] = await withPartitions(session.makePartitions, () => write(connection, rows))
      const state = stated?.rows[0] as DatabaseTime & { readonly seq: number } // as the statement lists it
      clock.observe(state)
      if (newest <= state.clockLease || n === LEASE_ATTEMPTS) return { inserted, state, newest }
      await lease.renew()
    }
  }

  const writeRows = async (connection: Connection, rows: readonly Row[]): Promise<(row: Row) => PlainOutcome> => {
    const { inserted, state, newest } = await writeLeased(connection, rows)
    const ids = new Set(inserted?.rows.map(row => (row as { id: Buffer }).id.toString('hex')))
    return ({ token }) => {
      if (ids.has(token.id.replaceAll('-', ''))) return 'inserted'
      const isTooOld = issuedAtOf(token.id) <= state.reported - ID_AGE_MS_MAX
      return token.seq !== state.seq || newest > state.clockLease || isTooOld ? 'decide_again' : 'later'
    }
  }

  /** Writes the tokens in a transaction that is sent whole, and returns one outcome for each, in order. */
  return async (connection: Connection, tokens: readonly NewToken[]): Promise<readonly PlainOutcome[]> => {
    const rows = await rowsOf(connection, tokens)
    const plain = rows.filter(row => row !== undefined)
    if (plain.length === 0) return rows.map(() => 'later' as const)
    const outcomeOf = await writeRows(connection, plain)
    return rows.map(row => (row === undefined ? 'later' : outcomeOf(row)))
  }
}
