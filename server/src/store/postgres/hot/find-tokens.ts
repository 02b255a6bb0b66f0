// Says of tokens that were looked up what they are, and whether they are dead.
import type { TokenAddress } from '../../../domain/ledger/claims.ts'
import { isDead } from '../../../domain/ledger/ledger.ts'
import type { MonotonicMilliseconds } from '../../../../../api/values/time.ts'
import type { FoundToken } from '../../../ports/ports.ts'
import { LATE, type Lease } from '../../lease.ts'
import { type NameCaches, recordWith, type RowNames } from '../../ledger/name-caches.ts'
import type { Sets } from '../../ledger/interned-sets.ts'
import { tokenOf, type TokenNumbers } from '../../ledger/token-rows.ts'
import { recall } from '../../name-cache.ts'
import type { Program } from '../../statement-program.ts'
import type { BatchedLookup, LookedUp, TokenColumns } from './batched-lookup.ts'
import type { Session } from '../connection/session.ts'

type Memory = { readonly nameCaches: NameCaches; readonly sets: Pick<Sets, 'scope' | 'audience'> }

const numbersOf = ([, agent, cred, key, scope, aud, seq]: TokenColumns): TokenNumbers => {
  return { agent, cred, key, scope, aud, seq }
}

/** What the row names, where all of it is remembered: a statement program for each would cost as much as the rest. */
const knownNames = (row: TokenNumbers, { nameCaches, sets }: Memory): RowNames | undefined => {
  const [agent, credential] = [nameCaches.agent.known(row.agent), nameCaches.credential.known(row.cred)]
  const publicJwk = nameCaches.publicJwk.known(row.key)
  const [scope, audience] = [sets.scope.known(row.scope), sets.audience.known(row.aud)]
  if (agent === undefined || credential === undefined || publicJwk === undefined) return undefined
  return scope === undefined || audience === undefined ? undefined : { agent, credential, publicJwk, scope, audience }
}

function* readNames(row: TokenNumbers, { nameCaches, sets }: Memory): Program<RowNames> {
  return {
    agent: yield* recall(nameCaches.agent, row.agent),
    credential: yield* recall(nameCaches.credential, row.cred),
    publicJwk: yield* recall(nameCaches.publicJwk, row.key),
    scope: yield* recall(sets.scope, row.scope),
    audience: yield* recall(sets.audience, row.aud),
  }
}

type Asked = { readonly address: TokenAddress; readonly columns: TokenColumns; readonly row: TokenNumbers }

const foundToken = ({ address, columns, row }: Asked, names: RowNames, { moment, cutOffs }: LookedUp): FoundToken => {
  const [digest, , , , , , , agent, credential, key] = columns
  const token = tokenOf(address, row, { scope: names.scope.items, audience: names.audience })
  const endedSeqs = { service: moment.service.endedSeq, agent, credential, key }
  return {
    ...recordWith(address, names),
    dead: isDead(token, endedSeqs, cutOffs, moment.now),
    digest: digest.replaceAll('-', ''),
    publicJwk: names.publicJwk,
  }
}

/** In order; LATE where the lease of the clock does not cover the time of the answer. */
type Found = readonly (FoundToken | undefined)[] | typeof LATE

type FindTokens = (addresses: readonly TokenAddress[], until: MonotonicMilliseconds) => Promise<Found>

type FindParts = Memory & { readonly lookup: BatchedLookup; readonly lease: Lease }

/** In order; undefined where there is no row, because the token was never written or has been moved. */
export const makeFindTokens = ({ pool, runner }: Session, { lookup, lease, ...memory }: FindParts): FindTokens => {
  // What numbers stand for never changes: another snapshot tells the same.
  const learnNames = (row: TokenNumbers, until: MonotonicMilliseconds): Promise<RowNames> =>
    pool.use(connection => runner.runProgram(connection, readNames(row, memory)), until)

  return async (addresses, until) => {
    const lookedUp = await lookup(addresses, until)
    const { moment, rows } = lookedUp
    if (!lease.covers(moment.now, moment.service.clockLease)) return LATE
    const tokens: (FoundToken | undefined)[] = []
    for (const [n, address] of addresses.entries()) {
      const columns = rows[n] ?? null
      const row = columns === null ? null : numbersOf(columns)
      if (columns === null || row === null) tokens.push(undefined)
      else {
        const names = knownNames(row, memory) ?? (await learnNames(row, until))
        tokens.push(foundToken({ address, columns, row }, names, lookedUp))
      }
    }
    return tokens
  }
}
