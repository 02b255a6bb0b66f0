// Fills a store with tokens by SQL while nothing serves it: live ones, expired ones, and ones that were ended early.
import { hash, randomBytes, randomFillSync } from 'node:crypto'
import { type Database, openDatabase } from '../../server/src/store/sqlite/connection/database.ts'
import { type EndingReason, REASONS } from '../../api/values/reason.ts'
import { expiresSecondOf, issuedSecondOf, makeTokenId } from '../../server/src/domain/ledger/claims.ts'

/** Live tokens have the longest lifetime there is, so that none expires while the bench runs. */
export const LIVE_LIFETIME_SECONDS = 86_400
/** The lifetimes of tokens that have ended; the first is the default of the service. */
export const SHORT_LIFETIMES_SECONDS = [300, 3600] as const
/** Tokens that end early do so halfway through their lives; the youngest is this old. */
export const YOUNGEST_AT_END_MS = 500 * SHORT_LIFETIMES_SECONDS[0]
const AGENTS = 20
const SCOPES = ['db:read', 'db:write', 'db:read db:write', 'mail:send'] as const
export const REASONS_GIVEN: readonly EndingReason[] = [
  'manual_revocation',
  'self_revocation',
  'bulk_revocation',
  'agent_disabled',
]
const ROWS_A_TRANSACTION = 200_000
export const ACTS = 1000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

type Wish = {
  readonly live: number
  /** Half of them expired within the last six days, half ended early within the last thirty. */
  readonly ended: number
  /** Live tokens whose text is kept, spread evenly over all: to introspect and to revoke. */
  readonly samples: number
  /** All live tokens are of the first agent; else they are of agents that the filling makes. */
  readonly ofOneAgent?: boolean
}

/** The times of the oldest and newest rows, in ms, which a cursor in the middle or at the end of a list names. */
export type Span = { readonly oldest: number; readonly newest: number }

export type FilledStore = {
  readonly tokens: readonly string[]
  /** One of the agents whose tokens fill the store. */
  readonly agentId: string
  readonly clientId: string
  /** The times of issue of live tokens. */
  readonly live: Span
  /** The times of end of ended tokens. */
  readonly ended: Span
  /** The same, of those that only expired. */
  readonly expired: Span
  readonly seconds: number
}

/** A store that no process has open, and the agent whose tokens are kept. */
type Store = {
  readonly databaseFile: string
  readonly baseUrl: string
  readonly agent: { readonly agent_id: string; readonly client_id: string }
}

type Numbers = { readonly agent: number; readonly cred: number; readonly key: number; readonly seq: number }

type Backfilling = {
  readonly db: Database
  readonly installation: Store
  readonly own: Numbers
  readonly kid: string
  /** Agent and credential have one number each, and all agents of the filling stand in a row. */
  readonly firstAgent: number
}

/** Returns the times of issue of the live tokens, and of end of the others. */
export const spansAt = (now: number): Pick<FilledStore, 'live' | 'ended' | 'expired'> => {
  const ended = { oldest: now - 30 * DAY_MS, newest: now - 60_000 }
  return {
    live: { oldest: now - 20 * HOUR_MS, newest: now - 60_000 },
    ended,
    expired: { ...ended, oldest: now - 6 * DAY_MS },
  }
}

const PRAGMAS = ['journal_mode = off', 'synchronous = off', 'locking_mode = exclusive', 'cache_size = -1000000']

