// mintmark usage: where tokens are used, and which of them after their end. mintmark top: which agents get the most tokens, and
// what is refused most.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { listAgentUsage, listRefusedRequests, listUses, listUsesAfterEnd } from '../../../api/usage.ts'
import { PAGE_RECORDS_DEFAULT, PAGE_RECORDS_MAX } from '../../../api/values/lists.ts'
import { SERIES_WINDOW_NAMES, type SeriesWindow } from '../../../api/values/usage.ts'
import { defineAdminCommand, type Shown } from './administer.ts'
import { addFilters, addPaging, type PagingOptions, pagingOf, readLimit } from './lists/list-options.ts'
import { showPage } from './lists/read-list.ts'
import type { Api } from './remote/api.ts'
import { CommandFailed } from './terminal/exit.ts'
import { type OptionRows, queryOf } from './terminal/option-rows.ts'
import { areRecords, type PrintedRecord, printLine, printTable } from './terminal/print.ts'
import { readTime } from './terminal/time.ts'
import { findTokenId } from './token-id.ts'

type UsageOptions = PagingOptions & { readonly afterEnd?: boolean; readonly tokenId?: string }

const WHERE = ['agent_id', 'agent_name', 'owner', 'api_key_name', 'outside_audiences']
const USED = ['first_used_at', 'last_used_at']
const COLUMNS = ['minute', ...WHERE, 'introspections', 'active', 'after_end', 'uses', ...USED]
const LATE_COLUMNS = ['token_id', ...WHERE, 'expired', 'count', ...USED]

const FILTERS: OptionRows = {
  agent_id: ['--agent <agent-id>', 'only tokens of this agent'],
  api_key_id: ['--through <api-key-id>', 'only uses that were introspected or reported with this API key'],
  since: ['--since <time>', 'only minutes that began then or later', readTime],
  before: ['--before <time>', 'only minutes that began earlier', readTime],
}

const readToken = (text: string): string => {
  if (text !== '') return text
  throw new InvalidArgumentError('Expected the id of a token, or - to paste the token itself.')
}

export const addUsage = (program: Command): void => {
  const command = program
    .command('usage')
    .description('list where tokens were used, by agent, API key and minute, newest first')
  addFilters(command, FILTERS)
    .option('--after-end', 'list tokens that were introspected after they had ended, last used first')
    .option('--token-id <id>', 'the same of this token; - to paste the token itself', readToken)
  defineAdminCommand<UsageOptions>(addPaging(command), {
    json: 'print {"data":[…],"next_cursor":…} as GET /api/v1/usage answers it, or with --after-end GET /api/v1/usage/after-end',
    examples: ['mintmark usage --since 1h', 'mintmark usage --after-end --since 7d', 'mintmark usage --json'],
    run: async ({ api, options }) => {
      const { afterEnd, tokenId: token } = options
      const query = { ...queryOf(options, FILTERS), ...pagingOf(options) }
      if (token === undefined && afterEnd !== true) return showPage(api, listUses, { query, columns: COLUMNS })
      const token_id = token === undefined ? undefined : await findTokenId(token)
      return showPage(api, listUsesAfterEnd, { query: { ...query, token_id }, columns: LATE_COLUMNS })
    },
  })
}

type TopOptions = { readonly limit: number; readonly refused?: SeriesWindow }

/** Numbers first: text that runs from right to left then moves none of them. `state` keeps name and owner apart. */
const TOP_COLUMNS = [
  'tokens_last_minute',
  'tokens_last_hour',
  'tokens_last_day',
  'live_tokens',
  'refusals',
  'last_issued_at',
  'agent_id',
  'name',
  'state',
  'owner',
]

const readUsage = async (api: Api, limit: number): Promise<readonly PrintedRecord[]> => {
  const { data } = await api.call(listAgentUsage, { query: { limit } })
  if (areRecords(data) && data.every(one => 'agent_id' in one)) return data
  throw new CommandFailed('The answer is no list of agents: is the URL that of a service of this version?')
}

const REFUSAL_COLUMNS = ['count', 'reason', 'status', 'last_at', 'agent_id', 'name']
const LIMIT_COLUMNS = ['count', 'reason', 'status', 'last_at', 'settings']

const showRefusals = async (api: Api, over: SeriesWindow, limit: number): Promise<Shown> => {
  const refusals = await api.call(listRefusedRequests, { query: { over, limit } })
  const { data, limits } = refusals
  if (!areRecords(data) || !areRecords(limits))
    throw new CommandFailed('The answer is no list of refusals: is the URL that of a service of this version?')
  return {
    json: refusals,
    forPeople: () => {
      printTable(REFUSAL_COLUMNS, data)
      printLine('')
      printTable(LIMIT_COLUMNS, limits)
    },
  }
}

export const addTop = (program: Command): void => {
  const command = program
    .command('top')
    .description('show the agents that get the most tokens, or what was refused most')
    .option('--limit <number>', `agents, at most; up to ${PAGE_RECORDS_MAX}`, readLimit, PAGE_RECORDS_DEFAULT)
    .addOption(
      new Option(
        '--refused <window>',
        'show what was refused, by agent and reason, and the limits that were reached',
      ).choices(SERIES_WINDOW_NAMES),
    )
  defineAdminCommand<TopOptions>(command, {
    json: 'print {"data":[…]} as GET /api/v1/usage/agents answers it, or with --refused GET /api/v1/usage/refusals',
    examples: ['mintmark top --limit 20', 'mintmark top --refused 1h', 'mintmark top --json'],
    run: async ({ api, options: { limit, refused } }) => {
      if (refused !== undefined) return showRefusals(api, refused, limit)
      const data = await readUsage(api, limit)
      return { json: { data }, forPeople: () => printTable(TOP_COLUMNS, data) }
    },
  })
}
