// A group of new tokens as one buffer, between a thread that serves and the one that writes.
import type { AgentLimits } from '../../../../../api/values/limits.ts'
import type { NewToken } from '../../../ports/ports.ts'
import type { SingleUse } from '../../../ports/secret-repositories.ts'
import type { TokenUse } from '../../ledger/new-tokens.ts'

// A packed row: id 16 bytes, digest 16 bytes, then numbers. Cloning objects between threads costs more than the insert.
const ROW_BYTES = 64
const AT = { digest: 16, life: 32, agent: 36, credential: 40, key: 44, scope: 48, audience: 52, seq: 56 } as const

/** A group of new tokens in a form that is handed over without a copy. */
export type PackedTokens = {
  readonly rows: ArrayBuffer
  /** Distinct scope texts and audience lists (JSON); rows name them by position. */
  readonly scopes: readonly string[]
  readonly audiences: readonly string[]
  /** The limits of those agents that have any, by the agent's number. */
  readonly limits: ReadonlyMap<number, AgentLimits>
  /** DPoP proofs and client assertions, of the rows that have any. */
  readonly proofs: readonly PackedProof[]
}

/** `row` is the position of its token. */
export type PackedProof = TokenUse & { readonly row: number }

export type UnpackedToken = {
  readonly id: Buffer
  readonly digest: Buffer
  readonly life: number
  readonly agent: number
  readonly credential: number
  readonly key: number
  readonly scope: number
  readonly audience: number
  readonly seq: number
}

const positionIn = (positions: Map<string, number>, text: string): number => {
  const known = positions.get(text)
  if (known !== undefined) return known
  positions.set(text, positions.size)
  return positions.size - 1
}

// Without the thumbprint that a DPoP proof has.
const packProof = (row: number, kind: PackedProof['kind'], { id, until }: SingleUse): PackedProof => ({
  row,
  kind,
  id,
  until,
})

export const packTokens = (tokens: readonly NewToken[]): PackedTokens => {
  const rows = new ArrayBuffer(ROW_BYTES * tokens.length)
  const bytes = Buffer.from(rows)
  const scopes = new Map<string, number>()
  const audiences = new Map<string, number>()
  const limits = new Map<number, AgentLimits>()
  const proofs: PackedProof[] = []
  tokens.forEach((token, n) => {
    const from = n * ROW_BYTES
    bytes.write(token.id.replaceAll('-', ''), from, 'hex')
    bytes.write(token.digest, from + AT.digest, 'hex')
    bytes.writeUInt32LE(token.lifetimeSeconds, from + AT.life)
    bytes.writeUInt32LE(token.agent, from + AT.agent)
    bytes.writeUInt32LE(token.credential, from + AT.credential)
    bytes.writeUInt32LE(token.signingKey, from + AT.key)
    bytes.writeUInt32LE(positionIn(scopes, token.scope), from + AT.scope)
    bytes.writeUInt32LE(positionIn(audiences, JSON.stringify(token.audience)), from + AT.audience)
    bytes.writeDoubleLE(token.seq, from + AT.seq)
    if (token.limits !== null) limits.set(token.agent, token.limits)
    if (token.assertion !== undefined) proofs.push(packProof(n, 'assertion', token.assertion))
    if (token.proof !== undefined) proofs.push(packProof(n, 'dpop', token.proof))
  })
  return { rows, scopes: [...scopes.keys()], audiences: [...audiences.keys()], limits, proofs }
}

export const unpackTokens = (rows: ArrayBuffer): readonly UnpackedToken[] => {
  const bytes = Buffer.from(rows)
  return Array.from({ length: bytes.length / ROW_BYTES }, (_, n) => {
    const from = n * ROW_BYTES
    return {
      id: bytes.subarray(from, from + AT.digest),
      digest: bytes.subarray(from + AT.digest, from + AT.life),
      life: bytes.readUInt32LE(from + AT.life),
      agent: bytes.readUInt32LE(from + AT.agent),
      credential: bytes.readUInt32LE(from + AT.credential),
      key: bytes.readUInt32LE(from + AT.key),
      scope: bytes.readUInt32LE(from + AT.scope),
      audience: bytes.readUInt32LE(from + AT.audience),
      seq: bytes.readDoubleLE(from + AT.seq),
    }
  })
}
