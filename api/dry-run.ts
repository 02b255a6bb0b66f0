// Dry runs of what ends tokens: how they are asked for, and what they answer.
import { z } from 'zod'
import { booleanParameter } from './fields.ts'
import { COUNT_EXACT_MAX } from './values/lists.ts'

const WHAT = 'Count what would end, and change nothing.'

/** In a body. */
export const dryRun = z.boolean().optional().describe(WHAT)

/** In a query, where there is no body. */
export const dryRunParameter = booleanParameter(WHAT)

export const exampleEnds = (reason: string) => ({
  dry_run: true,
  ends: { tokens: 3, descendants: 1, exact: true, reasons: [reason] },
})

/** The answer in place of that of the act. */
export const endsCounted = z.object({
  dry_run: z.literal(true),
  ends: z.object({
    tokens: z.int().describe('Live tokens that would end.'),
    descendants: z.int().describe('Live tokens beside those that were got for them, and would end with them.'),
    exact: z.boolean().describe(`False: at least so many. Exact up to ${COUNT_EXACT_MAX} in all.`),
    reasons: z
      .array(z.string())
      .describe('With what the tokens would end. Empty: this ends nothing, whatever tokens there are.'),
  }),
})
