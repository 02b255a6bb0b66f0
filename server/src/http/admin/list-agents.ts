// GET /api/v1/agents: agents by name, all or those that pass the filters.
import { z } from 'zod'
import { ACCESS } from '../../../../api/values/access.ts'
import { agentRecord as recordOf } from '../../domain/clients/agent-record.ts'
import { isLabelKey } from '../../../../api/values/labels.ts'
import { isName, NAME_FORM } from '../../../../api/values/name.ts'
import type { AgentFilters } from '../../domain/lists/page.ts'
import { listAgents } from '../../operations/agents/list-agents.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { agentRecord } from './agent-record.ts'
import { makeListHandler } from './list-page.ts'
import { field, pagingFields } from './list-query.ts'
import type { Refuser } from '../wire/refusals.ts'
import { pageOf } from './token-record.ts'

/** Labels that one request may ask for together. */
const LABELS_ASKED_MAX = 8

export const agentsAnswer = pageOf(agentRecord)

const parseName = (text: string): string | undefined => (isName(text) ? text : undefined)

// The beginning of a name may end in a space; a name may not.
const parsePrefix = (text: string): string | undefined => (isName(text.trimEnd()) ? text : undefined)

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, false: false }

const parseBoolean = (text: string): boolean | undefined => (Object.hasOwn(BOOLEANS, text) ? BOOLEANS[text] : undefined)

const parseLabel = (text: string): AgentFilters['labels'][number] | undefined => {
  const equals = text.indexOf('=')
  const [key, value] = [text.slice(0, Math.max(equals, 0)), text.slice(equals + 1)]
  return isLabelKey(key) && isName(value) ? { key, value } : undefined
}

const label = field(parseLabel, 'of the form key=value, as labels are', { type: 'string' }).unwrap()

export const agentsQuery = z.object({
  disabled: field(parseBoolean, 'true or false', {
    description: 'Only disabled ones, or only others.',
    type: 'boolean',
  }),
  owner: field(parseName, NAME_FORM, { description: 'Only those of this owner.' }),
  label: z
    .array(label)
    .max(LABELS_ASKED_MAX, `is given more than ${LABELS_ASKED_MAX} times`)
    .meta({ description: 'Only those with this label, `key=value`; may repeat.', examples: [['team=data']] })
    .optional(),
  name_prefix: field(parsePrefix, 'the beginning of a name', { description: 'Only those whose names open so.' }),
  q: field(parsePrefix, 'an id or the beginning of a name', {
    description: 'The one with this id first, then those whose names open so.',
  }),
  ...pagingFields,
})

export type AgentsQuery = z.output<typeof agentsQuery>

const filtersOf = (query: AgentsQuery): AgentFilters => ({
  disabled: query.disabled ?? null,
  owner: query.owner ?? null,
  labels: query.label ?? [],
  namePrefix: query.name_prefix ?? null,
  search: query.q ?? null,
})

export const makeAgentsHandler = (ports: AdministrationPorts, refuser: Refuser, path: string) =>
  makeListHandler(ports, refuser, {
    path,
    access: ACCESS.readAgents,
    filtersOf,
    list: (caller, request) => listAgents(ports, caller, request),
    format: recordOf,
  })
