// mintmark verifier
import type { Command } from 'commander'
import { listVerifiers } from '../../../api/verifiers.ts'
import { defineAdminCommand } from './administer.ts'
import { showAll } from './lists/read-list.ts'

const COLUMNS = ['name', 'api_key_name', 'state', 'behind', 'position', 'stale_seconds', 'address']

const addList = (verifier: Command): void =>
  defineAdminCommand(
    verifier.command('list').description('list who follows the revocation feed, and how far each says it is'),
    {
      json: 'print {"data":[…]}',
      examples: ['mintmark verifier list'],
      run: ({ api }) => showAll(api, listVerifiers, { columns: COLUMNS }),
    },
  )

export const addVerifier = (program: Command): void => {
  addList(program.command('verifier').description('resource servers that follow the revocation feed'))
}
