// What of the ledger's port SQLite does in its own way: looking tokens up, and handing new ones over to be written; and the reading
// side of a serving thread.
import { randomUUID } from 'node:crypto'
import { ENDED_SEQ, readComparedCutOffs, readOpenCutOffs } from '../../ledger/judge.ts'
import {
  isPlain,
  type NameCaches,
  originKey,
  readNamedOrigin,
  recordWith,
  type RowNames,
} from '../../ledger/name-caches.ts'
import type { HotLedger } from '../../ledger/token-ledger.ts'
import { packTokens } from '../writer/jobs.ts'
import type { SqliteWriter } from '../writer/writer-client.ts'
import type { TokenAddress } from '../../../domain/ledger/claims.ts'
import type { Digest } from '../../../domain/text/text.ts'
import {
  type EndedSeqs,
  isDead,
  type LookedUpToken,
  NOTHING_ENDED,
  type CutOff,
} from '../../../domain/ledger/ledger.ts'
import type { FoundToken } from '../../../ports/ports.ts'
import { type Sets, makeSets } from '../../ledger/interned-sets.ts'
import type { Ancestor } from '../../../domain/ledger/lineage.ts'
import type { StoredAncestor } from '../../ledger/lineages.ts'
import { NO_ANCESTORS, type TokenNumbers, tokenOf } from '../../ledger/token-rows.ts'
import type { NameCache } from '../../name-cache.ts'
import { runProgram, type Statements, type Database, readServiceRow, statementsOf } from '../connection/database.ts'
import { Unavailable } from '../../../domain/refusal.ts'
import type { Milliseconds } from '../../../../../api/values/time.ts'
import type { LabelsOf, Metrics } from '../../../ports/metrics.ts'
import { LATE, makeLease } from '../../lease.ts'
import type { OnFault } from '../../background.ts'
import type { Program } from '../../statement-program.ts'
import type { Reader, Snapshot } from '../../snapshot.ts'
import { isBusy, isStoreFault } from '../connection/connection.ts'
import { endedBetween } from '../connection/transaction.ts'

export const makeHotLedger = (reader: SqliteReader, nameCaches: NameCaches, writer: SqliteWriter): HotLedger => {
  const findTokens = makeFindTokens(nameCaches)
  return {
    find: async addresses =>
      addresses.length === 0 ? [] : reader.readDirectly(snapshot => findTokens(snapshot, addresses)),
    insert: (tokens, until) => writer.call('insertTokens', packTokens(tokens), until),
    exclusively: async (work, until) => {
      const pause = randomUUID()
      await writer.call('pauseActs', pause, until)
      try {
        return await work({ insert: tokens => writer.call('insertTokens', packTokens(tokens), until) })
      } finally {
        // If this fails, the pause ends by itself. If it comes too late, the pause of another caller is on, and stays.
        writer.call('resumeActs', pause).catch(() => undefined)
      }
    },
  }
}

type FoundRow = TokenNumbers & { readonly digest: Digest }

// As text: buffers that cross into SQLite and back cost more than the look-up. A row comes back whether one is found or not: to
// find none takes as long.
const SELECT = `select agent, cred, key, scope, aud, seq, lineage, principal, lower(hex(digest)) as digest
  from (select ? as wanted_life, unhex(?, '-') as wanted_id) left join token on life = wanted_life and id = wanted_id`

type Row = FoundRow | { readonly agent: null }

const isThere = (row: Row): row is FoundRow => row.agent !== null

const endedSeqs = ({ sql, service }: SqliteSnapshot, row: TokenNumbers, issuer: number | null): EndedSeqs => {
  // No act ended many tokens since this one was decided on: no number can be above its own.
  if (row.seq >= service.lastEndSeq) return NOTHING_ENDED
  const of = (name: keyof typeof ENDED_SEQ, n: number | null): number => {
    if (n === null) return 0
    const found = sql<{ seq: number }>(ENDED_SEQ[name]).get(n)
    if (found === undefined) throw new Error(`The ledger names ${name} ${n}, which is not there.`)
    return found.seq
  }
  return {
    service: service.endedSeq,
    agent: of('agent', row.agent),
    credential: of('credential', row.cred),
    key: of('key', row.key),
    issuer: of('issuer', issuer),
    principal: of('principal', row.principal),
  }
}

