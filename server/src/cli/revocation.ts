// mintmark revocation
import { type Command, Option } from 'commander'
import type { z } from 'zod'
import * as rows from '../../../api/revocations.ts'
import { formatLabels, type Label } from '../../../api/values/labels.ts'
import { BULK_REVOCATION_REASONS } from '../../../api/values/reason.ts'
import { Unavailable } from '../domain/refusal.ts'
import type { Timing } from '../ports/timing.ts'
import { type Call, defineAdminCommand, show, type Shown } from './administer.ts'
import { ISSUER_SUBJECT_FORM, parseIssuerSubject } from '../../../api/values/subject.ts'
import { describeAgent } from './names/describe-agents.ts'
import { gatherLabels } from './agent-options.ts'
import { formatAtLeast } from './dry-run.ts'
import { expecting } from './lists/list-options.ts'
import { followRevocation } from './follow-revocation.ts'
import type { Api } from './remote/api.ts'
import { type Consequence, endsEveryToken } from './terminal/confirm.ts'
import { CommandFailed, EXIT } from './terminal/exit.ts'
import { addOptions, attributesOf, givenIn, type OptionRows } from './terminal/option-rows.ts'
import { areRecords, formatCount, type PrintedRecord, printLine, printTable } from './terminal/print.ts'
import { addTimeHelp, readTime } from './terminal/time.ts'

type AnyBody = z.input<(typeof rows.createRevocation)['body']>

/** A subject is named in the one form that a shell takes without quotes. */
type RevocationBody = Omit<AnyBody, 'subject'> & { readonly subject?: string }

/** Asks for a dry run with these conditions. */
const dryRun = async (api: Api, conditions: RevocationBody): Promise<PrintedRecord> => {
  const answer = await api.call(rows.createRevocation, { body: { ...conditions, dry_run: true } })
  if (typeof answer['tokens'] === 'number') return answer
  throw new CommandFailed('The answer is no dry run: is the URL that of a service of this version?')
}

/** `3`, or `at least 10,000`. */
const formatTokenCount = ({ tokens, tokens_exact: isExact }: PrintedRecord): string =>
  formatAtLeast(Number(tokens), isExact === true)

type CreateOptions = {
  readonly disableAgents?: true
  readonly all?: true
  readonly reason?: (typeof BULK_REVOCATION_REASONS)[number]
  readonly note?: string
  readonly id?: string
  readonly dryRun?: boolean
  readonly plan?: boolean
  readonly wait?: boolean
  readonly json?: boolean
}

type Condition = Exclude<
  keyof RevocationBody,
  'id' | 'all' | 'reason' | 'note' | 'disable_agents' | 'dry_run' | 'plan_id' | 'max_extra'
>

const CONDITIONS: OptionRows<Condition> = {
  agent_id: ['--agent <agent-id>', 'the tokens of this agent'],
  credential_id: ['--credential <credential-id>', 'the tokens got with this credential'],
  scope: ['--scope <item>', 'the tokens that carry this item; "db:*" for any item of db'],
  audience: ['--audience <uri>', 'the tokens for this audience, among others perhaps'],
  kid: ['--kid <kid>', 'the tokens that this key signed'],
  issued_before: ['--issued-before <time>', 'the tokens issued before this time, which is not in the future', readTime],
  lineage: ['--lineage <token-id>', 'the tree of this token, live or ended: all of it, from its root on'],
  subject: [
    '--subject <alias:sub>',
    'the tokens that act for this subject of a trusted issuer, at any depth',
    expecting(parseIssuerSubject, ISSUER_SUBJECT_FORM),
  ],
  issuer: ['--issuer <alias>', 'the tokens that act for subjects of this trusted issuer'],
  owner: ['--owner <name>', 'the tokens of the agents of this owner, as they are at that instant'],
  labels: ['--label <key=value>', 'the tokens of the agents with this label (repeatable)', gatherLabels],
}

