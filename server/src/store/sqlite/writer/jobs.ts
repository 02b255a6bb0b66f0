// What the writing thread can be asked to do: the jobs of every store, and what SQLite does in its own way.
import { coverAnswer } from '../../lease.ts'
import {
  insertTokens,
  type GroupShares,
  type GroupToken,
  sharesOf,
  type TokenGroup,
} from '../../ledger/insert-tokens.ts'
import type { InsertOutcome, NewToken } from '../../../ports/ports.ts'
import { given, only, run, type Program } from '../../statement-program.ts'
import { act, type InputIn, JOBS as SHARED, type OutputIn, quiet } from '../../subjects.ts'
import type { Transaction } from '../../transaction.ts'

/** The id of a pause of acts, by which its caller ends it, and no other. */
export type ActsPause = string

export const JOBS = {
  ...SHARED,
  insertTokens: act(function* (tx: Transaction, packed: PackedTokens): Program<readonly InsertOutcome[]> {
    if (packed.limits.size > 0) {
      // Changes when another process writes. It may have ended tokens: the cached live tokens are then discarded.
      const { data_version: version } = yield* only<{ data_version: number }>('pragma data_version')
      tx.live.follow(version)
    }
    return yield* insertTokens(tx, unpackTokens(packed))
  }),
  /** Writes nothing: the queue keeps acts back until `resumeActs` of the same pause, see writer-queue.ts. */
  pauseActs: act((_tx: Transaction, _pause: ActsPause): Program<null> => given(null)),
  resumeActs: quiet((_tx: Transaction, _pause: ActsPause): Program<null> => given(null)),
  /** Every transaction renews the lease of the clock where half of it has gone; this one does nothing else. */
  renewLease: quiet((tx: Transaction, _input: null): Program<null> => coverAnswer(tx)),
  /** A durable write that proves the disk and changes nothing: SQLite writes this page even where the value is the same. */
  verifyWrite: quiet(function* (_tx: Transaction, _input: null): Program<null> {
    yield* run('pragma user_version = 0')
    return null
  }),
} as const

export type JobName = keyof typeof JOBS
export type JobInput<Name extends JobName> = InputIn<typeof JOBS, Name>
export type JobOutput<Name extends JobName> = OutputIn<typeof JOBS, Name>

// A group of new tokens as one buffer: cloning an object for each token between threads costs more than its insert.

// A row: id 16 bytes, digest 16 bytes, then numbers.
const ROW_BYTES = 64
const AT = { digest: 16, life: 32, agent: 36, credential: 40, key: 44, scope: 48, audience: 52, seq: 56 } as const

/** The buffer is transferred, not copied. */
type PackedTokens = GroupShares & { readonly rows: ArrayBuffer }

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

const unpackTokens = ({ rows, ...shares }: PackedTokens): TokenGroup => {
  const bytes = Buffer.from(rows)
  const tokens = Array.from({ length: bytes.length / ROW_BYTES }, (_, n) => unpackToken(bytes, n * ROW_BYTES))
  return { ...shares, tokens }
}