/** Returns a cached name without a statement program, which would cost as much as the rest; reads it where it is not cached. */
const recallNow = <T>(sql: Statements, { known, read }: NameCache<number, T>, n: number): T =>
  known(n) ?? runProgram(sql, read(n))

const originNow = (sql: Statements, row: TokenNumbers, nameCaches: NameCaches, sets: Sets): RowNames['origin'] =>
  nameCaches.origin.known(originKey(row)) ?? runProgram(sql, readNamedOrigin(row, nameCaches, sets))

const namesOf = (sql: Statements, row: TokenNumbers, nameCaches: NameCaches, sets: Sets): RowNames => ({
  agent: recallNow(sql, nameCaches.agent, row.agent),
  credential: recallNow(sql, nameCaches.credential, row.cred),
  publicJwk: recallNow(sql, nameCaches.publicJwk, row.key),
  scope: recallNow(sql, sets.scope, row.scope),
  audience: recallNow(sql, sets.audience, row.aud),
  origin: isPlain(row) ? null : originNow(sql, row, nameCaches, sets),
})

const lookUp = (snapshot: SqliteSnapshot, address: TokenAddress): FoundRow | undefined => {
  const row = snapshot.sql<Row>(SELECT).get(address.lifetimeSeconds, address.id)
  return row !== undefined && isThere(row) ? row : undefined
}

const ancestorsOf = ({ sql, sets }: SqliteSnapshot, { lineage }: TokenNumbers): readonly StoredAncestor[] =>
  lineage === null ? NO_ANCESTORS : recallNow(sql, sets.lineage, lineage)

/** A row as it is judged. Its own ancestors are left out: those of its descendant hold them all. */
const lookedUp = (snapshot: SqliteSnapshot, address: TokenAddress, row: FoundRow): LookedUpToken => {
  const { sql, sets, service, now } = snapshot
  const scope = recallNow(sql, sets.scope, row.scope).items
  const audience = recallNow(sql, sets.audience, row.aud)
  const issuer = row.principal === null ? null : recallNow(sql, sets.issuer, row.principal)
  const token = tokenOf(address, row, { scope, audience, issuer, ancestors: ancestorsOf(snapshot, row) })
  const openCutOffs = row.seq >= service.lastEndSeq ? [] : runProgram(sql, snapshot.comparedCutOffs())
  return { token, ended: endedSeqs(snapshot, row, issuer), openCutOffs, now }
}

/** The ancestors of a token, in their order; undefined where one has no row. */
const lookUpAncestors = (snapshot: SqliteSnapshot, ancestors: readonly Ancestor[]) =>
  ancestors.map(address => {
    const row = lookUp(snapshot, address)
    return row === undefined ? undefined : lookedUp(snapshot, address, row)
  })

type Addressed = { readonly address: TokenAddress; readonly row: FoundRow }

const describe = (snapshot: SqliteSnapshot, nameCaches: NameCaches, { address, row }: Addressed): FoundToken => {
  const names = namesOf(snapshot.sql, row, nameCaches, snapshot.sets)
  const one = lookedUp(snapshot, address, row)
  return {
    ...recordWith(address, names),
    dead: isDead(one, lookUpAncestors(snapshot, one.token.ancestors)),
    digest: row.digest,
    publicJwk: names.publicJwk,
    seq: row.seq,
  }
}

/** Whether no name of the row would have to be read: those that retention removed are not there. */
const isRemembered = ({ sets }: SqliteSnapshot, nameCaches: NameCaches, row: FoundRow): boolean =>
  nameCaches.agent.known(row.agent) !== undefined &&
  nameCaches.credential.known(row.cred) !== undefined &&
  nameCaches.publicJwk.known(row.key) !== undefined &&
  sets.scope.known(row.scope) !== undefined &&
  sets.audience.known(row.aud) !== undefined

/** No token of ours is there: it would have been issued in 1970. */
const NOWHERE: TokenAddress = { id: '00000000-0000-7000-8000-000000000000', lifetimeSeconds: 1 }

/**
 * Finds tokens, in order; undefined where there is no row, because the token was never written or has been moved. A miss takes as long
 * as a hit, so that the time reveals nothing: it does the rest with the token that was found last, and drops the result.
 */
