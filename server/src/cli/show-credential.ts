// mintmark credential show
import type { Command } from 'commander'
import { defineAdminCommand, show } from './administer.ts'
import { at } from './remote/api.ts'

export const addShowCredential = (credential: Command): void => {
  const command = credential
    .command('show')
    .description('show one credential, and how many live tokens it got')
    .argument('<agent-id>', 'the id of the agent')
    .argument('<credential-id>', 'the id of the credential; `mintmark credential list` shows it')
  defineAdminCommand(command, {
    json: 'print the credential as JSON',
    examples: ['mintmark credential show 6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10 0b9c6a52-8f0e-4a55-b1a5-3f0a3f6f5c11'],
    run: async ({ api, args: [agentId = '', id = ''] }) =>
      show(await api.ask({ method: 'GET', path: at`/api/v1/agents/${agentId}/credentials/${id}` }, 'credential_id')),
  })
}
