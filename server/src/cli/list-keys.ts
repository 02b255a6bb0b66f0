// mintmark key list
import type { Command } from 'commander'
import { defineAdminCommand } from './administer.ts'
import { showAllAt } from './read-list.ts'

const COLUMNS = ['kid', 'algorithm', 'state', 'signs_from', 'signs_until', 'ready_in_seconds', 'leaves_in_seconds']

export const addListKeys = (key: Command): void =>
  defineAdminCommand(key.command('list').description('list all signing keys, newest first, those that are gone too'), {
    json: 'print {"data":[…]}',
    examples: ['mintmark key list'],
    run: ({ api }) => showAllAt(api, { path: '/api/v1/keys', columns: COLUMNS }),
  })
