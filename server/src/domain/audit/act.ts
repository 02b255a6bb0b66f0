// An act: something that a caller does and that changes the store. It is recorded in the transaction that does it.
import type { Source } from '../source.ts'

/** Who acted, as history and audit show it. */
export type Actor =
  | { readonly type: 'operator'; readonly iss: string; readonly sub: string }
  | { readonly type: 'client'; readonly id: string }
  | { readonly type: 'api_key'; readonly id: string }
  | { readonly type: 'cli'; readonly id: string }
  | { readonly type: 'system' }

export const ACT_KINDS = [
  'agent.change',
  'agent.create',
  'agent.delete',
  'agent.disable',
  'agent.enable',
  'agent.import',
  'api_key.create',
  'api_key.revoke',
  'api_key.rotate',
  'clock.reset',
  'credential.convert',
  'credential.create',
  'credential.revoke',
  'credential.rotate',
  'revocation.create',
  'signing_key.compromise',
  'signing_key.create',
  'signing_key.drop',
  'signing_key.import',
  'signing_key.reencrypt',
  'signing_key.retire',
  'signing_key.rotate',
  'store.accept',
  'store.restore',
  'token.revoke',
  'token.supersede',
] as const

export type ActKind = (typeof ACT_KINDS)[number]

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
