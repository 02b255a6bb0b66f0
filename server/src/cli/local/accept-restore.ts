// In this folder: commands on the store or the process of this machine, which have no endpoint. compose/ wires what they run.
// mintmark restore accept
import { type Command, Option } from 'commander'
import { acceptStoreRestore, readStoreRestore } from '../../compose/backup.ts'
import { openAdministration } from '../../compose/administration.ts'
import { readCommandConfig, readStoreConfig, type StoreConfig } from '../../config/config.ts'
import type { Acceptance } from '../../domain/restore.ts'
import { describeAgent } from '../names/describe-agents.ts'
import { findNamed } from '../names/find-named.ts'
import { connectDirect } from '../remote/api.ts'
import { cliOrigin } from '../remote/cli-origin.ts'
import { confirm } from '../terminal/confirm.ts'
import { addExamples } from '../terminal/examples.ts'
import { CommandFailed } from '../terminal/exit.ts'
import { printJson, printLine } from '../terminal/print.ts'
import { reportRestore } from './show-restore.ts'
import { localOnly } from './local-only.ts'
import { suspendedRecord, formatSuspended } from './show-restore.ts'

type Options = {
  readonly agent?: string
  readonly credential?: string
  readonly apiKeyId?: string
  readonly yes?: boolean
  readonly json?: boolean
}

type Accepted = Exclude<Acceptance, { readonly kind: 'all' }>

const givenIn = ({ agent, credential, apiKeyId }: Options): Accepted | undefined => {
  if (agent !== undefined) return { kind: 'agent', id: agent }
  if (credential !== undefined) return { kind: 'credential', id: credential }
  return apiKeyId === undefined ? undefined : { kind: 'api_key', id: apiKeyId }
}

const KIND_NAMES = { agent: 'agent-id', credential: 'credential-id', api_key: 'api-key-id' } as const

/** What to accept. It takes a whole id or name, as an end does: accepting may revive what was ended after the backup. */
const acceptanceOf = async (
  options: Options,
): Promise<{ readonly acceptance: Acceptance; readonly described: string }> => {
  const given = givenIn(options)
  if (given === undefined) return { acceptance: { kind: 'all' }, described: '' }
  const { kind, id: text } = given
  const api = connectDirect(await openAdministration(readCommandConfig(), cliOrigin()))
  try {
    const id = await findNamed(api, KIND_NAMES[kind], { text, ends: true })
    const described = kind === 'agent' ? await describeAgent(api, id) : id
    return { acceptance: { kind, id }, described: `${NAMES[kind]} ${described}` }
  } finally {
    await api.close()
  }
}

const NAMES = { agent: 'agent', credential: 'credential', api_key: 'API key' } as const

const ask = async (config: StoreConfig, described: string): Promise<void> => {
  const state = await readStoreRestore(config)
  if (state === undefined) return
  const what = described === '' ? formatSuspended(state.suspended) : described
  await confirm(
    `${reportRestore(state)} From now on ${what} can be used as they were then: what was disabled, revoked or narrowed later, and has not been again, lives again.`,
  )
}

const run = async (options: Options): Promise<void> => {
  const config = readStoreConfig()
  const { acceptance, described } = await acceptanceOf(options)
  if (options.yes !== true) await ask(config, described)
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
    .addOption(
      one(
        '--agent <agent-id>',
        'only this agent, by its id or its name, with its credentials',
        'credential',
        'apiKeyId',
      ),
    )
    .addOption(
      one('--credential <credential-id>', 'only this credential, by its id, with its agent', 'agent', 'apiKeyId'),
    )
    .addOption(one('--api-key-id <api-key-id>', 'only this API key, by its id or its name', 'agent', 'credential'))
    .option('--json', 'print {"accepted"}')
    .option('--yes', 'do not ask')
  addExamples(localOnly(command), ['mintmark restore accept --yes']).action(run)
}
