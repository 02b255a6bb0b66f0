// mintmark restore: from a backup, of a store that was put back by other means, and what is accepted afterwards.
import { type Command, Option } from 'commander'
import { openAdministration } from '../../compose/administration.ts'
import {
  acceptStoreRestore,
  planRestore,
  type PlannedRestore,
  readStoreRestore,
  restoreStoreInPlace,
} from '../../compose/backup.ts'
import { nameOfStore } from '../../compose/store.ts'
import {
  type MigrateConfig,
  readCommandConfig,
  readMigrateConfig,
  readStoreConfig,
  type StoreConfig,
} from '../../config/config.ts'
import { formatTime } from '../../../../api/values/time.ts'
import type { Acceptance } from '../../domain/restore.ts'
import { describeAgent } from '../names/describe-agents.ts'
import { findNamed } from '../names/find-named.ts'
import { connectDirect } from '../remote/api.ts'
import { cliOrigin } from '../remote/cli-origin.ts'
import { confirm, endsEveryToken } from '../terminal/confirm.ts'
import { addExamples } from '../terminal/examples.ts'
import { CommandFailed } from '../terminal/exit.ts'
import { formatCount, printJson, printLine, printRemark } from '../terminal/print.ts'
import { withoutDigest } from './backup.ts'
import { completeLocal } from './local-only.ts'
import { addReplayRestore } from './replay-restore.ts'
import { addShowRestore, formatSuspended, reportRestore, suspendedRecord } from './show-restore.ts'

// mintmark restore from, or short: mintmark restore FILE

type RestoreOptions = { readonly replace?: boolean; readonly yes?: boolean; readonly json?: boolean }

/** What ends with any restore. */
const RESTORE_ENDS =
  'Every token ends (restored). Every signing key is retired and a new one signs; verifiers that check offline take tokens of the old keys until they expire.'

const WHAT_NEXT =
  'End again what was disabled, revoked or narrowed after that time; then `mintmark restore accept` lets the rest go on.'

const consequenceOf = ({ content, isStoreThere }: PlannedRestore, config: MigrateConfig): string =>
  [
    `This makes ${nameOfStore(config)} the store as of ${formatTime(content.madeAt)}, with ${formatCount(content.tokens, 'token')}.`,
    RESTORE_ENDS,
    `${formatSuspended(content)} are suspended until \`mintmark restore accept\`.`,
    isStoreThere
      ? 'The store that is there is kept under another name, and what it alone knows is lost to the service.'
      : 'What happened after that time is lost.',
  ].join(' ')

const runRestore = async (file: string, options: RestoreOptions): Promise<void> => {
  const config = readMigrateConfig()
  const plan = await planRestore(config, file, cliOrigin())
  if (!plan.content.hasDigest) printRemark(withoutDigest(file))
  const { replace = false } = options
  if (plan.isStoreThere && !replace) {
    throw new CommandFailed(
      `${config.databaseFile} is there already: set MINTMARK_DATA_DIR to an empty folder, or say --replace.`,
    )
  }
  if (options.yes !== true) await confirm(endsEveryToken(consequenceOf(plan, config)))
  const { seq, suspended, kid, aside } = await plan.run(replace)
  const madeAt = formatTime(plan.content.madeAt)
  if (options.json === true) {
    return printJson({ made_at: madeAt, seq, kid, replaced: aside, suspended: suspendedRecord(suspended) })
  }
  printLine(
    `${nameOfStore(config)} is the store as of ${madeAt}. Every token in it has ended; ${kid} signs from now on.`,
  )
  if (aside !== null) printLine(`The store that was there is kept as ${aside}.`)
  printLine(`${formatSuspended(suspended)} are suspended. ${WHAT_NEXT}`)
}

const addRestoreBackup = (restore: Command): void => {
  const command = restore
    .command('from', { isDefault: true })
    .description('make a store of what `mintmark backup` wrote; needs the key-encryption key of that time')
    .argument('<file>', 'the backup; it stays as it is')
    .option('--replace', 'in the place of a store that nobody serves; it is kept under another name')
    .option('--json', 'print {"made_at","seq","kid","replaced","suspended"}')
    .option('--yes', 'do not ask')
  completeLocal(
    command,
    'MINTMARK_DATA_DIR=restored mintmark restore from backup.db --yes',
    'mintmark restore from backup.db --replace --yes',
  ).action(runRestore)
}

// mintmark restore epoch

const CONSEQUENCE = `This takes the store for one that was put back as it had been earlier. ${RESTORE_ENDS} Every agent, credential, API key and trusted issuer is suspended until \`mintmark restore accept\`.`

const runInPlace = async (options: Omit<RestoreOptions, 'replace'>): Promise<void> => {
  const config = readMigrateConfig()
  if (options.yes !== true) await confirm(endsEveryToken(CONSEQUENCE))
  const { seq, suspended, kid } = await restoreStoreInPlace(config, cliOrigin())
  if (options.json === true) return printJson({ seq, kid, suspended: suspendedRecord(suspended) })
  printLine(`Every token in the store has ended; ${kid} signs from now on.`)
  printLine(`${formatSuspended(suspended)} are suspended until \`mintmark restore accept\`.`)
}

