// Verifiers that follow the revocation feed: where each says that it is.
import type { Holding, PositionReport, StandingVerifier } from '../domain/clients/verifier.ts'

/** The API key whose verifiers alone are seen; null: those of all. */
type OfApiKey = { readonly apiKeyId: string | null }

export type VerifiersRequest = OfApiKey & {
  /** The key at the end of the page before: the id of its API key, and its name; null for the first page. */
  readonly after: string | null
  readonly limit: number
}

/** `position`: of the present epoch of the feed; null: anywhere. */
export type HoldingRequest = OfApiKey & { readonly position: number | null }

export interface Verifiers {
  /**
   * Takes a report into memory, and hands it over at once, in the background: as many as come meanwhile go together. Of two
   * reports of one verifier in one epoch the greater position stays. Never throws.
   */
  report(report: PositionReport): void
  /** Lists verifiers by API key and name. */
  list(request: VerifiersRequest): Promise<readonly StandingVerifier[]>
  /** Splits the recent verifiers into those at the position or later, and the others. */
  holding(request: HoldingRequest): Promise<Holding>
}
