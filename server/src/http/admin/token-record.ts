// The schemas of a token as it is shown; domain/ledger/format-token.ts makes the values.
import { z } from 'zod'

export const time = z.string().meta({ format: 'date-time' })

/** Who acted. */
export const actor = z.object({
  type: z.enum(['operator', 'client', 'api_key', 'cli', 'system']),
  iss: z.string().optional(),
  sub: z.string().optional(),
  id: z.string().optional(),
})

export const tokenRecord = z.object({
  id: z.string().describe('The jti of the token.'),
  agent_id: z.string(),
  client_id: z.string(),
  credential_id: z.string().describe('The secret with which the token was got.'),
  scope: z.string(),
  audience: z.array(z.string()),
  kid: z.string().describe('The key that signed the token.'),
  issued_at: time,
  expires_at: time,
})

export const endedTokenRecord = tokenRecord.extend({
  ended_at: time.describe('For an expired token the time of its expiry.'),
  termination_reason: z.string().describe('One of an open set of names in lower snake case.'),
  ended_by: actor.nullable().describe('Who ended the token; null where only time did.'),
  note: z.string().nullable(),
  revocation_id: z.string().nullable().describe('The revocation of many tokens that ended this one.'),
})

export const tokenLife = tokenRecord.extend({
  state: z.enum(['active', 'ended']),
  ended_at: time.nullable().describe('For an expired token the time of its expiry.'),
  termination_reason: z.string().nullable().describe('One of an open set of names in lower snake case.'),
  ended_by: actor.nullable().describe('Who ended the token; null where only time did.'),
  note: z.string().nullable(),
  revocation_id: z.string().nullable().describe('The revocation of many tokens that ended this one.'),
})

/** Beside `data` where a filter names what this version does not know: an empty page then says nothing of it. */
export const unknownNames = z
  .array(z.string())
  .optional()
  .describe('Names in the filter that are not known, perhaps mistyped: nothing can match them. Absent where all are.')

export const pageOf = <T extends z.ZodType>(record: T) =>
  z.object({
    data: z.array(record),
    next_cursor: z.string().nullable().describe('Null on the last page. A page before it may be short, even empty.'),
  })
