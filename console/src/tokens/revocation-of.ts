// The filters of a list as the conditions of a revocation: all of them, or none.
import { parseLabel } from '../../../api/values/labels.ts'
import { parseIssuerSubject } from '../../../api/values/subject.ts'
import type { Query } from '../reading/page.ts'

export type Conditions = {
  readonly owner?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly agent_id?: string
  readonly credential_id?: string
  readonly scope?: string
  readonly audience?: string
  readonly kid?: string
  readonly lineage?: string
  readonly subject?: string
  readonly issued_before?: string
}

/** The condition that takes the same tokens as a filter, and the option of the command, by the filter's name. */
const CONDITION_OF: Readonly<Record<string, { readonly name: keyof Conditions; readonly option: string }>> = {
  agent_id: { name: 'agent_id', option: '--agent' },
  credential_id: { name: 'credential_id', option: '--credential' },
  owner: { name: 'owner', option: '--owner' },
  label: { name: 'labels', option: '--label' },
  scope: { name: 'scope', option: '--scope' },
  audience: { name: 'audience', option: '--audience' },
  kid: { name: 'kid', option: '--kid' },
  root_id: { name: 'lineage', option: '--lineage' },
  subject: { name: 'subject', option: '--subject' },
  issued_before: { name: 'issued_before', option: '--issued-before' },
}

type Value = NonNullable<Conditions[keyof Conditions]>

/** The value of a filter as that of its condition; undefined for a label that is none, and for an agent on whose behalf tokens act. */
const valueOf = (name: keyof Conditions, text: string): Value | undefined => {
  if (name === 'subject' && parseIssuerSubject(text) === undefined) return undefined
  if (name !== 'labels') return text
  const label = parseLabel(text)
  return label && { [label.key]: label.value }
}

const textsOf = (value: Conditions[keyof Conditions]): readonly string[] => {
  if (value === undefined) return []
  return typeof value === 'string' ? [value] : Object.entries(value).map(([name, text]) => `${name}=${text}`)
}

/** Such as `team=payments · db:read`. */
export const formatConditions = (conditions: Conditions): string =>
  Object.values(conditions).flatMap(textsOf).join(' · ')

/** Returns undefined if a filter has no condition or no value of its form, or if none is set: that would take more than the list shows. */
export const conditionsOf = (query: Query): Conditions | undefined => {
  const filters = Object.entries(query)
  if (filters.length === 0) return undefined
  const conditions: Record<string, Value> = {}
  for (const [filter, text] of filters) {
    const condition = Object.hasOwn(CONDITION_OF, filter) ? CONDITION_OF[filter] : undefined
    const value = condition && valueOf(condition.name, text)
    if (condition === undefined || value === undefined) return undefined
    conditions[condition.name] = value
  }
  return conditions
}

/** Everything of one agent: no other condition holds any token back. */
export const isWholeAgent = (conditions: Conditions): boolean =>
  conditions.agent_id !== undefined && Object.keys(conditions).length === 1

export const commandOf = (conditions: Conditions): readonly string[] => [
  'mintmark',
  'revocation',
  'create',
  ...Object.values(CONDITION_OF).flatMap(({ name, option }) => {
    return textsOf(conditions[name]).flatMap(text => [option, text])
  }),
]
