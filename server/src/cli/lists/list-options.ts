// The options of lists: paging, and the filters of the two lists of tokens, which their exports take too.
import { type Command, InvalidArgumentError } from 'commander'
import { PAGE_RECORDS_DEFAULT, PAGE_RECORDS_MAX } from '../../../../api/values/lists.ts'
import { parseReasonList, REASONS } from '../../../../api/values/reason.ts'
import { parseScopeItem } from '../../../../api/values/scope.ts'
import { parseUuid } from '../../../../api/values/uuid.ts'
import { gatherLabels, type Label, labelTexts } from '../agent-options.ts'
import { addTimeHelp, readTime } from '../terminal/time.ts'

export type PagingOptions = { readonly limit: number; readonly cursor?: string }

export type TokenFilterOptions = {
  readonly agent?: string
  readonly client?: string
  readonly subject?: string
  readonly parent?: string
  readonly root?: string
  readonly credential?: string
  readonly kid?: string
  readonly audience?: string
  readonly owner?: string
  readonly label?: readonly Label[]
  readonly agentName?: string
  readonly scope?: string
  readonly issuedAfter?: string
  readonly issuedBefore?: string
}

export type HistoryFilterOptions = TokenFilterOptions & {
  readonly reason?: string
  readonly endedAfter?: string
  readonly endedBefore?: string
  readonly endedBy?: string
  readonly revocation?: string
}

/** A check of an option's text, which ends the command with what was expected. */
const expecting =
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

export const addTokenFilters = (command: Command): Command =>
  addTimeHelp(command)
    .option('--agent <agent-id>', 'only tokens of this agent, by its id or its name')
    .option('--client <client-id>', 'only tokens of this client, by its id or the name of its agent')
    .option('--subject <agent-id>', 'only tokens that act on behalf of this agent')
    .option('--parent <token-id>', 'only tokens that were got for this token', expecting(parseUuid, 'a UUID'))
    .option('--root <token-id>', 'only this token and all that descend from it', expecting(parseUuid, 'a UUID'))
    .option(
      '--credential <credential-id>',
      'only tokens got with this credential, by its id or, beside --agent, by its name',
    )
    .option('--kid <kid>', 'only tokens that this key signed')
    .option('--audience <uri>', 'only tokens for this audience, among others perhaps')
    .option('--owner <name>', 'only tokens of the agents of this owner')
    .option('--label <key=value>', 'only tokens of the agents with this label (repeatable)', gatherLabels)
    .option('--agent-name <name>', 'only tokens of the agents with exactly this name, in history deleted ones too')
    .option('--scope <item>', 'only tokens that carry this item', expecting(parseScopeItem, 'resource:action'))
    .option('--issued-after <time>', 'only tokens issued then or later', readTime)
    .option('--issued-before <time>', 'only tokens issued earlier', readTime)

export const tokenFiltersOf = (options: TokenFilterOptions) => ({
  agent_id: options.agent,
  client_id: options.client,
  subject: options.subject,
  parent_id: options.parent,
  root_id: options.root,
  credential_id: options.credential,
  kid: options.kid,
  audience: options.audience,
  owner: options.owner,
  label: labelTexts(options.label ?? []),
  agent_name: options.agentName,
  scope: options.scope,
  issued_after: options.issuedAfter,
  issued_before: options.issuedBefore,
})

export const addHistoryFilters = (command: Command): Command =>
  addTokenFilters(command)
    .option('--reason <reasons>', 'only tokens that ended for one of these reasons, separated by commas', readReasons)
    .option('--ended-after <time>', 'only tokens that ended then or later', readTime)
    .option('--ended-before <time>', 'only tokens that ended earlier', readTime)
    .option(
      '--ended-by <actor-id>',
      'only tokens that this one ended: an operator (sub), a user at the terminal, or an agent or API key by its id or name; =ID as it is',
    )
    .option('--revocation <revocation-id>', 'only tokens that this revocation of many tokens ended')

export const historyFiltersOf = (options: HistoryFilterOptions) => ({
  ...tokenFiltersOf(options),
  termination_reason: options.reason,
  ended_after: options.endedAfter,
  ended_before: options.endedBefore,
  ended_by: options.endedBy,
  revocation_id: options.revocation,
})
