// Reports of secrets that were found in the open, in the form that GitHub's secret scanning sends to partners.
import { z } from 'zod'
import { AGENT_ID, CREDENTIAL_ID } from './examples.ts'
import { booleanParameter, flag, textOrNull, uuidOrNull } from './fields.ts'
import { operation } from './operation.ts'
import { ACCESS } from './values/access.ts'
import { LEAKED_SECRETS_MAX } from './values/credentials.ts'

// Members that a scanner adds one day are passed over: a report must not be lost for them.
const foundSecret = z.object({
  token: z.string().describe('The secret that was found, or a text with it: one that holds several is refused.'),
  type: z.string().nullish().describe('What the scanner takes it for; not needed.'),
  url: z.string().nullish().describe('Where it was found; the audit log keeps it.'),
  source: z.string().nullish().describe('The kind of place; not needed.'),
})

const leakRecord = z.object({
  result: z.enum(['revoked', 'would_revoke', 'already_revoked', 'unknown']),
  kind: z
    .enum(['credential', 'api_key', 'access_token'])
    .nullable()
    .describe('Null where it is not a secret of this service.'),
  agent_id: uuidOrNull,
  credential_id: uuidOrNull.describe('Of an access token the credential with which it was got.'),
  api_key_id: uuidOrNull,
  token_id: uuidOrNull.describe('The jti of an access token.'),
  name: textOrNull.describe('Of the credential or API key.'),
  agent: textOrNull.describe('The name of the agent.'),
  owner: textOrNull.describe('Who answers for the agent.'),
  last_credential: flag
    .nullable()
    .describe('Whether the agent has no live credential but those of this report; null unless it is a credential.'),
})

const example = {
  result: 'revoked',
  kind: 'credential',
  agent_id: AGENT_ID,
  credential_id: CREDENTIAL_ID,
  api_key_id: null,
  token_id: null,
  name: 'first',
  agent: 'reports',
  owner: 'Ada',
  last_credential: true,
}

export const revokeLeakedSecrets = operation({
  route: 'POST /api/v1/leaked-secrets',
  id: 'revokeLeakedSecrets',
  summary: 'Revoke secrets found in the open',
  access: ACCESS.revokeTokens,
  query: z.object({
    dry_run: booleanParameter('Answer what each is and whose, and revoke nothing.'),
  }),
  body: z
    .array(foundSecret)
    .min(1, { error: 'holds no secret' })
    .max(LEAKED_SECRETS_MAX, { error: `holds more than ${LEAKED_SECRETS_MAX} secrets` }),
  // A full report is longer than other bodies are, and holds more: each secret comes with some members.
  bodyBytesMax: 1_048_576,
  bodyValues: { max: 20 * LEAKED_SECRETS_MAX, advice: 'report the secrets in parts' },
  answers: { 200: z.object({ data: z.array(leakRecord).describe('What each was, in order.') }) },
  example: {
    body: [{ token: 'mmc_…', type: 'mintmark_client_secret', url: 'https://github.com/…', source: 'content' }],
    answer: { data: [example] },
  },
})