/** What stands before the value of each in a sentence; labels have words of their own. */
const WORDS: Readonly<Record<Exclude<Condition, 'labels'>, string>> = {
  agent_id: 'of agent',
  credential_id: 'got with credential',
  scope: 'with scope',
  audience: 'for audience',
  kid: 'signed by key',
  issued_before: 'issued before',
  lineage: 'of the tree of',
  subject: 'for subject',
  issuer: 'for subjects of issuer',
  owner: 'of the agents of owner',
}

const bodyOf = (options: CreateOptions): RevocationBody => {
  type Given = Omit<Pick<RevocationBody, Condition>, 'labels'> & { readonly labels?: readonly Label[] }
  const { labels, ...conditions } = givenIn(options, CONDITIONS) as Given // the service parses it
  return {
    ...conditions,
    labels: labels && Object.fromEntries(labels.map(({ key, value }) => [key, value])),
    disable_agents: options.disableAgents,
    all: options.all,
    reason: options.reason,
    note: options.note,
    id: options.id,
  }
}

const requireCondition = (options: CreateOptions): void => {
  if (options.all === true || Object.values(givenIn(options, CONDITIONS)).some(value => value !== undefined)) return
  const names = Object.values(CONDITIONS).map(([flags]) => flags.split(' ', 1).join(''))
  throw new CommandFailed(`Say which tokens end: ${names.join(', ')}, or several of them; or --all.`, EXIT.usage)
}

const describeLabels = ({ labels = {} }: RevocationBody): string =>
  formatLabels(labels)
    .map(label => ` of agents with label ${label}`)
    .join('')

/** `of agent … with scope …`, or nothing for all. */
const describe = (body: RevocationBody): string =>
  (Object.keys(WORDS) as (keyof typeof WORDS)[])
    .map(name => (body[name] === undefined ? '' : ` ${WORDS[name]} ${body[name]}`))
    .join('') + describeLabels(body)

/** What happens to agents that are named by owner and labels. */
const describeAgents = ({ agents }: PrintedRecord, { disable_agents: disables }: RevocationBody): string => {
  if (typeof agents !== 'number') return ''
  return disables === true
    ? ` It disables ${formatCount(agents, 'agent')}.`
    : ` They are of ${formatCount(agents, 'agent')}.`
}

/** The same to be read: the agent with its name and owner. */
const withName = async (api: Api, body: RevocationBody): Promise<RevocationBody> =>
  body.agent_id === undefined ? body : { ...body, agent_id: await describeAgent(api, body.agent_id) }

/** The sentence that is confirmed. */
const sentenceOf = async (api: Api, body: RevocationBody): Promise<string> => {
  const what = `This ends every token${describe(await withName(api, body))}: `
  const counted = await dryRun(api, body)
  return `${what}${formatTokenCount(counted)} alive now.${describeAgents(counted, body)}`
}

const SAMPLE_COLUMNS = ['id', 'agent_id', 'agent_name', 'owner', 'scope', 'issued_at', 'expires_at']

const showDryRun = (counted: PrintedRecord): Shown => {
  const { sample } = counted
  const forPeople = (): void => {
    printLine(`Tokens that would end: ${formatTokenCount(counted)}`)
    if (typeof counted['agents'] === 'number') printLine(`Agents that match: ${counted['agents']}`)
    if (areRecords(sample) && sample.length > 0) printTable(SAMPLE_COLUMNS, sample)
  }
  return { json: counted, forPeople }
}

/** It holds by now: a fault of what follows must not read as if nothing had changed. */
const followMade = async (api: Api, made: PrintedRecord, timing: Timing): Promise<PrintedRecord> => {
  try {
    return await followRevocation(api, made, timing)
  } catch (fault) {
    const isKnown = fault instanceof CommandFailed || fault instanceof Unavailable
    if (!isKnown) throw fault
    const id = String(made['id'])
    const holds = `Revocation ${id} was made before that, and holds: \`mintmark revocation show ${id} --wait\` follows it.`
    const exitCode = fault instanceof CommandFailed ? fault.exitCode : EXIT.unreachable
    throw new CommandFailed(`${fault.message} ${holds}`, exitCode)
  }
}

