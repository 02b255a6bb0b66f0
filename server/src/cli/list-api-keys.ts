// mintmark api-key list
import type { Command } from 'commander'
import { defineAdminCommand } from './administer.ts'
import { showAllAt } from './read-list.ts'

const COLUMNS = ['api_key_id', 'name', 'permissions', 'audiences', 'expires_at', 'revoked_at', 'suspended_at']

export const addListApiKeys = (apiKey: Command): void =>
  defineAdminCommand(apiKey.command('list').description('list all API keys, the revoked ones too'), {
    json: 'print {"data":[…]}',
    examples: ['mintmark api-key list'],
    run: ({ api }) => showAllAt(api, { path: '/api/v1/api-keys', columns: COLUMNS }),
  })
