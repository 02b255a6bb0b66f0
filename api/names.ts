// What people name: agents beside ids in records, labels, claims of their own, and other members that they make.
import { z } from 'zod'
import { parameter, text, textOrNull } from './fields.ts'
import { ACTOR_TYPES } from './values/audit.ts'
import {
  isLabelKey,
  LABEL_KEY_FORM,
  LABEL_KEY_PATTERN,
  LABELS_ASKED_MAX,
  LABELS_MAX,
  parseLabel,
} from './values/labels.ts'
import { isName, NAME_FORM, sortMembers } from './values/name.ts'
import {
  isOwnClaimName,
  mistakeInClaims,
  OWN_CLAIM_FORM,
  OWN_CLAIM_NAME_FORM,
  OWN_CLAIMS_MAX,
  type OwnClaims,
} from './values/own-claims.ts'

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

/** The names of an object's members where the caller makes them: what is none is not repeated, for it may be a secret in the wrong place. */
export const memberName = (is: (name: string) => boolean, form: string, noun = 'name') =>
  z.string().refine(is, { error: `has a ${noun} that is not ${form}` })

type Rule = readonly [is: (text: string) => boolean, form: string]

/** An object of at most so many texts. */
export const refineMembers =
  (most: number, what: string, [isValue, form]: Rule) =>
  (members: Readonly<Record<string, string>>, context: z.RefinementCtx): void => {
    const entries = Object.entries(members)
    const add = (message: string, ...path: readonly string[]) =>
      context.addIssue({ code: 'custom', path: [...path], message })
    if (entries.length > most) return add(`has more than ${most} ${what}`)
    for (const [member, value] of entries) if (!isValue(value)) add(`is not ${form}`, member)
  }

const labelKey = memberName(isLabelKey, LABEL_KEY_FORM, 'key')

const labelValue = text(isName, NAME_FORM)

export const labels = z.record(labelKey, labelValue)

const labelsMeta = { maxProperties: LABELS_MAX, propertyNames: { pattern: LABEL_KEY_PATTERN } }

export const newLabels = labels.meta(labelsMeta).nullable()

export const labelsChange = z
  .record(labelKey, labelValue.nullable())
  .meta({ propertyNames: labelsMeta.propertyNames })
  .nullable()
  .describe('The labels to set; null for one to remove.')

/** A claim of its own that an agent has. */
export const ownClaim = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())], {
  error: `is not ${OWN_CLAIM_FORM}`,
})

/** Those of an agent, in a body. */
export const ownClaims = z
  .record(memberName(isOwnClaimName, OWN_CLAIM_NAME_FORM), ownClaim)
  .superRefine((given, context) => {
    const { name: wrong, message } = mistakeInClaims(given) ?? {}
    if (message !== undefined) context.addIssue({ code: 'custom', path: wrong === undefined ? [] : [wrong], message })
  })
  .transform((given): OwnClaims => sortMembers(given))
  .meta({ maxProperties: OWN_CLAIMS_MAX })

export const shownClaims = z
  .record(z.string(), ownClaim)
  .describe('What its tokens say beside the claims of every token; names are URIs, or in `MINTMARK_CLAIM_NAMES`.')
