// mintmark credential list
import type { Command } from 'commander'
import { defineAdminCommand } from './administer.ts'
import { at } from './remote/api.ts'
import { showAllAt } from './read-list.ts'

const COLUMNS = [
  'credential_id',
  'name',
  'kind',
  'expires_at',
  'last_used_at',
  'revoked_at',
  'suspended_at',
  'live_tokens',
]

export const addListCredentials = (credential: Command): void => {
  const command = credential
    .command('list')
    .description('list the credentials of an agent, the revoked and expired ones too')
    .argument('<agent-id>', 'the id of the agent; `mintmark agent list` shows it')
  defineAdminCommand(command, {
    json: 'print {"data":[…]}',
    examples: ['mintmark credential list 6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10'],
    run: ({ api, args: [agentId = ''] }) =>
      showAllAt(api, { path: at`/api/v1/agents/${agentId}/credentials`, columns: COLUMNS }),
  })
}
