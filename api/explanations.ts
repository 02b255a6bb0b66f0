// Why a token is active or not: every check that decides, with its outcome and its evidence.
import { z } from 'zod'
import { ISSUER, JWT, LATER, OPERATOR, TOKEN_ID } from './examples.ts'
import { flag, textOrNull, time, uuidOrNull } from './fields.ts'
import { actor } from './names.ts'
import { operation } from './operation.ts'
import { HIDDEN, lifeExample, tokenLife } from './tokens.ts'
import { ACCESS } from './values/access.ts'
import { CHECKS, TEXT_CODES } from './values/explanation.ts'

const act = z.object({
  reason: z.string().describe('What it ended tokens with.'),
  at: time,
  by: actor.nullable().describe('Null where the caller may not see it.'),
  note: textOrNull,
  revocation_id: uuidOrNull,
})

const evidence = z.object({
  issuer: z.string().optional().describe('`issuer`: the issuer of this service.'),
  id: textOrNull
    .optional()
    .describe(`The agent, credential, signing key, token or ancestor that was looked up. Of an ancestor: ${HIDDEN}`),
  signed: flag
    .optional()
    .describe('`spelling`, failed: whether the text has a signature of the key that signed the token.'),
  now: time.optional().describe('`expiry`: the clock of the store.'),
  expires_at: time.optional(),
  seq: z.int().optional().describe('The number that the token carries as the claim `seq`.'),
  ended_seq: z.int().optional().describe('Tokens with a smaller number than this have ended.'),
  cut_offs: z.int().optional().describe('How many open cut-offs the token was compared with.'),
  distance: z.int().optional().describe('`ancestor`: 1 for the parent.'),
  act: act.optional().describe('The act by which the check fails, where it is kept.'),
})

const explanation = z.object({
  code: z
    .string()
    .describe(
      `\`active\`; or why the token is not: the reason of its end, or of a text ${TEXT_CODES.map(code => `\`${code}\``).join(', ')}. An open set.`,
    ),
  active: z.boolean().describe('Whether introspection reports the token, or the text, as active.'),
  explained_at: time.nullable().describe('The time of the store; null where no such token was found.'),
  checks: z
    .array(z.object({ check: z.enum(CHECKS), outcome: z.enum(['passed', 'failed']), evidence }))
    .describe(
      'In the order in which they are made. After a failed check of the text, or a recorded end, none is made.',
    ),
  token: tokenLife.nullable().describe('The token; null where the text is none of this service.'),
})

const passed = (check: (typeof CHECKS)[number], found: z.input<typeof evidence> = {}) => ({
  check,
  outcome: 'passed' as const,
  evidence: found,
})

const explanationExample = {
  code: 'manual_revocation',
  active: false,
  explained_at: LATER,
  checks: [
    {
      check: 'end' as const,
      outcome: 'failed' as const,
      evidence: {
        act: { reason: 'manual_revocation', at: LATER, by: OPERATOR, note: 'seen in a log', revocation_id: null },
      },
    },
  ],
  token: lifeExample,
}

export const explainToken = operation({
  route: 'GET /api/v1/tokens/{id}/explain',
  id: 'explainToken',
  summary: 'Explain why a token is active or not',
  access: ACCESS.readTokens,
  answers: { 200: explanation },
  example: { answer: explanationExample },
})

export const explainTokenText = operation({
  route: 'POST /api/v1/tokens/explain',
  id: 'explainTokenText',
  summary: 'Explain why the text of a token is active or not',
  access: ACCESS.readTokens,
  body: z.strictObject({
    token: z
      .string({ error: 'is missing: send the token to explain' })
      .describe('The token itself. It is neither logged nor stored.'),
  }),
  answers: { 200: explanation },
  refusals: [404],
  example: {
    body: { token: JWT },
    answer: {
      ...explanationExample,
      checks: [
        passed('form'),
        passed('issuer', { issuer: ISSUER }),
        passed('record', { id: TOKEN_ID }),
        passed('spelling'),
        ...explanationExample.checks,
      ],
    },
  },
})
