// The command line: every command on one screen.
import { Command } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { reportFailure } from './exit.ts'

type AddTo = (parent: Command) => void

// A command is loaded when it is asked for, and without what only others need.
const COMMANDS: Readonly<Record<string, () => Promise<AddTo>>> = {
  dev: async () => (await import('./dev.ts')).addDev,
  serve: async () => (await import('./serve.ts')).addServe,
  migrate: async () => (await import('./migrate.ts')).addMigrate,
  'dev-token': async () => (await import('./dev-token.ts')).addDevToken,
  agent: async () => (await import('./agent.ts')).addAgent,
  credential: async () => (await import('./credential.ts')).addCredential,
  'api-key': async () => (await import('./api-key.ts')).addApiKey,
  token: async () => (await import('./token.ts')).addToken,
  revocation: async () => (await import('./revocation.ts')).addRevocation,
  'leaked-secrets': async () => (await import('./leaked-secrets.ts')).addLeakedSecrets,
  key: async () => (await import('./key.ts')).addKey,
  audit: async () => (await import('./audit.ts')).addAudit,
  clock: async () => (await import('./clock.ts')).addClock,
}

/** The command that the first word names; all of them for help, and for a word that names none. */
const loadCommands = ([first = '']: readonly string[]): Promise<readonly AddTo[]> => {
  const named = Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined
  const wanted = named === undefined ? Object.values(COMMANDS) : [named]
  return Promise.all(wanted.map(load => load()))
}

const makeProgram = async (argv: readonly string[]): Promise<Command> => {
  const program = new Command('mintmark')
    .description('A token service for software agents.')
    .version(packageJson.version)
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'mintmark: ')) })
  for (const addTo of await loadCommands(argv)) addTo(program)
  return program
}

/** Runs one command. The exit code: 0, 1 for a refusal or failure, 2 for a wrong usage. */
export const runCommand = async (argv: readonly string[]): Promise<number> => {
  try {
    await (await makeProgram(argv)).parseAsync(argv, { from: 'user' })
    return 0
  } catch (error) {
    return reportFailure(error)
  }
}
