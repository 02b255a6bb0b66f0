// An API key as the API shows it: everything but the key.
import { z } from 'zod'
import type { ApiKey } from '../../domain/clients/api-key.ts'
import { PERMISSIONS } from '../../../../api/values/access.ts'
import { apiKeyRecord as recordOf } from '../../domain/clients/api-key-record.ts'
import { SUSPENDED_AT, timeOrNull } from './json-members.ts'
import { pageOf } from './token-record.ts'

export const apiKeyRecord = z.object({
  api_key_id: z.string(),
  name: z.string(),
  permissions: z.array(z.enum(PERMISSIONS)),
  audiences: z.array(z.string()).nullable().describe('Only tokens for one of these exist for the key; null: all do.'),
  created_at: z.string().meta({ format: 'date-time' }),
  expires_at: timeOrNull.describe('From then on it is refused; null: never.'),
  last_used_at: timeOrNull.describe('When it was last taken, at most a minute behind; null: never.'),
  revoked_at: timeOrNull,
  suspended_at: timeOrNull.describe(SUSPENDED_AT),
})

export const apiKeysAnswer = pageOf(apiKeyRecord)

export const createdApiKeyAnswer = apiKeyRecord.extend({ api_key: z.string().describe('Shown this once.') })

export const rotatedApiKeyAnswer = createdApiKeyAnswer.extend({
  replaces: z.object({ api_key_id: z.string(), expires_at: timeOrNull }),
})

export const formatApiKey: (shown: ApiKey) => z.output<typeof apiKeyRecord> = recordOf
