// A token as the lists show it: names in lower snake case, times in RFC 3339.
import { z } from 'zod'
import type { EndedTokenRecord, TokenRecord } from '../domain/page.ts'
import { formatTime } from '../domain/time.ts'

const time = z.string().meta({ format: 'date-time' })

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
  ended_by: z
    .object({
      type: z.enum(['operator', 'client', 'api_key', 'cli', 'system']),
      iss: z.string().optional(),
      sub: z.string().optional(),
      id: z.string().optional(),
    })
    .nullable()
    .describe('Who ended the token; null where only time did.'),
  note: z.string().nullable(),
})

export const pageOf = <T extends z.ZodType>(record: T) =>
  z.object({
    data: z.array(record),
    next_cursor: z.string().nullable().describe('Null on the last page. A page before it may be short, even empty.'),
  })

export const formatRecord = (record: TokenRecord): z.output<typeof tokenRecord> => ({
  id: record.id,
  agent_id: record.agentId,
  client_id: record.clientId,
  credential_id: record.credentialId,
  scope: record.scope,
  audience: [...record.audience],
  kid: record.kid,
  issued_at: formatTime(1000 * record.issuedAt),
  expires_at: formatTime(1000 * record.expiresAt),
})

export const formatEndedRecord = (record: EndedTokenRecord): z.output<typeof endedTokenRecord> => ({
  ...formatRecord(record),
  ended_at: formatTime(record.endedAt),
  termination_reason: record.reason,
  ended_by: record.endedBy,
  note: record.note,
})
