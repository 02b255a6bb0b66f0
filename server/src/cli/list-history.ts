// mintmark token history
import type { Command } from 'commander'
import { parseReasonList } from '../domain/reason.ts'
import { administers } from './administer.ts'
import { addListOptions, expecting, type ListOptions, listQueryOf, readTime } from './list-options.ts'
import { showPage } from './read-list.ts'

type Options = ListOptions & {
  readonly reason?: string
  readonly endedAfter?: string
  readonly endedBefore?: string
}

const COLUMNS = ['id', 'agent_id', 'termination_reason', 'ended_at', 'note']

const queryOf = (options: Options) => ({
  ...listQueryOf(options),
  termination_reason: options.reason,
  ended_after: options.endedAfter,
  ended_before: options.endedBefore,
})

export const addListHistory = (token: Command): void => {
  const reasons = expecting(parseReasonList, 'a comma list of names in lower snake case')
  const command = addListOptions(token.command('history'))
    .description('list the tokens that have ended, by whatever cause, latest end first')
    .option('--reason <reasons>', 'only tokens that ended for one of these reasons, separated by commas', reasons)
    .option('--ended-after <time>', 'only tokens that ended then or later', readTime)
    .option('--ended-before <time>', 'only tokens that ended earlier', readTime)
  administers<Options>(command, {
    json: 'print {"data":[…],"next_cursor":…} as GET /api/v1/tokens/history answers it',
    examples: ['mintmark token history --reason manual_revocation,agent_disabled'],
    run: ({ api, options }) =>
      showPage(api, { path: '/api/v1/tokens/history', query: queryOf(options), columns: COLUMNS }),
  })
}
