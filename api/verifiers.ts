// Verifiers: who follows the revocation feed, how far each says it is, and who holds a revocation (docs/apis/feed-protocol.md,
// "Reporting").
import { z } from 'zod'
import { AGENT_ID, API_KEY_ID, LATER, MADE } from './examples.ts'
import { countOrNull, listing, name, text, time, uuid, uuidMember, wholeNumber } from './fields.ts'
import { operation } from './operation.ts'
import { ACCESS } from './values/access.ts'
import { EPOCH_FORM, parseEpoch } from './values/feed.ts'
import { HELD_WITHIN_SECONDS, MISSING_MAX, SILENT_SECONDS, USES_MAX, VERIFIER_STATES } from './values/verifiers.ts'

const EPOCH = '0198d4c2-5d7c-4b7a-9c3e-1f2a3b4c5d6e'

const count = wholeNumber(0, Number.MAX_SAFE_INTEGER)

const refineUses = (uses: readonly { readonly agent_id: string }[], context: z.RefinementCtx): void => {
  if (uses.length > USES_MAX) context.addIssue({ code: 'custom', message: `holds more than ${USES_MAX} agents` })
  if (new Set(uses.map(use => use.agent_id)).size === uses.length) return
  context.addIssue({ code: 'custom', message: 'names an agent twice: add up its uses' })
}

const uses = z
  .array(
    z.strictObject({ agent_id: uuidMember('The agent of the tokens.'), count: count.describe('Tokens accepted.') }),
  )
  .superRefine(refineUses)
  .meta({
    maxItems: USES_MAX,
    description: `Uses of tokens by agent since the follower started, of at most ${USES_MAX} agents. Absent: the last ones stand.`,
  })

export const reportPosition = operation({
  route: 'POST /oauth/revocation-feed/positions',
  id: 'reportPosition',
  summary: 'Report up to where a follower of the revocation feed holds all facts',
  access: 'introspector',
  body: z.strictObject({
    name: name.describe('A name of the follower, one for each process: operators know it by this name.'),
    epoch: text(value => parseEpoch(value) !== undefined, EPOCH_FORM, {
      description: 'The epoch that the position is of.',
      pattern: '^[A-Za-z0-9._-]{1,128}$',
    }),
    position: count.describe('Up to where it holds all facts.'),
    uses: uses.optional(),
  }),
  answers: { 204: z.undefined() },
  example: { body: { name: 'orders-7f9c', epoch: EPOCH, position: 4711, uses: [{ agent_id: AGENT_ID, count: 1204 }] } },
})

const verifierRecord = z.object({
  name: z.string(),
  api_key_id: uuid,
  api_key_name: z.string(),
  address: z.string().describe('From where it reported last.'),
  epoch: z.string(),
  position: z.int().describe('Up to where it said that it holds all facts.'),
  behind: countOrNull.describe('Positions between its own and that of the feed; null in another epoch.'),
  first_reported_at: time,
  reported_at: time,
  stale_seconds: z.number().describe('Since its last report.'),
  state: z
    .enum(VERIFIER_STATES)
    .describe(
      `silent: it was not heard of for ${SILENT_SECONDS} s. Else current, where it holds all facts, or behind.`,
    ),
  uses: z
    .array(z.object({ agent_id: uuid, count: z.int() }))
    .describe('Uses of tokens by agent since it started, as it last said.'),
})

const example = {
  name: 'orders-7f9c',
  api_key_id: API_KEY_ID,
  api_key_name: 'orders',
  address: '192.0.2.7',
  epoch: EPOCH,
  position: 4711,
  behind: 0,
  first_reported_at: MADE,
  reported_at: LATER,
  stale_seconds: 3.2,
  state: 'current',
  uses: [{ agent_id: AGENT_ID, count: 1204 }],
}

export const listVerifiers = operation({
  route: 'GET /api/v1/verifiers',
  id: 'listVerifiers',
  summary: 'List the verifiers that follow the revocation feed',
  access: ACCESS.readTokens,
  ...listing(verifierRecord, example, {}),
})

/** Which verifiers hold a revocation. */
export const holding = z
  .object({
    total: z.int().describe(`Verifiers that were heard of in the last ${HELD_WITHIN_SECONDS} s.`),
    holding: z.int().describe('Those of them that reported this revocation, or a later position of the feed.'),
    missing: z
      .array(z.object({ name: z.string(), api_key_id: uuid, stale_seconds: z.number() }))
      .describe(`Those that did not, longest unheard of first, at most ${MISSING_MAX}.`),
  })
  .nullable()
  .describe('Which verifiers hold it. Null: that could not be read, and the revocation is in force all the same.')
