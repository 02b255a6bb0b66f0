// mintmark top
import type { Command } from 'commander'
import { listAgentUsage } from '../../../api/usage.ts'
import { PAGE_RECORDS_DEFAULT, PAGE_RECORDS_MAX } from '../../../api/values/lists.ts'
import { defineAdminCommand } from './administer.ts'
import { readLimit } from './lists/list-options.ts'
import type { Api } from './remote/api.ts'
import { CommandFailed } from './terminal/exit.ts'
import { areRecords, type PrintedRecord, printTable } from './terminal/print.ts'

type TopOptions = { readonly limit: number }

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

export const addTop = (program: Command): void => {
  const command = program
    .command('top')
    .description('show the agents that get the most tokens')
    .option('--limit <number>', `agents, at most; up to ${PAGE_RECORDS_MAX}`, readLimit, PAGE_RECORDS_DEFAULT)
  defineAdminCommand<TopOptions>(command, {
    json: 'print {"data":[…]} as GET /api/v1/usage/agents answers it',
    examples: ['mintmark top --limit 20', 'mintmark top --json'],
    run: async ({ api, options: { limit } }) => {
      const data = await readUsage(api, limit)
      return { json: { data }, forPeople: () => printTable(TOP_COLUMNS, data) }
    },
  })
}
