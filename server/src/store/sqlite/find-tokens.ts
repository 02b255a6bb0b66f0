// Looks tokens up by their address: one point read each, and the numbers that may have ended them, in one snapshot.
import type { TokenAddress } from '../../domain/claims.ts'
import type { Digest } from '../../domain/hash.ts'
import { type EndedSeqs, isDead } from '../../domain/ledger.ts'
import type { FoundToken } from '../../ports.ts'
import type { Labels } from '../ledger/labels.ts'
import type { Snapshot } from './reader.ts'
import { ledgerTokenAt, type TokenNumbers } from '../ledger/token-rows.ts'

type FoundRow = TokenNumbers & { readonly digest: Digest }

// As text: buffers that cross into SQLite and back cost more than the look-up.
const SELECT = `select agent, cred, key, scope, aud, seq, lower(hex(digest)) as digest from token
  where life = ? and id = unhex(?, '-')`

const ENDED_SEQ = {
  agent: 'select ended_seq as seq from agent where n = ?',
  credential: 'select ended_seq as seq from credential where n = ?',
  key: 'select ended_seq as seq from signing_key where n = ?',
} as const

const endedSeqs = ({ sql, service }: Snapshot, row: TokenNumbers): EndedSeqs => {
  // No act ended many tokens since this one was decided on: no number can be above its own.
  if (row.seq >= service.lastEndSeq) return { service: 0, agent: 0, credential: 0, key: 0 }
  const of = (name: keyof typeof ENDED_SEQ, n: number): number => {
    const found = sql<{ seq: number }>(ENDED_SEQ[name]).get(n)
    if (found === undefined) throw new Error(`The ledger names ${name} ${n}, which is not there.`)
    return found.seq
  }
  return {
    service: service.endedSeq,
    agent: of('agent', row.agent),
    credential: of('credential', row.cred),
    key: of('key', row.key),
  }
}

/** In order; undefined where there is no row, because the token was never written or has been moved. */
export const findTokens = (
  snapshot: Snapshot,
  labels: Labels,
  addresses: readonly TokenAddress[],
): readonly (FoundToken | undefined)[] =>
  addresses.map(address => {
    const row = snapshot.sql<FoundRow>(SELECT).get(address.lifetimeSeconds, address.id)
    if (row === undefined) return undefined
    const token = ledgerTokenAt(address, row, snapshot.sets)
    const cutOffs = row.seq >= snapshot.service.lastEndSeq ? [] : snapshot.cutOffs()
    return {
      ...labels.recordAt(address, row, snapshot.sets),
      dead: isDead(token, endedSeqs(snapshot, row), cutOffs, snapshot.now),
      digest: row.digest,
      publicJwk: labels.publicJwk(row.key),
    }
  })
