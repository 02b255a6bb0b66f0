// A credential as the API shows it: everything but the secret.
import { z } from 'zod'
import type { CountedCredential } from '../domain/credential.ts'
import { credentialRecord as recordOf } from '../domain/credential-record.ts'
import { timeOrNull } from './json-members.ts'
import { pageOf } from './token-record.ts'

export const countRecord = z.object({
  count: z.int(),
  exact: z.boolean().describe('False: there are at least so many.'),
})

export const credentialRecord = z.object({
  credential_id: z.string(),
  agent_id: z.string(),
  name: z.string(),
  created_at: z.string().meta({ format: 'date-time' }),
  expires_at: timeOrNull.describe('From then on it is refused; null: never.'),
  last_used_at: timeOrNull.describe('When it last got a token, at most a minute behind; null: never.'),
  revoked_at: timeOrNull,
  live_tokens: countRecord.describe('Live tokens that it got.'),
})

export const credentialsAnswer = pageOf(credentialRecord)

export const createdCredentialAnswer = credentialRecord.extend({
  client_secret: z.string().describe('Shown this once.'),
})

export const rotatedCredentialAnswer = createdCredentialAnswer.extend({
  replaces: z.object({ credential_id: z.string(), expires_at: timeOrNull }),
})

export const formatCredential: (shown: CountedCredential) => z.output<typeof credentialRecord> = recordOf
