// By what people know agents: the names beside ids in records, and the labels by which a request selects.
import { z } from 'zod'
import { parameter, textOrNull } from './fields.ts'
import { LABELS_ASKED_MAX, parseLabel } from './values/labels.ts'

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
  type: z.enum(['operator', 'client', 'api_key', 'cli', 'system']),
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
