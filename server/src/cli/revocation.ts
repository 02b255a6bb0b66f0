// mintmark revocation
import { setTimeout as delay } from 'node:timers/promises'
import { type Command, InvalidArgumentError, Option } from 'commander'
import * as rows from '../../../api/revocations.ts'
import { BULK_REVOCATION_REASONS } from '../../../api/values/reason.ts'
import { type Call, defineAdminCommand, show, type Shown } from './administer.ts'
import { describeAgent, nameAgents } from './agent-names.ts'
import { gatherLabels, type Label } from './agent-options.ts'
import { countAlive, formatPreviewCount, preview, type RevocationBody } from './count-alive.ts'
import type { Api } from './remote/api.ts'
import type { Consequence } from './terminal/confirm.ts'
import { CommandFailed, EXIT } from './terminal/exit.ts'
import { formatCount } from './terminal/format-count.ts'
import { areRecords, printLine, type PrintedRecord, printTable } from './terminal/print.ts'
import { addTimeHelp, readTime } from './terminal/time.ts'

const ASK_EVERY_MS = 500
/** A service works at it all the time: where nothing moves for so long, none does. */
const STANDSTILL_MS_MAX = 30_000

const isClosed = (revocation: PrintedRecord): boolean => revocation['state'] === 'closed'

/** On standard error, one line that is written over; nothing where nobody looks. */
const reportProgress = ({ tokens_moved: moved }: PrintedRecord, isLast: boolean): void => {
  if (!process.stderr.isTTY) return
  process.stderr.write(
    `\r${Number(moved).toLocaleString('en-US')} records have followed${isLast ? '\n' : ' …'}\u001B[K`,
  )
}

/** The revocation once it is closed. */
const followRevocation = async (api: Api, first: PrintedRecord): Promise<PrintedRecord> => {
  let [revocation, moved, stoodMs] = [first, first['tokens_moved'], 0]
  while (!isClosed(revocation)) {
    reportProgress(revocation, false)
    if (stoodMs >= STANDSTILL_MS_MAX) {
      throw new CommandFailed(
        `No record has followed for ${STANDSTILL_MS_MAX / 1000} s, and the tokens have ended all the same: is the service running?`,
      )
    }
    await delay(ASK_EVERY_MS)
    revocation = await api.call(rows.showRevocation, { path: { id: String(first['id']) } })
    stoodMs = revocation['tokens_moved'] === moved ? stoodMs + ASK_EVERY_MS : 0
    moved = revocation['tokens_moved']
  }
  reportProgress(revocation, true)
  return revocation
}

type CreateOptions = {
  readonly agent?: string
  readonly credential?: string
  readonly scope?: string
  readonly audience?: string
  readonly kid?: string
  readonly issuedBefore?: string
  readonly lineage?: string
  readonly owner?: string
  readonly label?: readonly Label[]
  readonly disableAgents?: true
  readonly all?: true
  readonly reason?: (typeof BULK_REVOCATION_REASONS)[number]
  readonly note?: string
  readonly id?: string
  readonly dryRun?: boolean
  readonly wait?: boolean
}

const CONDITIONS = [
  ['agent_id', 'of agent'],
  ['credential_id', 'got with credential'],
  ['scope', 'with scope'],
  ['audience', 'for audience'],
  ['kid', 'signed by key'],
  ['issued_before', 'issued before'],
  ['lineage', 'of the tree of'],
  ['owner', 'of the agents of owner'],
] as const

const bodyOf = (options: CreateOptions): RevocationBody => ({
  agent_id: options.agent,
  credential_id: options.credential,
  scope: options.scope,
  audience: options.audience,
  kid: options.kid,
  issued_before: options.issuedBefore,
  lineage: options.lineage,
  owner: options.owner,
  labels: options.label && Object.fromEntries(options.label.map(({ key, value }) => [key, value])),
  disable_agents: options.disableAgents,
  all: options.all,
  reason: options.reason,
  note: options.note,
  id: options.id,
})

const CONDITION_OPTIONS = [
  'agent',
  'credential',
  'scope',
  'audience',
  'kid',
  'issuedBefore',
  'lineage',
  'owner',
  'label',
] as const

const requireCondition = (options: CreateOptions): void => {
  if (options.all === true || CONDITION_OPTIONS.some(name => options[name] !== undefined)) return
  throw new CommandFailed(
    'Say which tokens end: --agent, --credential, --scope, --audience, --kid, --issued-before, --lineage, --owner, --label, or several of them; or --all.',
    EXIT.usage,
  )
}

const describeLabels = ({ labels = {} }: RevocationBody): string =>
  Object.entries(labels)
    .map(([key, value]) => ` of agents with label ${key}=${value}`)
    .join('')

/** `of agent … with scope …`, or nothing for all. */
const describe = (body: RevocationBody): string =>
  CONDITIONS.map(([name, words]) => (body[name] === undefined ? '' : ` ${words} ${body[name]}`)).join('') +
  describeLabels(body)

/** What happens to agents that are named by owner and labels. */
const describeAgents = ({ agents }: PrintedRecord, { disable_agents: disables }: RevocationBody): string => {
  if (typeof agents !== 'number') return ''
  return disables === true
    ? ` It disables ${formatCount(agents, 'agent')}.`
    : ` They are of ${formatCount(agents, 'agent')}.`
}

