// A credential as the API shows it: everything but the secret.
import { z } from 'zod'
import { SUBJECT_KINDS, TRUST_KINDS } from '../../../../api/values/credentials.ts'
import type { CountedCredential } from '../../domain/clients/credential.ts'
import { credentialRecord as recordOf } from '../../domain/clients/credential-record.ts'
import { SUSPENDED_AT, timeOrNull } from './json-members.ts'
import { pageOf } from './token-record.ts'

const countRecord = z.object({
  count: z.int(),
  exact: z.boolean().describe('False: there are at least so many.'),
})

const keySet = z.object({ keys: z.array(z.record(z.string(), z.string())).readonly() })

export const credentialRecord = z.object({
  credential_id: z.string(),
  agent_id: z.string(),
  name: z.string(),
  kind: z.enum(['client_secret', ...TRUST_KINDS]),
  private_key_jwt: z
    .object({ jwks: keySet.optional(), jwks_uri: z.string().optional(), accept_token_endpoint: z.boolean() })
    .optional(),
  workload_identity: z
    .object({
      issuer: z.string(),
      subject: z.string(),
      audience: z.string().nullable().describe('Null: the issuer of this service.'),
      jwks_uri: z.string().nullable().describe("Null: from the issuer's metadata."),
    })
    .optional(),
  tls_client_auth: z
    .partialRecord(z.enum(SUBJECT_KINDS), z.string())
    .optional()
    .describe('One name, which the certificate must have.'),
  self_signed_tls_client_auth: z
    .object({ thumbprints: z.array(z.string()).readonly().describe('SHA-256 of the certificates, base64url.') })
    .optional(),
  created_at: z.string().meta({ format: 'date-time' }),
  expires_at: timeOrNull.describe('From then on it is refused; null: never.'),
  last_used_at: timeOrNull.describe('When it last got a token, at most a minute behind; null: never.'),
  revoked_at: timeOrNull,
  suspended_at: timeOrNull.describe(SUSPENDED_AT),
  live_tokens: countRecord.describe('Live tokens that it got.'),
})

export const credentialsAnswer = pageOf(credentialRecord)

export const createdCredentialAnswer = credentialRecord.extend({
  client_secret: z.string().optional().describe('Shown this once; of the kind client_secret only.'),
})

export const rotatedCredentialAnswer = createdCredentialAnswer.extend({
  replaces: z.object({ credential_id: z.string(), expires_at: timeOrNull }),
})

export const formatCredential: (shown: CountedCredential) => z.output<typeof credentialRecord> = recordOf