const addRestoreInPlace = (restore: Command): void => {
  const command = restore
    .command('epoch')
    .description('do what a restore does to a store that was put back by other means, as from a snapshot of its disk')
    .option('--json', 'print {"seq","kid","suspended"}')
    .option('--yes', 'do not ask')
  completeLocal(command, 'mintmark restore epoch --yes').action(runInPlace)
}

// mintmark restore accept

type AcceptOptions = {
  readonly agent?: string
  readonly credential?: string
  readonly apiKeyId?: string
  readonly issuer?: string
  readonly yes?: boolean
  readonly json?: boolean
}

type Accepted = Exclude<Acceptance, { readonly kind: 'all' }>

const givenIn = ({ agent, credential, apiKeyId, issuer }: AcceptOptions): Accepted | undefined => {
  if (agent !== undefined) return { kind: 'agent', id: agent }
  if (credential !== undefined) return { kind: 'credential', id: credential }
  if (apiKeyId !== undefined) return { kind: 'api_key', id: apiKeyId }
  return issuer === undefined ? undefined : { kind: 'issuer', id: issuer }
}

const NAMES = { agent: 'agent', credential: 'credential', api_key: 'API key', issuer: 'trusted issuer' } as const
const KIND_NAMES = { agent: 'agent-id', credential: 'credential-id', api_key: 'api-key-id' } as const

/** What to accept. It takes a whole id or name, as an end does: accepting may revive what was ended after the backup. */
const acceptanceOf = async (
  options: AcceptOptions,
): Promise<{ readonly acceptance: Acceptance; readonly described: string }> => {
  const given = givenIn(options)
  if (given === undefined) return { acceptance: { kind: 'all' }, described: '' }
  const { kind, id: text } = given
  if (kind === 'issuer') return { acceptance: given, described: `${NAMES[kind]} ${text}` }
  const api = connectDirect(await openAdministration(readCommandConfig(), cliOrigin()))
  try {
    const id = await findNamed(api, KIND_NAMES[kind], { text, ends: true })
    const described = kind === 'agent' ? await describeAgent(api, id) : id
    return { acceptance: { kind, id }, described: `${NAMES[kind]} ${described}` }
  } finally {
    await api.close()
  }
}

const ask = async (config: StoreConfig, described: string): Promise<void> => {
  const state = await readStoreRestore(config)
  if (state === undefined) return
  const what = described === '' ? formatSuspended(state.suspended) : described
  await confirm(
    `${reportRestore(state)} From now on ${what} can be used as they were then: what was disabled, revoked or narrowed later, and has not been again, lives again.`,
  )
}

const runAccept = async (options: AcceptOptions): Promise<void> => {
  const config = readStoreConfig()
  const { acceptance, described } = await acceptanceOf(options)
  if (options.yes !== true) await ask(config, described)
  const accepted = await acceptStoreRestore(config, acceptance, cliOrigin())
  if (accepted === 'unknown') {
    throw new CommandFailed(
      acceptance.kind === 'all'
        ? 'Nothing is suspended.'
        : `No ${NAMES[acceptance.kind]} has the ${acceptance.kind === 'issuer' ? 'alias' : 'id'} ${acceptance.id}.`,
    )
  }
  if (options.json === true) return printJson({ accepted: suspendedRecord(accepted) })
  printLine(`${formatSuspended(accepted)} can be used again.`)
}

const ONE = {
  agent: ['--agent <agent-id>', 'only this agent, by its id or its name, with its credentials'],
  credential: ['--credential <credential-id>', 'only this credential, by its id, with its agent'],
  apiKeyId: ['--api-key-id <api-key-id>', 'only this API key, by its id or its name'],
  issuer: ['--issuer <alias>', 'only this trusted issuer'],
} as const

const addAcceptRestore = (restore: Command): void => {
  const command = restore
    .command('accept')
    .description('let what a restore suspended be used again, as it was at the time of the backup')
  for (const [name, [flag, text]] of Object.entries(ONE))
    command.addOption(new Option(flag, text).conflicts(Object.keys(ONE).filter(other => other !== name)))
  command.option('--json', 'print {"accepted"}').option('--yes', 'do not ask')
  completeLocal(command, 'mintmark restore accept --yes').action(runAccept)
}

export const addRestore = (program: Command): void => {
  const restore = program
    .command('restore')
    .description('make a store of a backup: `mintmark restore FILE`; and what must be looked at before agents go on')
  for (const addTo of [addRestoreBackup, addRestoreInPlace, addReplayRestore, addShowRestore, addAcceptRestore])
    addTo(restore)
  addExamples(restore, [
    'mintmark restore mintmark-20261121.backup',
    'mintmark restore replay audit.ndjson --since 2026-11-20T03:00:00Z --yes',
    'mintmark restore accept --yes',
  ])
}
