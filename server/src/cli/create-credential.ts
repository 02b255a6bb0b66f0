// mintmark credential create
import type { Command } from 'commander'
import { administers, show } from './administer.ts'
import { at } from './api.ts'
import { expiryIn, parseDuration } from './duration.ts'

type Options = { readonly name: string; readonly expiresIn?: number }

export const addCreateCredential = (credential: Command): void => {
  const command = credential
    .command('create')
    .description('give an agent another secret, beside those that it has')
    .argument('<agent-id>', 'the id of the agent; `mintmark agent list` shows it')
    .requiredOption('--name <name>', 'a name to know it by')
    .option('--expires-in <duration>', 'when it stops being taken, such as 90d; without it never', parseDuration)
  administers<Options>(command, {
    json: 'print {"credential_id","agent_id","client_secret"}',
    examples: ['mintmark credential create 6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10 --name "second site" --expires-in 90d'],
    run: async ({ api, args: [agentId = ''], options: { name, expiresIn } }) => {
      const path = at`/api/v1/agents/${agentId}/credentials`
      const json = { name, ...expiryIn(expiresIn) }
      const made = await api.ask({ method: 'POST', path, json }, 'credential_id', 'agent_id', 'client_secret')
      const { credential_id, agent_id, client_secret } = made
      return show({ credential_id, agent_id, client_secret }, 'Keep the secret: it is shown this once.')
    },
  })
}
