// mintmark settings
import type { Command } from 'commander'
import { listSettings } from '../../../../api/settings.ts'
import { defineAdminCommand } from '../administer.ts'
import type { WhereOptions } from '../remote/open-api.ts'
import { areRecords, printTable } from '../terminal/print.ts'

const COLUMNS = ['name', 'value', 'source', 'variable']

export const addSettings = (program: Command): void =>
  defineAdminCommand<WhereOptions>(
    program
      .command('settings')
      .description('list the settings of the service and where each comes from; of a secret only whether it is set'),
    {
      json: 'print {"data":[…]} as GET /api/v1/settings answers it',
      examples: ['mintmark settings', 'mintmark settings --json'],
      run: async ({ api }) => {
        const answer = await api.call(listSettings, {})
        const { data } = answer
        return { json: answer, forPeople: () => printTable(COLUMNS, areRecords(data) ? data : []) }
      },
    },
  )