// What is not under test is made once: agents, scope sets, an audience, the acts that ended tokens.
const addSurroundings = (db: Database, installation: Store, now: number): number => {
  const day = Math.floor(now / DAY_MS)
  for (const life of [LIVE_LIFETIME_SECONDS, ...SHORT_LIFETIMES_SECONDS]) {
    db.prepare('insert or ignore into lifetime values (?)').run(life)
  }
  SCOPES.forEach((text, n) => {
    db.prepare('insert into scope_set (n, text, used_day) values (?, ?, ?)').run(n + 1, text, day)
    for (const item of text.split(' ')) db.prepare('insert into scope_set_item values (?, ?)').run(item, n + 1)
  })
  db.prepare('insert into audience_set (n, members, used_day) values (1, ?, ?)').run(
    JSON.stringify([installation.baseUrl]),
    day,
  )
  const actor = JSON.stringify({ type: 'operator', iss: installation.baseUrl, sub: 'operator-1' })
  const act = db.prepare('insert into act (kind, actor, note, at) values (?, ?, null, ?)')
  for (let n = 0; n < ACTS; n += 1) act.run('token.revoke', actor, now - n)
  const agent = db.prepare<{ n: number }>(`insert into agent (id, client_id, name, created_at, scopes, resources)
    select ?, ?, ?, created_at, scopes, resources from agent where n = 1 returning n`)
  const credential = db.prepare(`insert into credential (agent, id, secret_hash, created_at)
    select ?, ?, randomblob(32), created_at from credential where n = 1`)
  const numbers = Array.from({ length: AGENTS }, (_, n) => {
    const id = crypto.randomUUID()
    const made = agent.get(id, `bench-${id}`, `bench ${n}`)?.n ?? 0
    credential.run(made, crypto.randomUUID())
    return made
  })
  return numbers[0] ?? 0
}

const numbersOf = (db: Database): Numbers & { readonly kid: string } =>
  db
    .prepare<Numbers & { kid: string }>(
      `select a.n as agent, c.n as cred, k.n as key, k.kid, s.seq
       from service s, signing_key k, agent a join credential c on c.agent = a.n order by a.n limit 1`,
    )
    .get() ?? fail('The store has no agent or no signing key.')

