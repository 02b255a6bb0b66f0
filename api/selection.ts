// Agents that a request selects by what operators mark them with.
import { z } from 'zod'
import { parameter } from './fields.ts'
import { isLabelKey, LABELS_ASKED_MAX } from './values/labels.ts'
import { isName } from './values/name.ts'

type Label = { readonly key: string; readonly value: string }

const parseLabel = (text: string): Label | undefined => {
  const equals = text.indexOf('=')
  const [key, value] = [text.slice(0, Math.max(equals, 0)), text.slice(equals + 1)]
  return isLabelKey(key) && isName(value) ? { key, value } : undefined
}

const label = parameter(parseLabel, 'of the form key=value, as labels are', { type: 'string' }).unwrap()

/** It may repeat: all of its values. */
export const labelParameter = (description: string) =>
  z
    .array(label)
    .max(LABELS_ASKED_MAX, `is given more than ${LABELS_ASKED_MAX} times`)
    .meta({ description, examples: [['team=data']] })
    .optional()
