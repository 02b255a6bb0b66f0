// mintmark agent create
import { type Command, InvalidArgumentError } from 'commander'
import { type AgentRequest, createAgent } from '../operations/create-agent.ts'
import { administer } from './administer.ts'
import { printJson, printLine, printRecord } from './print.ts'

type Options = {
  readonly name: string
  readonly scope: string
  readonly defaultScope?: string
  readonly resource?: readonly string[]
  readonly defaultAudience?: string
  readonly lifetimeSeconds?: number
  readonly json?: boolean
}

const parseSeconds = (text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Expected a whole number of seconds.')
  return Number(text)
}

const toRequest = (options: Options): AgentRequest => ({
  name: options.name,
  scope: options.scope,
  defaultScope: options.defaultScope ?? null,
  resources: options.resource ?? [],
  defaultAudience: options.defaultAudience ?? null,
  lifetimeSeconds: options.lifetimeSeconds ?? null,
})

const run = async (options: Options): Promise<void> => {
  const { agent, clientSecret } = await administer((ports, origin) => createAgent(ports, origin, toRequest(options)))
  const record = { agent_id: agent.id, client_id: agent.clientId, client_secret: clientSecret }
  if (options.json) return printJson(record)
  printRecord(record)
  printLine('Keep the secret: it is shown this once.')
}

export const addCreateAgent = (agent: Command): void => {
  agent
    .command('create')
    .description('register an agent and make its first secret')
    .requiredOption('--name <name>', 'a name to know it by, which no other agent has')
    .requiredOption('--scope <scope>', 'what it may ask for: "db:read db:write", or "db:*" for every action on db')
    .option(
      '--default-scope <scope>',
      'what it gets when a request names no scope; without it such a request is refused',
    )
    .option('--resource <uri...>', 'a resource that it may ask for (repeatable); "*" for any')
    .option('--default-audience <uri>', 'the audience of its tokens when a request names no resource')
    .option('--lifetime-seconds <n>', 'the lifetime of its tokens, instead of the service’s', parseSeconds)
    .option('--json', 'print {"agent_id","client_id","client_secret"}')
    .addHelpText(
      'after',
      '\nExample:\n  mintmark agent create --name reports --scope "db:read db:write" --default-scope db:read',
    )
    .action(run)
}
