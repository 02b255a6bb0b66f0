// Subjects of trusted issuers: blocked, unblocked and listed.
import { isAlias, BLOCKED_SUBJECTS_MAX } from '../../../../api/values/issuers.ts'
import type { IssuerSubject } from '../../../../api/values/subject.ts'
import { actBy, type Administrator, type Origin } from '../../domain/caller.ts'
import type { Subject, SwitchedSubject } from '../../domain/clients/blocked-subject.ts'
import type { Counted } from '../../domain/ledger/ends.ts'
import { type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { SubjectFilters } from '../../ports/issuers.ts'
import type { Ports } from '../../ports/ports.ts'
import { type ListPage, type ListRequest, readKeyedPage } from '../reading/read-page.ts'
import { refuseUnknownIssuer, type Stop } from './issuers.ts'

const TOO_MANY = `${BLOCKED_SUBJECTS_MAX} subjects are blocked, the most there can be: unblock some, or revoke by subject.`

/** The subject, blocked now or before: from the acknowledgement on no token that acts for it is active, and none is issued. */
export const blockSubject = async (
  ports: Pick<Ports, 'issuers' | 'dryRuns'>,
  origin: Origin,
  subject: IssuerSubject,
  { note, dryRun }: Stop,
): Promise<OrRefusal<SwitchedSubject | Counted>> => {
  const { issuer: alias } = subject
  if (!isAlias(alias)) return refuseUnknownIssuer(alias)
  const found = dryRun
    ? await ports.dryRuns.blockSubject(subject)
    : await ports.issuers.block(subject, actBy(origin, 'subject.block', note))
  if (found === 'too_many') return refuse('invalid_request', TOO_MANY)
  if (found === 'unknown') return refuseUnknownIssuer(alias)
  return 'tokens' in found ? { ends: found } : found
}

/** The subject, unblocked now or before: tokens can be got for it again, and what ended stays ended. */
export const unblockSubject = async (
  ports: Pick<Ports, 'issuers'>,
  origin: Origin,
  subject: IssuerSubject,
  note: string | null,
): Promise<OrRefusal<SwitchedSubject>> => {
  const { issuer: alias } = subject
  if (!isAlias(alias)) return refuseUnknownIssuer(alias)
  const unblocked = await ports.issuers.unblock(subject, actBy(origin, 'subject.unblock', note))
  return unblocked === 'unknown' ? refuseUnknownIssuer(alias) : unblocked
}

/** One page of the blocked subjects of an issuer, by `sub`. */
export const listSubjects = (
  ports: Pick<Ports, 'issuers' | 'secrets'>,
  _caller: Administrator,
  request: ListRequest<SubjectFilters>,
): Promise<OrRefusal<ListPage<Subject>>> => {
  const { alias } = request.filters
  return readKeyedPage(ports, 'subjects', request, async page => {
    const found = isAlias(alias) ? await ports.issuers.subjects(page) : undefined
    return found ?? refuseUnknownIssuer(alias)
  })
}
