// The command line: every command on one screen.
import { Command } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { CommandFailed, EXIT, reportFailure } from './terminal/exit.ts'
import { refuseRepeats } from './terminal/given-once.ts'
import { surviveOutputFaults } from './terminal/output-faults.ts'
import { printableLines } from '../domain/text/text.ts'

type AddTo = (parent: Command) => void

// A command is loaded when it is asked for, and without what only others need.
const COMMANDS: Readonly<Record<string, () => Promise<AddTo>>> = {
  dev: async () => (await import('./local/dev.ts')).addDev,
  serve: async () => (await import('./local/serve.ts')).addServe,
  migrate: async () => (await import('./local/migrate.ts')).addMigrate,
  'dev-token': async () => (await import('./local/dev-token.ts')).addDevToken,
  agent: async () => (await import('./agent.ts')).addAgent,
  credential: async () => (await import('./credential.ts')).addCredential,
  'api-key': async () => (await import('./api-key.ts')).addApiKey,
  issuer: async () => (await import('./issuer.ts')).addIssuer,
  subject: async () => (await import('./subject.ts')).addSubject,
  top: async () => (await import('./usage.ts')).addTop,
  stats: async () => (await import('./stats.ts')).addStats,
  usage: async () => (await import('./usage.ts')).addUsage,
  token: async () => (await import('./token.ts')).addToken,
  revocation: async () => (await import('./revocation.ts')).addRevocation,
  verifier: async () => (await import('./verifier.ts')).addVerifier,
  session: async () => (await import('./lists/session.ts')).addSession,
  settings: async () => (await import('./lists/settings.ts')).addSettings,
  'leaked-secrets': async () => (await import('./leaked-secrets.ts')).addLeakedSecrets,
  apply: async () => (await import('./apply/apply.ts')).addApply,
  export: async () => (await import('./apply/export-agents.ts')).addExport,
  import: async () => (await import('./imports/import.ts')).addImport,
  key: async () => (await import('./key.ts')).addKey,
  audit: async () => (await import('./audit.ts')).addAudit,
  'migrate-store': async () => (await import('./local/migrate-store.ts')).addMigrateStore,
  backup: async () => (await import('./local/backup.ts')).addBackup,
  restore: async () => (await import('./local/restore.ts')).addRestore,
  doctor: async () => (await import('./local/doctor.ts')).addDoctor,
  clock: async () => (await import('./local/reset-clock.ts')).addClock,
  completion: async () => (await import('./terminal/completion-scripts.ts')).addCompletion,
}

/** Lists all the others. */
const ABOUT_ALL = 'completion'

/** What is answered without any command. */
const VERSION = ['-V', '--version']

/** The command that the first word names; all of them for help, for the list of all, and for a word that names none. */
const loadCommands = ([first = '']: readonly string[]): Promise<readonly AddTo[]> => {
  if (VERSION.includes(first)) return Promise.resolve([])
  const named = Object.hasOwn(COMMANDS, first) && first !== ABOUT_ALL ? COMMANDS[first] : undefined
  const wanted = named === undefined ? Object.values(COMMANDS) : [named]
  return Promise.all(wanted.map(load => load()))
}

const HELP = `
A command that administers works on the store of this machine, or with --url (MINTMARK_URL) on a service elsewhere, with
an API key (MINTMARK_API_KEY) or the JWT of an operator (MINTMARK_OPERATOR_JWT).

Exit codes: 0 done, ${EXIT.failed} refused or failed, ${EXIT.usage} wrong usage, ${EXIT.notActive} the token is not active, ${EXIT.unauthorized} unauthorized, ${EXIT.unreachable} unreachable.`

/** Whether a program asked: it reads what failed as JSON too. */
const formatOf = (argv: readonly string[]): 'text' | 'json' =>
  argv.slice(0, argv.includes('--') ? argv.indexOf('--') : argv.length).includes('--json') ? 'json' : 'text'

/** The program with the commands that these words need; with all of them for none. */
export const makeProgram = async (argv: readonly string[]): Promise<Command> => {
  const program = new Command('mintmark')
    .description('A token service for software agents.')
    .version(packageJson.version, VERSION.join(', '))
    .exitOverride()
    // Else `-V…` of an id behind a command would be the option -V.
    .enablePositionalOptions()
    .addHelpText('after', HELP)
    .configureOutput({
      outputError: (text, write) => {
        if (formatOf(argv) === 'text') write(printableLines(text.replace(/^error: /, 'mintmark: ')))
      },
    })
  for (const addTo of await loadCommands(argv)) addTo(program)
  refuseRepeats(program)
  return program
}

/** Node decodes what is not UTF-8 to U+FFFD: two names, or two files, would become one. */
const refuseUndecoded = (argv: readonly string[]): void => {
  if (!argv.some(text => text.includes('\uFFFD'))) return
  throw new CommandFailed('An argument is not UTF-8, or contains U+FFFD, which stands for what is not.', EXIT.usage)
}

/** Runs one command. The exit code: 0, or one of cli/terminal/exit.ts. */
export const runCommand = async (argv: readonly string[]): Promise<number> => {
  try {
    refuseUndecoded(argv)
    await (await makeProgram(argv)).parseAsync(argv, { from: 'user' })
    return 0
  } catch (error) {
    return reportFailure(error, formatOf(argv))
  }
}

/** These give up what hangs, such as the look-up of a name, and their process does not wait for it either. */
const GIVING_UP: readonly (string | undefined)[] = ['doctor']

const endNow = async (): Promise<void> => {
  for (const stream of [process.stdout, process.stderr]) await new Promise(written => stream.write('', written))
  process.exit()
}

/** Runs the command of this process, and sets its exit code. A service that started keeps the process alive. */
export const runProcess = async (argv: readonly string[]): Promise<void> => {
  surviveOutputFaults(failure => {
    process.exitCode = reportFailure(failure, formatOf(argv))
  })
  const exitCode = await runCommand(argv)
  // An output that could not be written may have set it by now, or will.
  if (exitCode !== 0) process.exitCode = exitCode
  if (GIVING_UP.includes(argv[0])) await endNow()
}
