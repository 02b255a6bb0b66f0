// The options of lists: paging, and the filters of the two lists of tokens, which their exports take too.
import { type Command, InvalidArgumentError } from 'commander'
import { PAGE_RECORDS_DEFAULT, PAGE_RECORDS_MAX } from '../../../../api/values/lists.ts'
import { parseReasonList, REASONS } from '../../../../api/values/reason.ts'
import { parseScopeItem } from '../../../../api/values/scope.ts'
import { parseUuid } from '../../../../api/values/uuid.ts'
import { gatherLabels } from '../agent-options.ts'
import { addOptions, type OptionRows } from '../terminal/option-rows.ts'
import { addTimeHelp, readTime } from '../terminal/time.ts'

export type PagingOptions = { readonly limit: number; readonly cursor?: string }

/** A check of an option's text, which ends the command with what was expected. */
export const expecting =
  (parse: (text: string) => unknown, expected: string) =>
  (text: string): string => {
    if (parse(text) === undefined) throw new InvalidArgumentError(`Expected ${expected}.`)
    return text
  }

/** Ends the command where a name is not known: to an auditor an empty page would be a false "nobody did". */
export const refuseUnknown = (unknown: readonly string[], known: readonly string[]): void => {
  if (unknown.length > 0)
    throw new InvalidArgumentError(`Not known: ${unknown.join(', ')}. Known: ${known.join(', ')}.`)
}

const readReasons = (text: string): string => {
  const list = parseReasonList(text)
  if (list === undefined) throw new InvalidArgumentError('Expected a comma list of names in lower snake case.')
  refuseUnknown(list.unknown, Object.keys(REASONS))
  return text
}

export const readLimit = (text: string): number => {
  if (/^[1-9]\d{0,3}$/.test(text) && Number(text) <= PAGE_RECORDS_MAX) return Number(text)
  throw new InvalidArgumentError(`Expected a whole number from 1 to ${PAGE_RECORDS_MAX}.`)
}

export const addPaging = (command: Command): Command =>
  command
    .option('--limit <n>', `at most so many, up to ${PAGE_RECORDS_MAX}`, readLimit, PAGE_RECORDS_DEFAULT)
    .option('--cursor <cursor>', 'go on where a page with the same filters ended')

export const pagingOf = ({ limit, cursor }: PagingOptions) => ({ limit, cursor })

/** Filters of the tokens that are live. */
export const TOKEN_FILTERS: OptionRows = {
  agent_id: ['--agent <agent-id>', 'only tokens of this agent, by its id or its name'],
  client_id: ['--client <client-id>', 'only tokens of this client, by its id or the name of its agent'],
  subject: [
    '--subject <sub>',
    'only tokens that act on behalf of this agent, by its id or its name, or of ALIAS:SUB of an issuer; =SUB as it is',
  ],
  parent_id: ['--parent <token-id>', 'only tokens that were got for this token', expecting(parseUuid, 'a UUID')],
  root_id: ['--root <token-id>', 'only this token and all that descend from it', expecting(parseUuid, 'a UUID')],
  credential_id: [
    '--credential <credential-id>',
    'only tokens got with this credential, by its id or, beside --agent, by its name',
  ],
  kid: ['--kid <kid>', 'only tokens that this key signed'],
  audience: ['--audience <uri>', 'only tokens for this audience, among others perhaps'],
  owner: ['--owner <name>', 'only tokens of the agents of this owner'],
  label: ['--label <key=value>', 'only tokens of the agents with this label (repeatable)', gatherLabels],
  agent_name: ['--agent-name <name>', 'only tokens of the agents with exactly this name, in history deleted ones too'],
  scope: ['--scope <item>', 'only tokens that carry this item', expecting(parseScopeItem, 'resource:action')],
  issued_after: ['--issued-after <time>', 'only tokens issued then or later', readTime],
  issued_before: ['--issued-before <time>', 'only tokens issued earlier', readTime],
}

/** Filters of those that have ended. */
export const HISTORY_FILTERS: OptionRows = {
  ...TOKEN_FILTERS,
  termination_reason: [
    '--reason <reasons>',
    'only tokens that ended for one of these reasons, separated by commas',
    readReasons,
  ],
  ended_after: ['--ended-after <time>', 'only tokens that ended then or later', readTime],
  ended_before: ['--ended-before <time>', 'only tokens that ended earlier', readTime],
  ended_by: [
    '--ended-by <actor-id>',
    'only tokens that this one ended: an operator (sub), a user at the terminal, or an agent or API key by its id or name; =ID as it is',
  ],
  revocation_id: ['--revocation <revocation-id>', 'only tokens that this revocation of many tokens ended'],
}

export const addFilters = (command: Command, filters: OptionRows): Command => addOptions(addTimeHelp(command), filters)
