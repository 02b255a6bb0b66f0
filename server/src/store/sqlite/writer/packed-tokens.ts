// A group of new tokens as one buffer: cloning an object for each token between threads costs more than its insert.
import { type GroupShares, type GroupToken, sharesOf, type TokenGroup } from '../../ledger/insert-tokens.ts'
import type { NewToken } from '../../../ports/ports.ts'

// A row: id 16 bytes, digest 16 bytes, then numbers.
const ROW_BYTES = 64
const AT = { digest: 16, life: 32, agent: 36, credential: 40, key: 44, scope: 48, audience: 52, seq: 56 } as const

/** The buffer is transferred, not copied. */
export type PackedTokens = GroupShares & { readonly rows: ArrayBuffer }

export const packTokens = (tokens: readonly NewToken[]): PackedTokens => {
  const { shares, positions } = sharesOf(tokens)
  const rows = new ArrayBuffer(ROW_BYTES * tokens.length)
  const bytes = Buffer.from(rows)
  tokens.forEach((token, n) => {
    const from = n * ROW_BYTES
    bytes.write(token.id.replaceAll('-', ''), from, 'hex')
    bytes.write(token.digest, from + AT.digest, 'hex')
    bytes.writeUInt32LE(token.lifetimeSeconds, from + AT.life)
    bytes.writeUInt32LE(token.agent, from + AT.agent)
    bytes.writeUInt32LE(token.credential, from + AT.credential)
    bytes.writeUInt32LE(token.signingKey, from + AT.key)
    bytes.writeUInt32LE(positions[n]?.scope ?? 0, from + AT.scope)
    bytes.writeUInt32LE(positions[n]?.audience ?? 0, from + AT.audience)
    bytes.writeDoubleLE(token.seq, from + AT.seq)
  })
  return { ...shares, rows }
}

const unpackToken = (bytes: Buffer, from: number): GroupToken => ({
  id: bytes.subarray(from, from + AT.digest),
  digest: bytes.subarray(from + AT.digest, from + AT.life),
  life: bytes.readUInt32LE(from + AT.life),
  agent: bytes.readUInt32LE(from + AT.agent),
  credential: bytes.readUInt32LE(from + AT.credential),
  key: bytes.readUInt32LE(from + AT.key),
  scope: bytes.readUInt32LE(from + AT.scope),
  audience: bytes.readUInt32LE(from + AT.audience),
  seq: bytes.readDoubleLE(from + AT.seq),
})

export const unpackTokens = ({ rows, ...shares }: PackedTokens): TokenGroup => {
  const bytes = Buffer.from(rows)
  const tokens = Array.from({ length: bytes.length / ROW_BYTES }, (_, n) => unpackToken(bytes, n * ROW_BYTES))
  return { ...shares, tokens }
}
