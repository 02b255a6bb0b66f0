// mintmark token get: a fresh token as an agent gets it, for a person, or in the environment of a command.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { type Command, Option } from 'commander'
import type { AccessToken } from '../../../packages/client/src/tokens/access-token.ts'
import type { TokenSourceOptions } from '../../../packages/client/src/tokens/token-source.ts'
import { environmentOfCommand, readAgentConfig } from '../config/agent.ts'
import { addExamples } from './terminal/examples.ts'
import { CommandFailed, EXIT } from './terminal/exit.ts'
import { printError, printJson, printLine } from './terminal/print.ts'
import { serviceUrlOf } from './terminal/service-url.ts'
import { readSecret } from './terminal/standard-input.ts'

type GetOptions = {
  readonly url?: string
  readonly clientId?: string
  readonly clientSecretFile?: string
  readonly privateKeyFile?: string
  readonly workloadTokenFile?: string
  readonly scope?: string
  readonly resource?: readonly string[]
  readonly exec?: string
  readonly json?: boolean
}

/** As shells have them: a command that cannot be started, and one that is not there. */
const CANNOT_START = 126
const NOT_FOUND = 127

const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const

const collectAll = (one: string, before: readonly string[] = []): readonly string[] => [...before, one]

const missing = (what: string): CommandFailed => new CommandFailed(what, EXIT.usage)

type Credential = Pick<TokenSourceOptions, 'clientSecret' | 'privateKeyFile' | 'workloadTokenFile'>

const credentialOf = async (options: GetOptions, configured: string | null): Promise<Credential> => {
  const { clientSecretFile, privateKeyFile, workloadTokenFile } = options
  if (clientSecretFile !== undefined) return { clientSecret: await readSecret(clientSecretFile, 'the client secret') }
  if (privateKeyFile !== undefined) return { privateKeyFile }
  if (workloadTokenFile !== undefined) return { workloadTokenFile }
  if (configured !== null) return { clientSecret: configured }
  throw missing(
    'A token is for an agent that says who it is: MINTMARK_CLIENT_SECRET, --client-secret-file, --private-key-file or --workload-token-file.',
  )
}

const sourceOptionsOf = async (options: GetOptions): Promise<TokenSourceOptions> => {
  const isCredentialGiven = [options.clientSecretFile, options.privateKeyFile, options.workloadTokenFile].some(Boolean)
  const configured = readAgentConfig({ url: options.url, isCredentialGiven })
  if (configured.url === null) throw missing('Name the service that issues the token: --url or MINTMARK_URL.')
  const clientId = options.clientId ?? configured.clientId ?? undefined
  if (clientId === undefined && options.workloadTokenFile === undefined) {
    throw missing('Name the agent: --client-id or MINTMARK_CLIENT_ID.')
  }
  return {
    issuer: configured.url,
    clientId,
    ...(await credentialOf(options, configured.clientSecret)),
    ...(options.scope !== undefined && { scopes: options.scope.split(' ').filter(item => item !== '') }),
    ...(options.resource !== undefined && { resource: options.resource }),
  }
}

/** Options that are wrong are a mistake of the person who typed them. */
const checked = <T>(make: () => T): T => {
  try {
    return make()
  } catch (error) {
    throw error instanceof TypeError ? missing(error.message) : error
  }
}

const getToken = async (options: GetOptions): Promise<AccessToken> => {
  const given = await sourceOptionsOf(options)
  // Loaded here: other commands need none of it.
  const { createTokenSource } = await import('../../../packages/client/src/tokens/token-source.ts')
  const { TokenRefused, TokenUnavailable } = await import('../../../packages/client/src/tokens/token-errors.ts')
  const source = checked(() => createTokenSource(given))
  try {
    return await source.getToken()
  } catch (error) {
    if (error instanceof TokenRefused) {
      const exitCode = [401, 403].includes(error.status) ? EXIT.unauthorized : EXIT.failed
      throw new CommandFailed(error.description ?? error.message, exitCode, error.error)
    }
    if (error instanceof TokenUnavailable) throw new CommandFailed(error.message, EXIT.unreachable)
    throw error
  }
}

/** Runs the command to its end with the token in its environment, and ends as it does. */
const runWith = async (token: AccessToken, [program = '', ...args]: readonly string[], isLine: boolean) => {
  let child: ChildProcess | undefined
  const passOn = (signal: NodeJS.Signals): void => {
    // A terminal sends its interrupt to both.
    if (!(signal === 'SIGINT' && process.stdin.isTTY)) child?.kill(signal)
  }
  for (const signal of PASSED_ON) process.on(signal, passOn)
  try {
    child = spawn(program, args, { stdio: 'inherit', env: environmentOfCommand(token.value), shell: isLine })
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
    process.exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal])
  } catch (fault) {
    const reason = fault instanceof Error && 'code' in fault ? String(fault.code) : 'unknown error'
    printError(`${JSON.stringify(program)} cannot be started (${reason}).`)
    process.exitCode = reason === 'ENOENT' ? NOT_FOUND : CANNOT_START
  } finally {
    for (const signal of PASSED_ON) process.off(signal, passOn)
  }
}

const printToken = (token: AccessToken): void =>
  printJson({
    access_token: token.value,
    token_type: token.type,
    scope: token.scope,
    expires_at: token.expiresAt.toISOString(),
  })

const run = async (words: readonly string[], options: GetOptions): Promise<void> => {
  const { exec } = options
  const command = exec === undefined ? words : [exec]
  if (exec !== undefined && words.length > 0) throw missing('Give a line to --exec or a command after --, not both.')
  if (command.length > 0 && options.json === true)
    throw missing('--json prints the token, which a command gets instead.')
  const token = await getToken(options)
  if (command.length > 0) return runWith(token, command, exec !== undefined)
  if (options.json === true) return printToken(token)
  printLine(token.value)
}

const file = (name: string, others: readonly string[], description: string): Option =>
  new Option(`--${name} <file>`, description).conflicts([...others])

export const addGet = (token: Command): void => {
  const command = token
    .command('get')
    .description('get a token as an agent, and print it, or run a command with it in MINTMARK_ACCESS_TOKEN')
    .argument('[command...]', 'after --: a command and its arguments, run with the token and without a shell')
    .option('--url <url>', 'the service that issues it (MINTMARK_URL)', serviceUrlOf)
    .option('--client-id <client-id>', 'the agent that asks (MINTMARK_CLIENT_ID)')
    .addOption(
      file(
        'client-secret-file',
        ['privateKeyFile', 'workloadTokenFile'],
        'its secret is in this file, or - for standard input (MINTMARK_CLIENT_SECRET)',
      ),
    )
    .addOption(file('private-key-file', ['workloadTokenFile'], 'it signs with the key in this file, a JWK or PKCS #8'))
    .addOption(file('workload-token-file', [], 'its platform wrote a token for it into this file'))
    .option('--scope <scope>', 'what it asks for: items separated by spaces; its default unless given')
    .option('--resource <uri>', 'what the token is for (repeatable)', collectAll)
    .option('--exec <line>', 'run this line of shell with the token')
    .option('--json', 'print {"access_token","token_type","scope","expires_at"}')
  addExamples(command, [
    'mintmark token get --scope db:read',
    'mintmark token get --resource https://orders.example -- printenv MINTMARK_ACCESS_TOKEN',
    `mintmark token get --exec 'echo "\${#MINTMARK_ACCESS_TOKEN} characters"'`,
  ]).action(run)
}
