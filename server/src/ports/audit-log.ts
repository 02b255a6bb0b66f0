// In this folder: an interface for every effect that operations need. Each method says what it promises under concurrency.
// The audit log: what acts wrote, and authentications that were refused, counted.
import type { Attempt, RefusalCount, RefusalFilters } from '../domain/audit/attempt.ts'
import type { AuditEntry, AuditFilters } from '../domain/audit/audit.ts'
import type { SealCheck } from '../domain/audit/seal.ts'
import type { Page, PageRequest } from '../domain/lists/page.ts'
import type { Source } from '../domain/source.ts'

export interface AuditLog {
  /** Newest first. The transaction of an act writes its entry, which never changes. */
  list(request: PageRequest<AuditFilters>): Promise<Page<AuditEntry>>
  /** Lists refusals, newest first. */
  listRefusals(request: PageRequest<RefusalFilters>): Promise<Page<RefusalCount>>
  /** Counts in memory and writes about a second later, in the background. */
  countRefusal(attempt: Attempt, source: Source): void
}

export interface AuditSeals {
  /**
   * Checks the next seals after this one (0: from the first), and what they cover, in one snapshot; at most 64 seals, and 500
   * entries where they are several. After the last seal, what is not sealed yet. `unknown`: no seal ever had this number.
   */
  check(after: number): Promise<SealCheck | 'unknown'>
}
