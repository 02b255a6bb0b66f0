// mintmark agent create
import type { Command } from 'commander'
import { createAgent } from '../operations/create-agent.ts'
import { administer } from './administer.ts'
import { addAgentOptions, type AgentOptions, fieldsOf } from './agent-options.ts'
import { printJson, printLine, printRecord } from './print.ts'

type Options = AgentOptions & { readonly name: string; readonly scope: string; readonly json?: boolean }

const run = async (options: Options): Promise<void> => {
  const { name, scope } = options
  const request = { ...fieldsOf(options), name, scope }
  const { agent, clientSecret } = await administer((ports, origin) => createAgent(ports, origin, request))
  const record = { agent_id: agent.id, client_id: agent.clientId, client_secret: clientSecret }
  if (options.json) return printJson(record)
  printRecord(record)
  printLine('Keep the secret: it is shown this once.')
}

export const addCreateAgent = (agent: Command): void => {
  const command = agent
    .command('create')
    .description('register an agent and make its first secret')
    .requiredOption('--name <name>', 'a name to know it by, which no other agent has')
    .requiredOption('--scope <scope>', 'what it may ask for: "db:read db:write", or "db:*" for every action on db')
  addAgentOptions(command)
    .option('--json', 'print {"agent_id","client_id","client_secret"}')
    .addHelpText(
      'after',
      '\nExample:\n  mintmark agent create --name reports --scope "db:read db:write" --default-scope db:read --label team=data',
    )
    .action(run)
}
