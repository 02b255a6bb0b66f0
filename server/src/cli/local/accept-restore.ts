// mintmark restore accept
import { type Command, Option } from 'commander'
import { acceptStoreRestore, readStoreRestore } from '../../compose/backup.ts'
import { readStoreConfig, type StoreConfig } from '../../config/config.ts'
import type { Acceptance } from '../../domain/restore.ts'
import { cliOrigin } from '../remote/cli-origin.ts'
import { confirm } from '../terminal/confirm.ts'
import { addExamples } from '../terminal/examples.ts'
import { CommandFailed } from '../terminal/exit.ts'
import { printJson, printLine } from '../terminal/print.ts'
import { reportRestore } from './show-restore.ts'
import { localOnly } from './local-only.ts'
import { suspendedRecord, formatSuspended } from './count-suspended.ts'

type Options = {
  readonly agent?: string
  readonly credential?: string
  readonly apiKeyId?: string
  readonly yes?: boolean
  readonly json?: boolean
}

const acceptanceOf = ({ agent, credential, apiKeyId }: Options): Acceptance => {
  if (agent !== undefined) return { kind: 'agent', id: agent }
  if (credential !== undefined) return { kind: 'credential', id: credential }
  return apiKeyId === undefined ? { kind: 'all' } : { kind: 'api_key', id: apiKeyId }
}

const NAMES = { agent: 'agent', credential: 'credential', api_key: 'API key' } as const

const ask = async (config: StoreConfig, acceptance: Acceptance): Promise<void> => {
  const state = await readStoreRestore(config)
  if (state === undefined) return
  const what =
    acceptance.kind === 'all'
      ? `${formatSuspended(state.suspended)} can`
      : `${NAMES[acceptance.kind]} ${acceptance.id} can`
  await confirm(
    `${reportRestore(state)} From now on ${what} be used as they were then: what was disabled, revoked or narrowed later, and has not been again, lives again.`,
  )
}

const run = async (options: Options): Promise<void> => {
  const [config, acceptance] = [readStoreConfig(), acceptanceOf(options)]
  if (options.yes !== true) await ask(config, acceptance)
  const accepted = await acceptStoreRestore(config, acceptance, cliOrigin())
  if (accepted === 'unknown') {
    throw new CommandFailed(
      acceptance.kind === 'all' ? 'Nothing is suspended.' : `No ${NAMES[acceptance.kind]} has the id ${acceptance.id}.`,
    )
  }
  if (options.json === true) return printJson({ accepted: suspendedRecord(accepted) })
  printLine(`${formatSuspended(accepted)} can be used again.`)
}

const one = (flag: string, text: string, ...others: readonly string[]): Option =>
  new Option(flag, text).conflicts([...others])

export const addAcceptRestore = (restore: Command): void => {
  const command = restore
    .command('accept')
    .description('let what a restore suspended be used again, as it was at the time of the backup')
    .addOption(one('--agent <id>', 'only this agent, with its credentials', 'credential', 'apiKeyId'))
    .addOption(one('--credential <id>', 'only this credential, with its agent', 'agent', 'apiKeyId'))
    .addOption(one('--api-key-id <id>', 'only this API key', 'agent', 'credential'))
    .option('--json', 'print {"accepted"}')
    .option('--yes', 'do not ask')
  addExamples(localOnly(command), ['mintmark restore accept --yes']).action(run)
}
