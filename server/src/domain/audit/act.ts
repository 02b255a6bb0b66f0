// An act: something that a caller does and that changes the store. It is recorded in the transaction that does it.
import type { ActKind } from '../../../../api/values/audit.ts'
import type { Source } from '../source.ts'

/** Who acted, as history and audit show it. */
export type Actor =
  | { readonly type: 'operator'; readonly iss: string; readonly sub: string }
  | { readonly type: 'client'; readonly id: string }
  | { readonly type: 'api_key'; readonly id: string }
  | { readonly type: 'cli'; readonly id: string }
  | { readonly type: 'system' }

export type Act = {
  readonly kind: ActKind
  readonly actor: Actor
  readonly note: string | null
  readonly requestId: string | null
  /** Where the request came from; null for an act at the terminal, or of the service itself. */
  readonly source: Source | null
  /** Of an act that creates something, to do it once. */
  readonly idempotencyKey?: string
}

/** An act that nobody asked for: the service did it by itself. */
export const systemAct = (kind: ActKind): Act => ({
  kind,
  actor: { type: 'system' },
  note: null,
  requestId: null,
  source: null,
})
