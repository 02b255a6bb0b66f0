// mintmark agent create
import type { Command } from 'commander'
import { defineAdminCommand, show } from './administer.ts'
import { addAgentOptions, type AgentOptions, bodyOf } from './agent-options.ts'

type Options = AgentOptions & { readonly name: string; readonly scope: string }

export const addCreateAgent = (agent: Command): void => {
  const command = agent
    .command('create')
    .description('register an agent and make its first secret')
    .requiredOption('--name <name>', 'a name to know it by, which no other agent has')
    .requiredOption('--scope <scope>', 'what it may ask for: "db:read db:write", or "db:*" for every action on db')
  defineAdminCommand<Options>(addAgentOptions(command), {
    json: 'print {"agent_id","client_id","client_secret"}',
    examples: [
      'mintmark agent create --name reports --scope "db:read db:write" --default-scope db:read --label team=data',
    ],
    run: async ({ api, options }) => {
      const request = { method: 'POST', path: '/api/v1/agents', json: bodyOf(options) } as const
      const { agent_id, client_id, client_secret } = await api.ask(request, 'agent_id', 'client_id', 'client_secret')
      return show({ agent_id, client_id, client_secret }, 'Keep the secret: it is shown this once.')
    },
  })
}
