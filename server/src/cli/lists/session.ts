// mintmark session
import type { Command } from 'commander'
import { endSession, listSessions } from '../../../../api/sessions.ts'
import { defineAdminCommand } from '../administer.ts'
import { showAll } from './read-list.ts'

const SESSION_ID = '0198d4c2-5d7c-4b7a-9c3e-1f2a3b4c5d6e'
const COLUMNS = ['id', 'operator', 'created_at', 'used_at', 'expires_at']

const addList = (session: Command): void =>
  defineAdminCommand(session.command('list').description('list who is signed in to the console'), {
    json: 'print {"data":[…]}',
    examples: ['mintmark session list'],
    run: ({ api }) => showAll(api, listSessions, { columns: COLUMNS }),
  })

const addEnd = (session: Command): void =>
  defineAdminCommand(
    session
      .command('end')
      .description('sign an operator out of the console')
      .argument(
        '<session-id>',
        'the session by its id, or the operator who has but this one; `mintmark session list` shows both',
      ),
    {
      json: 'print nothing: the exit code says it',
      examples: [`mintmark session end ${SESSION_ID}`],
      ends: true,
      run: async ({ api, args: [id = ''] }) => {
        await api.call(endSession, { path: { id } })
        return null
      },
    },
  )

export const addSession = (program: Command): void => {
  const session = program.command('session').description('sessions of operators in the console')
  addList(session)
  addEnd(session)
}
