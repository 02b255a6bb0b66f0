// Operators, as the identity providers that are configured name them.
import type { OperatorCaller } from '../domain/caller.ts'

export interface Operators {
  /**
   * The operator whom a JWT of a configured identity provider names, or why it is refused (for the log only). Throws
   * Unavailable where the keys cannot be had, or too many wait to be verified; of these each network has its share.
   */
  verify(jwt: string, source: string): Promise<OperatorCaller | { readonly refused: string }>
}
