// mintmark usage: where tokens are used, and which of them after their end.
import { type Command, InvalidArgumentError } from 'commander'
import { listUses, listUsesAfterEnd } from '../../../api/usage.ts'
import { defineAdminCommand } from './administer.ts'
import { addPaging, type PagingOptions, pagingOf } from './lists/list-options.ts'
import { showPage } from './lists/read-list.ts'
import { addTimeHelp, readTime } from './terminal/time.ts'
import { findTokenId } from './token-id.ts'

type UsageOptions = PagingOptions & {
  readonly agent?: string
  readonly through?: string
  readonly since?: string
  readonly before?: string
  readonly afterEnd?: boolean
  readonly tokenId?: string
}

const WHERE = ['agent_id', 'agent_name', 'owner', 'api_key_name', 'outside_audiences']
const USED = ['first_used_at', 'last_used_at']
const COLUMNS = ['minute', ...WHERE, 'introspections', 'active', 'after_end', 'uses', ...USED]
const LATE_COLUMNS = ['token_id', ...WHERE, 'expired', 'count', ...USED]

const queryOf = (options: UsageOptions) => ({
  agent_id: options.agent,
  api_key_id: options.through,
  since: options.since,
  before: options.before,
  ...pagingOf(options),
})

const readToken = (text: string): string => {
  if (text !== '') return text
  throw new InvalidArgumentError('Expected the id of a token, or - to paste the token itself.')
}

export const addUsage = (program: Command): void => {
  const command = program
    .command('usage')
    .description('list where tokens were used, by agent, API key and minute, newest first')
    .option('--agent <agent-id>', 'only tokens of this agent')
    .option('--through <api-key-id>', 'only uses that were introspected or reported with this API key')
    .option('--since <time>', 'only minutes that began then or later', readTime)
    .option('--before <time>', 'only minutes that began earlier', readTime)
    .option('--after-end', 'list tokens that were introspected after they had ended, last used first')
    .option('--token-id <id>', 'the same of this token; - to paste the token itself', readToken)
  defineAdminCommand<UsageOptions>(addPaging(addTimeHelp(command)), {
    json: 'print {"data":[…],"next_cursor":…} as GET /api/v1/usage answers it, or with --after-end GET /api/v1/usage/after-end',
    examples: ['mintmark usage --since 1h', 'mintmark usage --after-end --since 7d', 'mintmark usage --json'],
    run: async ({ api, options }) => {
      const { afterEnd, tokenId: token } = options
      if (token === undefined && afterEnd !== true) {
        return showPage(api, listUses, { query: queryOf(options), columns: COLUMNS })
      }
      const token_id = token === undefined ? undefined : await findTokenId(token)
      return showPage(api, listUsesAfterEnd, { query: { ...queryOf(options), token_id }, columns: LATE_COLUMNS })
    },
  })
}
