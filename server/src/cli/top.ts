// mintmark top
import type { Command } from 'commander'
import { listAgentUsage } from '../../../api/usage.ts'
import { PAGE_RECORDS_DEFAULT, PAGE_RECORDS_MAX } from '../../../api/values/lists.ts'
import type { Timing } from '../ports/timing.ts'
import { defineAdminCommand } from './administer.ts'
import { readLimit } from './lists/list-options.ts'
import type { Api } from './remote/api.ts'
import { CommandFailed } from './terminal/exit.ts'
import { isScreen, showLive } from './terminal/live-screen.ts'
import { areRecords, type PrintedRecord, printTable } from './terminal/print.ts'
import { layOutTop, TOP_COLUMNS } from './terminal/top-screen.ts'

type TopOptions = { readonly once?: boolean; readonly json?: boolean; readonly limit: number }

const readUsage = async (api: Api, limit: number): Promise<readonly PrintedRecord[]> => {
  const { data } = await api.call(listAgentUsage, { query: { limit } })
  if (areRecords(data) && data.every(one => 'agent_id' in one)) return data
  throw new CommandFailed('The answer is no list of agents: is the URL that of a service of this version?')
}

/** What fails once it runs is shown, and tried again. */
const follow = async (api: Api, limit: number, { topMs }: Pick<Timing, 'topMs'>): Promise<void> => {
  let records = await readUsage(api, limit)
  let remark: string | null = null
  const read = async (): Promise<void> => {
    try {
      records = await readUsage(api, limit)
      remark = null
    } catch (fault) {
      remark = `Not up to date: ${fault instanceof Error ? fault.message : String(fault)}`
    }
  }
  await showLive({ read, layOut: size => layOutTop(records, size, remark), everyMs: topMs }, process)
}

export const addTop = (program: Command): void => {
  const command = program
    .command('top')
    .description('show the agents that get the most tokens, anew every 2 s; q leaves')
    .option('--once', 'print one table and end, as where standard output is no terminal')
    .option('--limit <number>', `agents, at most; up to ${PAGE_RECORDS_MAX}`, readLimit, PAGE_RECORDS_DEFAULT)
  defineAdminCommand<TopOptions>(command, {
    json: 'print {"data":[…]} as GET /api/v1/usage/agents answers it, once',
    examples: ['mintmark top --once --limit 20', 'mintmark top --json'],
    run: async ({ api, timing, options: { once, json, limit } }) => {
      if (once !== true && json !== true && isScreen()) {
        await follow(api, limit, timing)
        return null
      }
      const data = await readUsage(api, limit)
      return { json: { data }, forPeople: () => printTable(TOP_COLUMNS, data) }
    },
  })
}
