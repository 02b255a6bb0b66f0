// What agents and resource servers ask for: tokens (RFC 6749), their state (RFC 7662), their end (RFC 7009).
import { z } from 'zod'
import { AGENT_ID, AUDIENCE, ISSUER, JWT, TOKEN_ID } from './examples.ts'
import { exactlyOneOf, text, texts, uuid } from './fields.ts'
import { operation } from './operation.ts'
import { ownClaim } from './names.ts'
import { ASSERTION_TYPE } from './values/credentials.ts'
import { ACCESS_TOKEN_TYPE, SUBJECT_TOKEN_TYPES, GRANT_TYPES } from './values/delegation.ts'
import { isSub, SUB_FORM, SUB_PATTERN } from './values/subject.ts'

/** The fields with which a client authenticates itself, part of every form that takes them. */
const clientFields = {
  client_id: z.string().optional().describe('Identifier of the client, unless it authenticates by HTTP Basic.'),
  client_secret: z.string().optional().describe('Secret of the client, unless it authenticates by HTTP Basic.'),
  client_assertion: z
    .string()
    .optional()
    .describe('A JWT that proves who the client is (RFC 7523); client_id is not needed beside it.'),
  client_assertion_type: z.string().optional().describe(`Of client_assertion: ${ASSERTION_TYPE}.`),
}

const tokenForm = z.object({
  grant_type: z.string({ error: 'is missing: send client_credentials' }).meta({ examples: [...GRANT_TYPES] }),
  ...clientFields,
  scope: z
    .string()
    .optional()
    .meta({ description: 'Items resource:action, separated by one space each.', examples: ['db:read'] }),
  resource: texts.optional().describe('The absolute URI of what the token is for (RFC 8707); repeatable.'),
  audience: z.array(z.string()).optional().describe('Another name for resource.'),
  subject_token: z
    .string()
    .optional()
    .describe('Of a token exchange (RFC 8693): an access token of this service, or a JWT of a trusted issuer.'),
  subject_token_type: z
    .string()
    .optional()
    .describe(
      `Of subject_token: ${Object.values(SUBJECT_TOKEN_TYPES).join(', ')}; the last is an access token without its own typ.`,
    ),
  assertion: z
    .string()
    .optional()
    .describe(
      'Of the jwt-bearer grant (RFC 7523): an ID-JAG of a trusted issuer, or, without client authentication, the token of a workload.',
    ),
  requested_token_type: z.string().optional().describe(`${ACCESS_TOKEN_TYPE}, or absent.`),
  actor_token: z.string().optional().describe('Refused: the actor is the client.'),
  actor_token_type: z.string().optional().describe('Refused.'),
})

const tokenAnswer = z.object({
  access_token: z.string().describe('A JWT (RFC 9068).'),
  token_type: z.enum(['Bearer', 'DPoP']).describe('DPoP where the request carried a proof (RFC 9449 §5).'),
  expires_in: z.int().positive().describe('Lifetime of the token in seconds.'),
  scope: z.string().describe('The scope granted.'),
  resource: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe('What the token is for, where the assertion named it.'),
  issued_token_type: z.string().optional().describe(`Of a token exchange: ${ACCESS_TOKEN_TYPE}.`),
})

export const issueToken = operation({
  route: 'POST /oauth/token',
  id: 'issueToken',
  summary: 'Issue a token',
  access: 'client',
  form: tokenForm,
  answers: { 200: tokenAnswer },
  parameters: ['DPoP'],
  example: {
    body: { grant_type: 'client_credentials', client_id: AGENT_ID, client_secret: 'mmc_…', scope: 'db:read' },
    answer: { access_token: JWT, token_type: 'Bearer', expires_in: 300, scope: 'db:read' },
  },
})

const introspectForm = z.object({
  token: z.string({ error: 'is missing: send the token to check' }).describe('The token to check.'),
  token_type_hint: z.string().optional().describe('Taken and not needed (RFC 7662 §2.1).'),
})

