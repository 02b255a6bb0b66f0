// The command line: every verb on one screen.
import { Command } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { addCreateAgent } from './create-agent.ts'
import { addCreateApiKey } from './create-api-key.ts'
import { addDev } from './dev.ts'
import { addDevToken } from './dev-token.ts'
import { addDisableAgent } from './disable-agent.ts'
import { addEnableAgent } from './enable-agent.ts'
import { reportFailure } from './exit.ts'
import { addListAgents } from './list-agents.ts'
import { addListApiKeys } from './list-api-keys.ts'
import { addMigrate } from './migrate.ts'
import { addResetClock } from './reset-clock.ts'
import { addRevokeApiKey } from './revoke-api-key.ts'
import { addServe } from './serve.ts'
import { addShowAgent } from './show-agent.ts'

const addVerbs = (parent: Command, verbs: readonly ((parent: Command) => void)[]): void => {
  for (const add of verbs) add(parent)
}

const makeProgram = (): Command => {
  const program = new Command('mintmark')
    .description('A token service for software agents.')
    .version(packageJson.version)
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'mintmark: ')) })
  addVerbs(program, [addDev, addServe, addMigrate, addDevToken])
  const agent = program.command('agent').description('the agents that may ask for tokens')
  addVerbs(agent, [addCreateAgent, addListAgents, addShowAgent, addDisableAgent, addEnableAgent])
  const apiKey = program.command('api-key').description('the API keys of resource servers and tools')
  addVerbs(apiKey, [addCreateApiKey, addListApiKeys, addRevokeApiKey])
  addVerbs(program.command('clock').description('the clock of the store'), [addResetClock])
  return program
}

/** Runs one command. The exit code: 0, 1 for a refusal or failure, 2 for a wrong usage. */
export const runCommand = async (argv: readonly string[]): Promise<number> => {
  try {
    await makeProgram().parseAsync(argv, { from: 'user' })
    return 0
  } catch (error) {
    return reportFailure(error)
  }
}
