// Idempotency-Key (draft-ietf-httpapi-idempotency-key-header): a repeated creation creates nothing.
import type { Refusal } from './refusal.ts'
import { DAY_MS } from '../../../api/values/time.ts'

/** How long a key is kept. */
export const IDEMPOTENCY_KEPT_MS = DAY_MS

/** What the same caller created with the same key: its id, and the kind of the act. Its secret is not shown again. */
export type AlreadyExists = { readonly existing: string; readonly by: string }

export const isExisting = (made: object): made is AlreadyExists => 'existing' in made

export const refuseRepeat = ({ existing, by }: AlreadyExists): { readonly refusal: Refusal } => ({
  refusal: {
    code: 'already_exists',
    description: `This Idempotency-Key was used before, for ${by}, which made ${existing}.`,
    id: existing,
  },
})
