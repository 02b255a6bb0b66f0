// The schemas of a revocation of many tokens; domain/ledger/format-revocation.ts makes the values.
import { z } from 'zod'
import { COUNT_EXACT_MAX, SAMPLE_RECORDS_MAX } from '../../../../api/values/lists.ts'
import { actor, time, tokenRecord } from './token-record.ts'

export const revocationRecord = z.object({
  id: z.string(),
  all: z.boolean().describe('It asked for no condition: every token was to end.'),
  agent_id: z.string().nullable(),
  credential_id: z.string().nullable(),
  scope: z.string().nullable(),
  audience: z.string().nullable(),
  kid: z.string().nullable(),
  issued_before: time.nullable(),
  reason: z.string(),
  note: z.string().nullable(),
  created_by: actor,
  created_at: time.describe('When its tokens ended.'),
  state: z.enum(['open', 'closed']).describe('Open while records follow; its tokens are dead in either state.'),
  tokens_moved: z.int().describe('Tokens whose records stand in history as ended by it.'),
})

export const revocationPreview = z.object({
  dry_run: z.literal(true),
  tokens: z.int().describe('Tokens that would end.'),
  tokens_exact: z.boolean().describe(`False: at least so many. Exact up to ${COUNT_EXACT_MAX}.`),
  sample: z.array(tokenRecord).describe(`At most ${SAMPLE_RECORDS_MAX} of them.`),
})
