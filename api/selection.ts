// Agents that a request selects by what operators mark them with.
import { z } from 'zod'
import { parameter } from './fields.ts'
import { LABELS_ASKED_MAX, parseLabel } from './values/labels.ts'

const label = parameter(parseLabel, 'of the form key=value, as labels are', { type: 'string' }).unwrap()

/** It may repeat: all of its values. */
export const labelParameter = (description: string) =>
  z
    .array(label)
    .max(LABELS_ASKED_MAX, `is given more than ${LABELS_ASKED_MAX} times`)
    .meta({ description, examples: [['team=data']] })
    .optional()
