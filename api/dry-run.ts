// Dry runs of what ends tokens, how they are asked for and answered; and whether an act did something.
import { z } from 'zod'
import { RELAY_ID } from './examples.ts'
import { booleanParameter, flag, texts, uuid } from './fields.ts'
import { COUNT_EXACT_MAX, DESCENDANT_AGENTS_MAX } from './values/lists.ts'

const WHAT = 'Count what would end, and change nothing.'

/** In a body. */
export const dryRun = z.boolean().optional().describe(WHAT)

/** In a query, where there is no body. */
export const dryRunParameter = booleanParameter(WHAT)

export const exampleEnds = (reason: string) => ({
  dry_run: true,
  ends: {
    tokens: 3,
    descendants: 1,
    descendant_agents: [{ agent_id: RELAY_ID, name: 'relay', tokens: 1 }],
    exact: true,
    reasons: [reason],
  },
})

/** The answer in place of that of the act. */
export const endsCounted = z.object({
  dry_run: z.literal(true),
  ends: z.object({
    tokens: z.int().describe('Live tokens that would end.'),
    descendants: z.int().describe('Live tokens beside those that were got for them, and would end with them.'),
    descendant_agents: z
      .array(z.object({ agent_id: uuid, name: z.string(), tokens: z.int() }))
      .describe(`The agents that hold those, most first, at most ${DESCENDANT_AGENTS_MAX}.`),
    exact: z.boolean().describe(`False: at least so many. Exact up to ${COUNT_EXACT_MAX} in all.`),
    reasons: texts.describe('With what the tokens would end. Empty: this ends nothing, whatever tokens there are.'),
  }),
})

/** In an answer, whether the act did something. */
export const changed = flag.describe(
  'Whether this request did it; false: it was so before, and the note is kept nowhere.',
)
