// Operators, as the identity providers that are configured name them.
import type { OperatorCaller } from '../domain/caller.ts'
import type { ReadingFailure } from './key-sets.ts'

/** Whether the operators of a provider can be recognized. */
export type ProviderState =
  | { readonly issuer: string; readonly status: 'ok' }
  /** `stale`: keys that were read before are believed for now, and newer ones cannot be read. */
  | (ReadingFailure & { readonly issuer: string; readonly status: 'stale' | 'unavailable' })

export interface Operators {
  /**
   * The operator whom a JWT of a configured identity provider names, or why it is refused (for the log only). Throws
   * Unavailable where the keys cannot be had, or too many wait to be verified; of these each network has its share.
   */
  verify(jwt: string, source: string): Promise<OperatorCaller | { readonly refused: string }>
  /** One state for each provider that is configured, in that order. It reads keys anew where it is time for that. */
  check(): Promise<readonly ProviderState[]>
}
