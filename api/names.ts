// By what people know agents: the names beside ids in records, and their labels.
import { z } from 'zod'
import { parameter, textOrNull } from './fields.ts'
import { ACTOR_TYPES } from './values/audit.ts'
import {
  isLabelKey,
  LABEL_KEY_FORM,
  LABEL_KEY_PATTERN,
  LABELS_ASKED_MAX,
  LABELS_MAX,
  parseLabel,
} from './values/labels.ts'
import { isName, NAME_FORM, unprintableIn } from './values/name.ts'

/** The name of another agent that a record names. */
export const agentName = textOrNull

/** The members of a record about its agent. */
export const agentNames = {
  agent_name: agentName.describe(
    'This and `owner` are of the agent as it is now, or was when it was deleted. Null where the caller may not read agents, or there is none.',
  ),
  owner: textOrNull,
}

/** Who acted. */
export const actor = z.object({
  type: z.enum(ACTOR_TYPES),
  iss: z.string().optional(),
  sub: z.string().optional(),
  id: z.string().optional(),
  name: z
    .string()
    .optional()
    .describe(
      'In lists, and of a token: of the agent of the client, or of the API key, where the caller may read those.',
    ),
})

const label = parameter(parseLabel, 'of the form key=value, as labels are', { type: 'string' }).unwrap()

/** It may repeat: all of its values. */
export const labelParameter = (description: string) =>
  z
    .array(label)
    .max(LABELS_ASKED_MAX, `is given more than ${LABELS_ASKED_MAX} times`)
    .meta({ description, examples: [['team=data']] })
    .optional()

/** Says what is wrong with a label; a key that is none is not repeated, for it may be a secret in the wrong place. */
export const refineLabels = (labels: Readonly<Record<string, string | null>>, context: z.RefinementCtx): void => {
  for (const [key, value] of Object.entries(labels)) {
    if (!isLabelKey(key)) {
      context.addIssue({ code: 'custom', message: `has a key that is not ${LABEL_KEY_FORM}` })
    } else if (value !== null && !isName(value)) {
      context.addIssue({ code: 'custom', path: [key], message: `is not ${NAME_FORM}${unprintableIn(value)}` })
    }
  }
}

const labelsMeta = { maxProperties: LABELS_MAX, propertyNames: { pattern: LABEL_KEY_PATTERN } }

export const newLabels = z.record(z.string(), z.string()).superRefine(refineLabels).meta(labelsMeta).nullable()

export const labelsChange = z
  .record(z.string(), textOrNull)
  .superRefine(refineLabels)
  .meta({ propertyNames: labelsMeta.propertyNames })
  .nullable()
  .describe('The labels to set; null for one to remove.')
