// Subjects of trusted issuers for whom nothing is issued, because an operator blocked them.
import type { IssuerSubject } from '../../../../api/values/subject.ts'
import { formatTimeOrNull, type Milliseconds } from '../../../../api/values/time.ts'
import type { Actor } from '../audit/act.ts'

export type Block = { readonly at: Milliseconds; readonly by: Actor; readonly note: string | null }

export type Subject = IssuerSubject & {
  /** Null where it is not blocked. */
  readonly block: Block | null
}

/** `changed`: by this act, which otherwise found it so, and is recorded nowhere. */
export type SwitchedSubject = Subject & { readonly changed: boolean }

/** On the wire. */
export const subjectRecord = ({ issuer, sub, block }: Subject) => ({
  issuer,
  sub,
  blocked_at: formatTimeOrNull(block?.at ?? null),
  blocked_by: block?.by ?? null,
  note: block?.note ?? null,
})
