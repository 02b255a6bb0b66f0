// mintmark agent change
import type { Command } from 'commander'
import { defineAdminCommand, show } from './administer.ts'
import { addAgentOptions, type AgentOptions, bodyOf } from './agent-options.ts'
import { at } from './remote/api.ts'
import { countLosses } from './count-losses.ts'

const CLEARING = {
  '--no-default-scope': 'refuse its requests that name no scope',
  '--no-resource': 'let it ask for no resource by name',
  '--no-default-audience': 'fall back on the default audience of the service',
  '--no-lifetime-seconds': 'give its tokens the lifetime of the service',
  '--no-tokens-per-minute': 'let it have any number of tokens in a minute',
  '--no-tokens-per-day': 'let it have any number of tokens in a day',
  '--no-live-tokens-max': 'let any number of its tokens live at once',
  '--no-description': 'remove the description',
  '--no-owner': 'remove the owner',
  '--no-label': 'remove every label',
} as const

export const addChangeAgent = (agent: Command): void => {
  const command = agent
    .command('change')
    .description('change what is named of an agent; tokens with a scope or resource that it loses end at once')
    .argument('<agent-id>', 'the id of the agent; `mintmark agent list` shows it')
    .option('--name <name>', 'a name to know it by, which no other agent has')
    .option('--scope <scope>', 'all that it may ask for from now on')
  addAgentOptions(command).option('--remove-label <key...>', 'remove a label (repeatable)')
  for (const [flag, description] of Object.entries(CLEARING)) command.option(flag, description)
  defineAdminCommand<AgentOptions>(command, {
    json: 'print the agent as JSON',
    examples: [
      'mintmark agent change 6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10 --owner data --label team=data',
      'mintmark agent change 6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10 --scope db:read --yes',
    ],
    consequence: ({ api, args: [id = ''], options }) => countLosses(api, id, bodyOf(options)),
    run: async ({ api, args: [id = ''], options }) =>
      show(await api.ask({ method: 'PATCH', path: at`/api/v1/agents/${id}`, json: bodyOf(options) }, 'agent_id')),
  })
}