/** The dry run of a call, by its options: what is asked about is what ends. */
const plans = new WeakMap<CreateOptions, Promise<PrintedRecord>>()

const countPlan = ({ api, options }: Call<CreateOptions>): Promise<PrintedRecord> => {
  const counted = plans.get(options) ?? dryRun(api, bodyOf(options))
  plans.set(options, counted)
  return counted
}

/** With the plan that was shown, or one of now where nobody was asked. */
const planned = async (call: Call<CreateOptions>): Promise<RevocationBody> => {
  const { plan_id: planId } = await countPlan(call)
  if (typeof planId === 'string') return { ...bodyOf(call.options), plan_id: planId }
  throw new CommandFailed('The answer has no plan: is the URL that of a service of this version?')
}

const create = async (call: Call<CreateOptions>): Promise<Shown> => {
  const { api, timing, options } = call
  requireCondition(options)
  if (options.dryRun === true) return showDryRun(await dryRun(api, bodyOf(options)))
  const body = options.plan === true ? await planned(call) : bodyOf(options)
  const made = await api.call(rows.createRevocation, { body })
  return show(options.wait === true ? await followMade(api, made, timing) : made)
}

const consequence = async (call: Call<CreateOptions>): Promise<Consequence> => {
  const { api, options } = call
  requireCondition(options)
  const body = bodyOf(options)
  if (options.plan === true) {
    const shown = showDryRun(await countPlan(call))
    if (options.json !== true) await shown.forPeople(api)
  }
  const text = await sentenceOf(api, body)
  return options.all === true ? endsEveryToken(text) : text
}

const addCreate = (revocation: Command): void => {
  const reason = new Option('--reason <reason>', 'what they end with; the first unless given')
  const command = revocation
    .command('create')
    .description('end every token for which all of the conditions hold, at once and for good')
  addOptions(command, CONDITIONS)
    .option('--disable-agents', 'with --owner or --label: disable those agents too')
    .addOption(new Option('--all', 'every token, instead of any condition').conflicts([...attributesOf(CONDITIONS)]))
    .addOption(reason.choices(BULK_REVOCATION_REASONS))
    .option('--note <text>', 'for those who read the history later')
    .option('--id <uuid>', 'an id of your own: repeated with the same conditions, nothing more ends')
    .option('--dry-run', 'count what would end, show a few, and end nothing')
    .addOption(
      new Option(
        '--plan',
        'show what would end, ask, and end exactly that: nothing where more match meanwhile',
      ).conflicts('dryRun'),
    )
    .option('--wait', 'until the verifiers hold it, 5 s at most, and every record has followed')
  defineAdminCommand<CreateOptions>(addTimeHelp(command), {
    json: 'print the revocation as POST /api/v1/revocations answers it',
    examples: [
      'mintmark revocation create --scope db:write --dry-run',
      'mintmark revocation create --scope db:write --plan --note "ticket 4712" --yes',
      'mintmark revocation create --subject entra:0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d --note "lost laptop" --yes',
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
    .argument('<revocation-id>', 'its id, or the beginning of it')
    .option('--wait', 'until the verifiers hold it, 5 s at most, and every record has followed')
  defineAdminCommand<ShowOptions>(command, {
    json: 'print the revocation as GET /api/v1/revocations/{id} answers it',
    examples: ['mintmark revocation show 6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10'],
    run: async ({ api, timing, args: [id = ''], options: { wait = false } }) => {
      const found = await api.call(rows.showRevocation, { path: { id } })
      return show(wait ? await followRevocation(api, found, timing) : found)
    },
  })
}

export const addRevocation = (program: Command): void => {
  const revocation = program.command('revocation').description('ends of many tokens at once')
  for (const addTo of [addCreate, addShow]) addTo(revocation)
}
