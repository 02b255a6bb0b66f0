// Credentials: the secrets of an agent, and what it may present in place of one; and reports of secrets that were found in the open.
import { z } from 'zod'
import { trustMembers, trustsIn } from './credential-trust.ts'
import { AGENT_ID, CREDENTIAL_ID, GRACE, LATER, MADE } from './examples.ts'
import { dryRun, endsCounted } from './dry-run.ts'
import {
  booleanParameter,
  choice,
  countRecord,
  expiresAt,
  flag,
  managedBy,
  name,
  namedListing,
  nameFilters,
  note,
  present,
  rotateBody,
  suspendedAt,
  textOrNull,
  time,
  timeOrNull,
  uuid,
  uuidOrNull,
} from './fields.ts'
import { operation } from './operation.ts'
import { ACCESS } from './values/access.ts'
import { CREDENTIAL_REASONS, LEAKED_SECRETS_MAX, SUBJECT_KINDS, TRUST_KINDS } from './values/credentials.ts'

const keySet = z.object({ keys: z.array(z.record(z.string(), z.string())).readonly() })

const credentialRecord = z.object({
  credential_id: uuid,
  agent_id: uuid,
  name: z.string(),
  kind: z.enum(['client_secret', ...TRUST_KINDS]),
  private_key_jwt: z
    .object({ jwks: keySet.optional(), jwks_uri: z.string().optional(), accept_token_endpoint: z.boolean() })
    .optional(),
  workload_identity: z
    .object({
      issuer: z.string(),
      subject: z.string(),
      audience: textOrNull.describe('Null: the issuer of this service.'),
      jwks_uri: textOrNull.describe("Null: from the issuer's metadata."),
    })
    .optional(),
  tls_client_auth: z
    .partialRecord(z.enum(SUBJECT_KINDS), z.string())
    .optional()
    .describe('One name, which the certificate must have.'),
  self_signed_tls_client_auth: z
    .object({ thumbprints: z.array(z.string()).readonly().describe('SHA-256 of the certificates, base64url.') })
    .optional(),
  created_at: time,
  expires_at: timeOrNull.describe('From then on it is refused; null: never.'),
  last_used_at: timeOrNull.describe('When it last got a token, at most a minute behind; null: never.'),
  revoked_at: timeOrNull,
  suspended_at: suspendedAt,
  managed_by: managedBy,
  live_tokens: countRecord.describe('Live tokens that it got.'),
})

const newCredential = z
  .strictObject({ name: name.describe('A name to know it by.'), expires_at: expiresAt, ...trustMembers })
  .refine(body => trustsIn(body).length <= 1, { error: `names more than one of ${TRUST_KINDS.join(', ')}: choose one` })
  .meta({
    oneOf: [
      { properties: Object.fromEntries(TRUST_KINDS.map(kind => [kind, { type: 'null' }])) },
      ...TRUST_KINDS.map(present),
    ],
  })

const example = {
  credential_id: CREDENTIAL_ID,
  agent_id: AGENT_ID,
  name: 'second',
  kind: 'client_secret',
  created_at: MADE,
  expires_at: null,
  last_used_at: LATER,
  revoked_at: null,
  suspended_at: null,
  managed_by: null,
  live_tokens: { count: 17, exact: true },
}

const ALL = '/api/v1/agents/{agent_id}/credentials'
const ONE = `${ALL}/{credential_id}` as const

export const createCredential = operation({
  route: `POST ${ALL}`,
  id: 'createCredential',
  summary: 'Give an agent another secret, or something to trust in place of one',
  access: ACCESS.writeAgents,
  body: newCredential,
  answers: {
    201: credentialRecord.extend({
      client_secret: z.string().optional().describe('Shown this once; of the kind client_secret only.'),
    }),
  },
  example: {
    body: { name: 'second', expires_at: '2027-11-21T00:00:00.000Z' },
    answer: { ...example, expires_at: '2027-11-21T00:00:00.000Z', last_used_at: null, client_secret: 'mmc_…' },
  },
})

export const listCredentials = operation({
  route: `GET ${ALL}`,
  id: 'listCredentials',
  summary: 'List the credentials of an agent',
  access: ACCESS.readAgents,
  ...namedListing(credentialRecord, example, nameFilters),
})

export const showCredential = operation({
  route: `GET ${ONE}`,
  id: 'showCredential',
  summary: 'Show a credential',
  access: ACCESS.readAgents,
  answers: { 200: credentialRecord },
  example: { answer: example },
})

export const rotateCredential = operation({
  route: `POST ${ONE}/rotate`,
  id: 'rotateCredential',
  summary: 'Replace a credential, with a grace for the old one',
  access: ACCESS.writeAgents,
  body: rotateBody,
  answers: {
    201: credentialRecord.extend({
      client_secret: z.string().describe('Shown this once.'),
      replaces: z.object({ credential_id: uuid, expires_at: timeOrNull }),
    }),
  },
  example: {
    body: GRACE,
    answer: {
      ...example,
      last_used_at: null,
      client_secret: 'mmc_…',
      replaces: { credential_id: 'b0e7c0de-3a3b-4f1c-8a55-6d5e4f3c2b1a', expires_at: '2026-11-21T10:30:00.000Z' },
    },
  },
})

export const revokeCredential = operation({
  route: `POST ${ONE}/revoke`,
  id: 'revokeCredential',
  summary: 'Revoke a credential and end its tokens',
  access: ACCESS.stopAgents,
  body: z.strictObject({
    reason: choice(CREDENTIAL_REASONS).default(CREDENTIAL_REASONS[0]).describe('What its tokens end with.'),
    keep_tokens: z.boolean().default(false).describe('Whether the tokens that it got live on.'),
    note: note.nullish(),
    dry_run: dryRun,
  }),
  answers: { 200: z.union([credentialRecord, endsCounted]) },
  example: {
    body: { reason: 'secret_leaked', note: 'seen in a log' },
    answer: { ...example, revoked_at: LATER, live_tokens: { count: 0, exact: true } },
  },
})

// Reports of secrets that were found in the open, in the form that GitHub's secret scanning sends to partners.

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

const leakExample = {
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
    answer: { data: [leakExample] },
  },
})