const fail = (reason: string): never => {
  throw new Error(reason)
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A text that only its digest makes a token of ours: introspection asks for no more, and signing millions takes hours. */
export const tokenText = (
  { baseUrl, agent }: Pick<Store, 'baseUrl' | 'agent'>,
  { kid, seq }: { readonly kid: string; readonly seq: number },
  jti: string,
): string => {
  const { agent_id: sub, client_id } = agent
  const iat = issuedSecondOf(jti)
  const times = { iat, exp: expiresSecondOf(jti, LIVE_LIFETIME_SECONDS) }
  const claims = {
    iss: baseUrl,
    sub,
    aud: baseUrl,
    client_id,
    ...times,
    jti,
    scope: 'db:read',
  }
  return `${encode({ alg: 'ES256', kid, typ: 'at+jwt' })}.${encode({ ...claims, seq })}.${randomBytes(64).toString('base64url')}`
}

const bytesOf = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex')

/** Runs `step` for 0 to count − 1, in transactions of a size that memory bears. */
const inBatches = (db: Database, count: number, step: (n: number) => void): void => {
  for (let from = 0; from < count; from += ROWS_A_TRANSACTION) {
    db.transaction(() => {
      for (let n = from; n < Math.min(count, from + ROWS_A_TRANSACTION); n += 1) step(n)
    })
  }
}

const random = new Uint8Array(32 * 4096)
let randomUsed = random.length

const someBytes = (count: number): Uint8Array => {
  if (randomUsed + count > random.length) {
    randomFillSync(random)
    randomUsed = 0
  }
  randomUsed += count
  return random.subarray(randomUsed - count, randomUsed)
}

/** What the n-th row hangs on: bits of a hash, so that every combination is equally common and none stands in a run. */
const kindOf = ({ own, firstAgent }: Backfilling, n: number) => {
  const bits = Math.imul(n, 0x9e37_79b1) >>> 0
  const agent = firstAgent + (bits % AGENTS)
  const scope = ((bits >>> 10) % SCOPES.length) + 1
  const reason = REASONS_GIVEN[(bits >>> 16) % REASONS_GIVEN.length] ?? 'manual_revocation'
  const life = SHORT_LIFETIMES_SECONDS[(bits >>> 24) % SHORT_LIFETIMES_SECONDS.length] ?? SHORT_LIFETIMES_SECONDS[0]
  // Each agent of the filling was made with one credential, in the order of the agents.
  return { agent, cred: own.cred + (agent - own.agent), scope, reason, life }
}

/** The n-th of `count` instants spread evenly over a span. */
const instantOf = ({ oldest, newest }: Span, n: number, count: number): number =>
  Math.floor(oldest + ((newest - oldest) * n) / count)

const INSERT_TOKEN = `insert into token (life, id, digest, agent, cred, key, scope, aud, seq)
  values (?, ?, ?, ?, ?, ?, ?, 1, ?)`
const INSERT_ENDED = `insert into ended (id, life, agent, cred, key, scope, aud, at, reason, act)
  values (?, ?, ?, ?, ?, ?, 1, ?, ?, ?)`

const addLive = (
  backfilling: Backfilling,
  { live, samples, ofOneAgent = false }: Wish,
  span: Span,
): readonly string[] => {
  const { db, own } = backfilling
  const insert = db.prepare(INSERT_TOKEN)
  const every = Math.max(1, Math.floor(live / Math.max(samples, 1)))
  const texts: string[] = []
  inBatches(db, live, n => {
    const id = makeTokenId(instantOf(span, n, live), someBytes(10))
    if (n % every === 0 && texts.length < samples) {
      const text = tokenText(backfilling.installation, { kid: backfilling.kid, seq: own.seq }, id)
      texts.push(text)
      const digest = hash('sha256', text, 'buffer').subarray(0, 16)
      insert.run(LIVE_LIFETIME_SECONDS, bytesOf(id), digest, own.agent, own.cred, own.key, 1, own.seq)
      return
    }
    const { agent, cred, scope } = { ...kindOf(backfilling, n), ...(ofOneAgent && own) }
    insert.run(LIVE_LIFETIME_SECONDS, bytesOf(id), someBytes(16), agent, cred, own.key, scope, own.seq)
  })
  return texts
}

const addExpired = (backfilling: Backfilling, count: number, span: Span): void => {
  const { db, own } = backfilling
  const insert = db.prepare(INSERT_TOKEN)
  for (const life of SHORT_LIFETIMES_SECONDS) {
    const each = Math.floor(count / SHORT_LIFETIMES_SECONDS.length)
    inBatches(db, each, n => {
      const id = bytesOf(makeTokenId(instantOf(span, n, each) - 1000 * life, someBytes(10)))
      const { agent, cred, scope } = kindOf(backfilling, n)
      insert.run(life, id, someBytes(16), agent, cred, own.key, scope, own.seq)
    })
  }
}

const addEnded = (backfilling: Backfilling, count: number, span: Span): void => {
  const { db, own } = backfilling
  const insert = db.prepare(INSERT_ENDED)
  inBatches(db, count, n => {
    const { agent, cred, scope, reason, life } = kindOf(backfilling, n)
    const at = instantOf(span, n, count)
    const id = bytesOf(makeTokenId(at - life * 500, someBytes(10)))
    insert.run(id, life, agent, cred, own.key, scope, at, REASONS[reason], (n % ACTS) + 1)
  })
}

/** The journal is off while it fills: what is interrupted is thrown away. Nothing else may have the store open. */
export const fillStore = (installation: Store, wish: Wish): FilledStore => {
  const started = performance.now()
  const now = Date.now()
  const { live, ended, expired } = spansAt(now)
  const db = openDatabase(installation.databaseFile)
  try {
    for (const pragma of PRAGMAS) db.pragma(pragma)
    const { kid, ...own } = numbersOf(db)
    const firstAgent = addSurroundings(db, installation, now)
    const backfilling = { db, installation, own, kid, firstAgent }
    const tokens = addLive(backfilling, wish, live)
    addExpired(backfilling, Math.floor(wish.ended / 2), expired)
    addEnded(backfilling, Math.ceil(wish.ended / 2), ended)
    const agent = db
      .prepare<{ id: string; clientId: string }>('select id, client_id as clientId from agent where n = ?')
      .get(firstAgent)
    if (agent === undefined) throw new Error('The agents of the filling are not there.')
    db.pragma('journal_mode = wal')
    const seconds = (performance.now() - started) / 1000
    return { tokens, agentId: agent.id, clientId: agent.clientId, live, ended, expired, seconds }
  } finally {
    db.close()
  }
}

/** Bytes of each table with its indexes. Nothing else may have the store open. */
export const tableBytes = (databaseFile: string): ReadonlyMap<string, number> => {
  const db = openDatabase(databaseFile, { readOnly: true })
  try {
    const rows = db
      .prepare<{ name: string; bytes: number }>(
        `select s.tbl_name as name, sum(d.pgsize) as bytes
         from dbstat d join sqlite_schema s on s.name = d.name where d.aggregate = true group by s.tbl_name`,
      )
      .all()
    return new Map(rows.map(({ name, bytes }) => [name, bytes]))
  } finally {
    db.close()
  }
}
