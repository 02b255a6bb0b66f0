// Members that JSON bodies share, and how records write times.
import { z } from 'zod'
import { NOTE_FORM } from '../../../../api/values/note.ts'
import { type Milliseconds, parseTime } from '../../../../api/values/time.ts'

export const timeOrNull = z.string().meta({ format: 'date-time' }).nullable()

/** What `suspended_at` of a record means. */
export const SUSPENDED_AT =
  'Since when a restore of the store keeps it from being used; null: it does not, or an operator has accepted it.'

/** `expires_at` of something new; absent and null are never. */
export const expiresAtMember = z
  .string()
  .transform((text, context): Milliseconds => {
    const instant = parseTime(text)
    if (instant !== undefined) return instant
    context.addIssue({ code: 'custom', message: 'is not an RFC 3339 time such as 2026-11-21T09:30:05Z' })
    return z.NEVER
  })
  .meta({ format: 'date-time', description: 'From then on it is refused. Absent or null: never.' })
  .nullish()

export const expiryOf = (expiresAt: Milliseconds | null | undefined) =>
  expiresAt === null || expiresAt === undefined ? null : ({ at: expiresAt } as const)

/** What every `note` is, in the OpenAPI document. */
export const NOTE_MEANING = `For those who read the audit log and the history later: ${NOTE_FORM}.`

/** The body of an act that needs none but takes a note; it may be left out. */
export const noteBody = z.strictObject({ note: z.string().nullish().describe(NOTE_MEANING) }).default({})

/** The body of a rotation. */
export const rotateBody = z.strictObject({
  grace_seconds: z.number().describe('How long the old one is still taken, in seconds: 0 to 30 days.'),
  expires_at: expiresAtMember,
})