/** The same to be read: the agent with its name and owner. */
const withName = async (api: Api, body: RevocationBody): Promise<RevocationBody> =>
  body.agent_id === undefined ? body : { ...body, agent_id: await describeAgent(api, { agent_id: body.agent_id }) }

/** The sentence that is confirmed; who may not count hears that. */
const sentenceOf = async (api: Api, body: RevocationBody): Promise<string> => {
  const what = `This ends every token${describe(await withName(api, body))}: `
  if (body.owner === undefined && body.labels === undefined) return `${what}${await countAlive(api, body)}.`
  const counted = await preview(api, body)
  return `${what}${formatPreviewCount(counted)} alive now.${describeAgents(counted, body)}`
}

const SAMPLE_COLUMNS = ['id', 'agent_id', 'agent', 'owner', 'scope', 'issued_at', 'expires_at']

const showPreview = (counted: PrintedRecord): Shown => {
  const { sample } = counted
  const forPeople = async (api: Api): Promise<void> => {
    printLine(`Tokens that would end: ${formatPreviewCount(counted)}`)
    if (typeof counted['agents'] === 'number') printLine(`Agents that match: ${counted['agents']}`)
    if (areRecords(sample) && sample.length > 0) printTable(SAMPLE_COLUMNS, await nameAgents(api, sample))
  }
  return { json: counted, forPeople }
}

const create = async ({ api, options }: Call<CreateOptions>): Promise<Shown> => {
  requireCondition(options)
  const body = bodyOf(options)
  if (options.dryRun === true) return showPreview(await preview(api, body))
  const made = await api.call(rows.createRevocation, { body })
  return show(options.wait === true ? await followRevocation(api, made) : made)
}

const consequence = async ({ api, options }: Call<CreateOptions>): Promise<Consequence | null> => {
  requireCondition(options)
  if (options.dryRun === true) return null
  const body = bodyOf(options)
  const text = await sentenceOf(api, body)
  return options.all === true ? { text, phrase: 'end every token' } : text
}

/** Commander keeps the last of several values: of two owners one would go on. */
const onlyOnce = (text: string, before?: string): string => {
  if (before !== undefined) throw new InvalidArgumentError('It is given twice: end the tokens of each by itself.')
  return text
}

const addCreate = (revocation: Command): void => {
  const reason = new Option('--reason <reason>', 'what they end with; the first unless given')
  const command = revocation
    .command('create')
    .description('end every token for which all of the conditions hold, at once and for good')
    .option('--agent <agent-id>', 'the tokens of this agent', onlyOnce)
    .option('--credential <credential-id>', 'the tokens got with this credential', onlyOnce)
    .option('--scope <item>', 'the tokens that carry this item; "db:*" for any item of db', onlyOnce)
    .option('--audience <uri>', 'the tokens for this audience, among others perhaps', onlyOnce)
    .option('--kid <kid>', 'the tokens that this key signed', onlyOnce)
    .option(
      '--issued-before <time>',
      'the tokens issued before this time, which is not in the future',
      (text, before?: string) => readTime(onlyOnce(text, before)),
    )
    .option('--lineage <token-id>', 'the tree of this token, live or ended: all of it, from its root on', onlyOnce)
    .option('--owner <name>', 'the tokens of the agents of this owner, as they are at that instant', onlyOnce)
    .option('--label <key=value>', 'the tokens of the agents with this label (repeatable)', gatherLabels)
    .option('--disable-agents', 'with --owner or --label: disable those agents too')
    .addOption(new Option('--all', 'every token, instead of any condition').conflicts([...CONDITION_OPTIONS]))
    .addOption(reason.choices(BULK_REVOCATION_REASONS))
    .option('--note <text>', 'for those who read the history later')
    .option('--id <uuid>', 'an id of your own: repeated with the same conditions, nothing more ends')
    .option('--dry-run', 'count what would end, show a few, and end nothing')
    .option('--wait', 'until every record has followed')
  defineAdminCommand<CreateOptions>(addTimeHelp(command), {
    json: 'print the revocation as POST /api/v1/revocations answers it',
    examples: [
      'mintmark revocation create --scope db:write --dry-run',
      'mintmark revocation create --owner Ada --disable-agents --note "Ada left" --yes',
      'mintmark revocation create --audience https://orders.example --reason secret_leaked --note "ticket 4711" --yes',
    ],
    consequence,
    run: create,
  })
}

type ShowOptions = { readonly wait?: boolean }

const addShow = (revocation: Command): void => {
  const command = revocation
    .command('show')
    .description('show a revocation, and how far the records of its tokens have followed')
    .argument('<revocation-id>', 'the id of the revocation')
    .option('--wait', 'until every record has followed')
  defineAdminCommand<ShowOptions>(command, {
    json: 'print the revocation as GET /api/v1/revocations/{id} answers it',
    examples: ['mintmark revocation show 6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10'],
    run: async ({ api, args: [id = ''], options: { wait = false } }) => {
      const found = await api.call(rows.showRevocation, { path: { id } })
      return show(wait ? await followRevocation(api, found) : found)
    },
  })
}

export const addRevocation = (program: Command): void => {
  const revocation = program.command('revocation').description('ends of many tokens at once')
  for (const addTo of [addCreate, addShow]) addTo(revocation)
}
