// In this folder: connections to PostgreSQL: finding the primary, session settings, pool, clock, which faults are outages.
// Where a PostgreSQL database is, and what an operator allows of it, as the configuration says it.
import type { Timing } from '../../../ports/timing.ts'

export type DatabaseHost = {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string
  readonly port: number
}

/** What would break a promise, and is refused unless it is allowed by this name. */
export type Unsafe = 'fsync' | 'full_page_writes' | 'plaintext' | 'quorum'

export type DatabaseAddress = {
  /** The hosts of one cluster; whichever is the primary is used. */
  readonly hosts: readonly DatabaseHost[]
  readonly database: string
  readonly user: string
  /** A secret; null: none is sent. */
  readonly password: string | null
  /** Null where TLS is off. `ca`: certificates in PEM in place of the system's. */
  readonly tls: { readonly ca: string | null } | null
  readonly allowed: readonly Unsafe[]
  /** `session`: the connection is ours. `transaction`: a pooler gives us another one for each transaction. */
  readonly pooling: 'session' | 'transaction'
  /** Whether look-ups wait for the synchronous standby; `auto`: where there is one. */
  readonly fencedReads: 'auto' | 'on' | 'off'
}

type ConnectionTiming = Pick<
  Timing,
  'connectMs' | 'databaseAnswerMs' | 'idleTransactionMs' | 'keepAliveMs' | 'otherPrimariesMs' | 'statementMs'
>

/** What it takes to connect: where the database is, and how long the process waits for it. */
export type DatabaseAccess = { readonly address: DatabaseAddress; readonly timing: ConnectionTiming }
