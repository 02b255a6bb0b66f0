// mintmark token history
import type { Command } from 'commander'
import { formatEndedRecord } from '../domain/format-token.ts'
import { parseReasonList, type Reason } from '../domain/reason.ts'
import { listHistory } from '../operations/list-history.ts'
import { administer } from './administer.ts'
import {
  addListOptions,
  expecting,
  type ListOptions,
  pagingOf,
  printPage,
  readTime,
  tokenFiltersOf,
} from './list-options.ts'

type Options = ListOptions & {
  readonly reason?: readonly Reason[]
  readonly endedAfter?: number
  readonly endedBefore?: number
}

const COLUMNS = ['id', 'agent_id', 'termination_reason', 'ended_at', 'note']

const filtersOf = (options: Options) => ({
  ...tokenFiltersOf(options),
  reasons: options.reason ?? null,
  endedAfter: options.endedAfter ?? null,
  endedBefore: options.endedBefore ?? null,
})

const run = async (options: Options): Promise<void> => {
  const request = { filters: filtersOf(options), ...pagingOf(options) }
  const page = await administer((ports, { caller }) => listHistory(ports, caller, request))
  printPage({ page, columns: COLUMNS, format: formatEndedRecord }, options.json ?? false)
}

export const addListHistory = (token: Command): void => {
  const reasons = expecting(parseReasonList, 'a comma list of names in lower snake case')
  addListOptions(token.command('history'))
    .description('list the tokens that have ended, by whatever cause, latest end first')
    .option('--reason <reasons>', 'only tokens that ended for one of these reasons, separated by commas', reasons)
    .option('--ended-after <time>', 'only tokens that ended then or later', readTime)
    .option('--ended-before <time>', 'only tokens that ended earlier', readTime)
    .option('--json', 'print {"data":[…],"next_cursor":…} as GET /api/v1/tokens/history answers it')
    .addHelpText('after', '\nExample:\n  mintmark token history --reason manual_revocation,agent_disabled')
    .action(run)
}