const introspectAnswer = z.object({
  active: z.boolean().describe('False, and then alone, for any token that is not active here, whatever the cause.'),
  sub: z
    .string()
    .optional()
    .describe(
      "On whose behalf the token acts: the id of an agent, the client's unless act is there; or `ALIAS:SUB`, a subject of a trusted issuer.",
    ),
  scope: z.string().optional(),
  exp: z.int().optional(),
  client_id: z.string().optional(),
  iss: z.string().optional(),
  aud: z.union([z.string(), z.array(z.string())]).optional(),
  iat: z.int().optional(),
  jti: uuid.optional(),
  token_type: z.enum(['Bearer', 'DPoP']).optional(),
  act: z
    .object({
      sub: uuid,
      act: z
        .unknown()
        .optional()
        .describe('Who acted before, in the same form; with `iss` no agent, but who a trusted issuer says acted.'),
    })
    .optional()
    .describe('Who acts for sub: the id of the last agent, and those before it inside (RFC 8693 §4.1).'),
  cnf: z
    .union([z.object({ jkt: z.string() }), z.object({ 'x5t#S256': z.string() })])
    .optional()
    .describe(
      'The key to which the token is bound: of DPoP proofs (RFC 9449 §6.2), or of a certificate (RFC 8705 §3.2).',
    ),
})

/** Where `Accept` asks for it, the answer as a JWT (RFC 9701 §5). */
export const SIGNED_TYPE = 'application/token-introspection+jwt'

const introspectAnswers = {
  description: `Whether the token is active; as a signed JWT where Accept asks for ${SIGNED_TYPE} (RFC 9701).`,
  content: {
    'application/json': {
      schema: introspectAnswer.catchall(ownClaim.describe('A claim of its own that the agent has, `claims`.')),
    },
    [SIGNED_TYPE]: {
      schema: z
        .string()
        .describe(
          'A JWT with typ token-introspection+jwt, iss, aud (the id of the API key), iat, and in token_introspection the answer.',
        ),
    },
  },
}

export const introspectToken = operation({
  route: 'POST /oauth/introspect/v2',
  id: 'introspectToken',
  summary: 'Verify a token',
  access: 'introspector',
  form: introspectForm,
  answers: { 200: introspectAnswers },
  example: {
    body: { token: JWT },
    answer: {
      active: true,
      sub: AGENT_ID,
      scope: 'db:read',
      exp: 1_795_426_500,
      client_id: AGENT_ID,
      iss: ISSUER,
      aud: AUDIENCE,
      iat: 1_795_426_200,
      jti: TOKEN_ID,
      token_type: 'Bearer',
    },
    text: 'eyJhbGciOiJFUzI1NiIsInR5cCI6InRva2VuLWludHJvc3BlY3Rpb24rand0In0.…',
  },
})

const revokeForm = z.object({
  token: z.string({ error: 'is missing: send the token to revoke' }).describe('The token to revoke.'),
  token_type_hint: z.string().optional().describe('Taken and not needed (RFC 7009 §2.1).'),
  ...clientFields,
})

export const revokeToken = operation({
  route: 'POST /oauth/revoke',
  id: 'revokeToken',
  summary: 'Revoke a token',
  access: 'revoker',
  form: revokeForm,
  answers: { 200: z.object({}).describe('The token is not active, on any process, ever again.') },
  example: { body: { token: JWT }, answer: {} },
})

/** RFC 9493 §3.2.4, the one format by which an issuer names a subject here. */
const subjectIdentifier = z.object({
  format: z.literal('iss_sub', { error: 'is not iss_sub, the one format that is known' }),
  iss: z.string(),
  sub: text(isSub, SUB_FORM, { pattern: SUB_PATTERN }),
})

// What else stands there is not read: the draft neither defines nor forbids it.
const globalRevocationBody = z
  .object({
    sub_id: subjectIdentifier.optional().describe('The subject, as the issuer names it.'),
    subject: subjectIdentifier.optional().describe('The same by the name that earlier drafts have for it.'),
  })
  .refine(({ sub_id: id, subject }) => (id === undefined) !== (subject === undefined), {
    error: 'names no subject in sub_id, or another in subject too',
  })
  .meta(exactlyOneOf(['sub_id', 'subject']))

export const revokeGlobally = operation({
  route: 'POST /oauth/global-token-revocation',
  id: 'revokeGlobally',
  summary: 'End all tokens of a subject, for its issuer',
  access: 'issuer',
  body: globalRevocationBody,
  answers: { 204: z.undefined().describe('No token that was issued for the subject is active, on any process.') },
  example: { body: { sub_id: { format: 'iss_sub', iss: 'https://example.okta.com', sub: '00u1a2b3c4D5E6F7g8h9' } } },
})