const makeFindTokens = (nameCaches: NameCaches) => {
  let decoy: Addressed | undefined
  const findOne = (snapshot: SqliteSnapshot, address: TokenAddress | undefined): FoundToken | undefined => {
    const row = lookUp(snapshot, address ?? decoy?.address ?? NOWHERE)
    if (address !== undefined && row !== undefined) {
      const found = { address, row }
      // One with a parent would cost a read for each of its ancestors, and a principal may be removed.
      if (isPlain(row)) decoy = found
      return describe(snapshot, nameCaches, found)
    }
    if (decoy !== undefined && isRemembered(snapshot, nameCaches, decoy.row)) describe(snapshot, nameCaches, decoy)
    return undefined
  }
  return (
    snapshot: SqliteSnapshot,
    addresses: readonly (TokenAddress | undefined)[],
  ): readonly (FoundToken | undefined)[] => addresses.map(address => findOne(snapshot, address))
}

// The reading side of a serving thread: snapshots of the store, with the store's clock, and no statement left open.

/** A snapshot, and the statements of its connection for what is done most. */
type SqliteSnapshot = Snapshot & {
  readonly sql: Statements
  /** The open cut-offs that look-ups compare. */
  readonly comparedCutOffs: () => Program<readonly CutOff[]>
}

type SqliteReader = Reader & {
  /** Like `read`, for work that is no statement program. */
  readonly readDirectly: <T>(work: (snapshot: SqliteSnapshot) => T) => Promise<T>
  readonly close: () => void
}

type Kind = LabelsOf<'mintmark_store_read_seconds'>['kind']

/** Reads once in a snapshot, however often it is asked. */
const once = (read: () => Program<readonly CutOff[]>) => {
  let seen: readonly CutOff[] | undefined
  return function* (): Program<readonly CutOff[]> {
    seen ??= yield* read()
    return seen
  }
}

const ATTEMPTS = 5

const asUnavailable = (fault: unknown): unknown =>
  isStoreFault(fault) && fault instanceof Error && !(fault instanceof Unavailable)
    ? new Unavailable(`The store cannot be read: ${fault.message}.`)
    : fault

/** No `await` stands between begin and commit: one thread, one snapshot. */
export const makeReader = (
  db: Database,
  clock: () => Milliseconds,
  writer: Pick<SqliteWriter, 'call'>,
  { onFault, metrics }: { readonly onFault: OnFault; readonly metrics: Metrics },
): SqliteReader => {
  const sql = statementsOf(db)
  const sets = makeSets()
  const open = (kind: Kind) => metrics.histogram('mintmark_store_read_seconds', { kind })
  const observe = { tokens: open('tokens'), snapshot: open('snapshot') }
  const lease = makeLease(() => writer.call('renewLease', null), onFault)

  const snapshot = <T>(work: (snapshot: SqliteSnapshot) => T): T => {
    sql('begin').run()
    try {
      const service = readServiceRow(sql)
      const now = Math.max(clock(), service.lastAt)
      const [cutOffs, comparedCutOffs] = [once(readOpenCutOffs), once(readComparedCutOffs)]
      return work({ sql, sets, service, now, cutOffs, comparedCutOffs, endedBetween })
    } finally {
      if (db.inTransaction()) sql('commit').run()
    }
  }

  const attempt = <T>(kind: Kind, work: (snapshot: SqliteSnapshot) => T): T => {
    const began = performance.now()
    try {
      return attemptOften(work)
    } finally {
      observe[kind]((performance.now() - began) / 1000)
    }
  }

  const attemptOften = <T>(work: (snapshot: SqliteSnapshot) => T): T => {
    for (let n = 1; ; n += 1) {
      try {
        return snapshot(work)
      } catch (fault) {
        if (!isBusy(fault) || n >= ATTEMPTS) throw asUnavailable(fault)
      }
    }
  }

  const readAs = <T>(kind: Kind, work: (snapshot: SqliteSnapshot) => T): Promise<T> =>
    lease.answer(() => attempt(kind, seen => (lease.covers(seen.now, seen.service.clockLease) ? work(seen) : LATE)))

  return {
    readDirectly: work => readAs('tokens', work),
    read: program => readAs('snapshot', seen => runProgram(sql, program(seen))),
    readUntimed: async program => attempt('snapshot', seen => runProgram(sql, program(seen))),
    close: () => db.close(),
  }
}
