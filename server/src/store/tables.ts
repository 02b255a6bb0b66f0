// The tables that a store is, in an order in which each row finds what it refers to, and how their rows are read and
// written when a store is copied into another one.
import type { Value } from './statement-program.ts'

export type Table = {
  readonly name: string
  /** The columns of its key, in whose order rows are copied: bytes before greater bytes, whatever a database sorts by. */
  readonly key: readonly string[]
  /** The columns of the key that are text. */
  readonly texts: readonly string[]
}

const table = (name: string, key: readonly string[], texts: readonly string[] = []): Table => ({ name, key, texts })

/** The tables without `service`, whose row makes the copy a store, and `ended_minute`, which maintains itself. */
export const TABLES: readonly Table[] = [
  table('lifetime', ['life']),
  table('agent', ['n']),
  table('credential', ['n']),
  table('api_key', ['n']),
  table('signing_key', ['n']),
  table('scope_set', ['n']),
  table('scope_set_item', ['item', 'n'], ['item']),
  table('audience_set', ['n']),
  table('audience_span', ['aud', 'span']),
  table('trusted_issuer', ['n']),
  table('principal', ['n']),
  table('blocked_subject', ['issuer', 'sub'], ['sub']),
  table('issuer_client', ['issuer', 'client'], ['client']),
  table('lineage', ['n']),
  table('lineage_ancestor', ['ancestor', 'n']),
  table('act', ['n']),
  table('token', ['life', 'id']),
  table('ended', ['id']),
  table('cutoff', ['seq']),
  table('cascade', ['token']),
  table('fact', ['n']),
  table('verifier', ['api_key', 'name'], ['api_key', 'name']),
  table('session', ['id'], ['id']),
  table('audit', ['n']),
  table('seal', ['n']),
  table('seal_key', ['last_n']),
  table('refused', ['n']),
  table('issue_count', ['agent']),
  table('agent_usage', ['slot_ms', 'slot', 'agent']),
  table('refusal_count', ['slot_ms', 'slot', 'agent', 'reason'], ['reason']),
  table('token_use', ['n']),
  table('late_use', ['n']),
  table('idempotency', ['actor', 'key'], ['actor', 'key']),
  table('used_proof', ['id']),
  table('workload', ['issuer', 'prefix', 'subject'], ['issuer', 'subject']),
]

/** The only row of `service`. */
export const SERVICE: Table = table('service', ['one'])

/** The values of a row, in the order of the columns that were asked for. */
export type Row = readonly Value[]

export type Page = {
  readonly table: Table
  readonly columns: readonly string[]
  /** The key of the last row before it; null: from the first row on. */
  readonly after: Row | null
  readonly limit: number
}

export type RowSource = {
  /** Returns the columns in the order of their names. */
  readonly columns: (table: Table) => Promise<readonly string[]>
  /** Rows in the order of the key. */
  readonly page: (page: Page) => Promise<readonly Row[]>
}

export type RowTarget = RowSource & {
  readonly write: (table: Table, columns: readonly string[], rows: readonly Row[]) => Promise<void>
}
