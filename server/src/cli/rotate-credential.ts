// mintmark credential rotate
import type { Command } from 'commander'
import { defineAdminCommand } from './administer.ts'
import { at } from './remote/api.ts'
import { parseDuration, parseExpiry } from './terminal/duration.ts'
import { showRotation } from './show-rotation.ts'

type Options = { readonly grace: number; readonly expiresIn?: string }

export const addRotateCredential = (credential: Command): void => {
  const command = credential
    .command('rotate')
    .description('make a new secret and let the old one live for a while; no token ends by it')
    .argument('<agent-id>', 'the id of the agent')
    .argument('<credential-id>', 'the id of the old credential')
    .requiredOption('--grace <duration>', 'how long the old one is still taken: 0 to 30d', parseDuration)
    .option('--expires-in <duration>', 'when the new one stops being taken; without it never', parseExpiry)
  defineAdminCommand<Options>(command, {
    json: 'print {"credential_id","agent_id","client_secret"}',
    examples: [
      'mintmark credential rotate 6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10 0b9c6a52-8f0e-4a55-b1a5-3f0a3f6f5c11 --grace 24h',
    ],
    run: async ({ api, args: [agentId = '', id = ''], options: { grace, expiresIn } }) => {
      const path = at`/api/v1/agents/${agentId}/credentials/${id}/rotate`
      const json = { grace_seconds: grace, expires_at: expiresIn }
      const made = await api.ask({ method: 'POST', path, json }, 'credential_id', 'agent_id', 'client_secret')
      const { credential_id, agent_id, client_secret, replaces } = made
      return showRotation({ credential_id, agent_id, client_secret }, replaces, 'secret')
    },
  })
}
