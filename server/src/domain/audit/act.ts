// An act: a recorded change of the store with actor, reason and request id. Its own transaction records it.
import type { ActKind } from '../../../../api/values/audit.ts'
import type { Source } from '../source.ts'

/** Who acted, as shown in history and the audit log. */
export type Actor =
  | { readonly type: 'operator'; readonly iss: string; readonly sub: string }
  | { readonly type: 'client'; readonly id: string }
  | { readonly type: 'api_key'; readonly id: string }
  /** By its alias. */
  | { readonly type: 'issuer'; readonly id: string }
  | { readonly type: 'cli'; readonly id: string }
  | { readonly type: 'system' }

/** Whether the filter of a list names this actor: by a `sub`, an `id`, or `system`. */
export const isNamed = (actor: Actor, name: string): boolean => {
  if (actor.type === 'operator') return actor.sub === name
  return (actor.type === 'system' ? actor.type : actor.id) === name
}

export type Act = {
  readonly kind: ActKind
  readonly actor: Actor
  readonly note: string | null
  readonly requestId: string | null
  /** The source of the request; null for an act on the command line or by the service itself. */
  readonly source: Source | null
  /** The place where a reported leaked secret was found, for the audit log; null where it is not known. */
  readonly foundAt?: string | null
  /** The key by which a repeated request creates its record only once. */
  readonly idempotencyKey?: string
}

/** An act of the service itself. */
export const systemAct = (kind: ActKind): Act => ({
  kind,
  actor: { type: 'system' },
  note: null,
  requestId: null,
  source: null,
})
