// The audit log: what acts wrote, and authentications that were refused, counted.
import type { Attempt, RefusalCount, RefusalFilters } from '../domain/audit/attempt.ts'
import type { AuditEntry, AuditFilters } from '../domain/audit/audit.ts'
import type { Page, PageRequest } from '../domain/lists/page.ts'
import type { Source } from '../domain/source.ts'

export interface AuditLog {
  /** Newest first. The transaction of an act writes its entry, which never changes. */
  list(request: PageRequest<AuditFilters>): Promise<Page<AuditEntry>>
  /** Newest first. */
  listRefusals(request: PageRequest<RefusalFilters>): Promise<Page<RefusalCount>>
  /** Counts in memory and writes about a second later, in the background. */
  countRefusal(attempt: Attempt, source: Source): void
}
