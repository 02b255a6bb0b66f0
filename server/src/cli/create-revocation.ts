// mintmark revocation create
import { type Command, Option } from 'commander'
import { BULK_REVOCATION_REASONS } from '../../../api/values/reason.ts'
import { defineAdminCommand, type Call, show, type Shown } from './administer.ts'
import { countAlive, formatPreviewCount, preview } from './count-alive.ts'
import { CommandFailed, EXIT } from './terminal/exit.ts'
import { followRevocation } from './follow-revocation.ts'
import { readTime } from './list-options.ts'
import { areRecords, printLine, type PrintedRecord, printTable } from './terminal/print.ts'

type Options = {
  readonly agent?: string
  readonly credential?: string
  readonly scope?: string
  readonly audience?: string
  readonly kid?: string
  readonly issuedBefore?: string
  readonly all?: true
  readonly reason?: string
  readonly note?: string
  readonly id?: string
  readonly dryRun?: boolean
  readonly wait?: boolean
}

const CONDITIONS = {
  agent_id: 'of agent',
  credential_id: 'got with credential',
  scope: 'with scope',
  audience: 'for audience',
  kid: 'signed by key',
  issued_before: 'issued before',
} as const

const bodyOf = (options: Options) => ({
  agent_id: options.agent,
  credential_id: options.credential,
  scope: options.scope,
  audience: options.audience,
  kid: options.kid,
  issued_before: options.issuedBefore,
  all: options.all,
  reason: options.reason,
  note: options.note,
  id: options.id,
})

type Body = ReturnType<typeof bodyOf>

const CONDITION_OPTIONS = ['agent', 'credential', 'scope', 'audience', 'kid', 'issuedBefore'] as const

const requireCondition = (options: Options): void => {
  if (options.all === true || CONDITION_OPTIONS.some(name => options[name] !== undefined)) return
  throw new CommandFailed(
    'Say which tokens end: --agent, --credential, --scope, --audience, --kid, --issued-before, or several of them; or --all.',
    EXIT.usage,
  )
}

/** `of agent … with scope …`, or nothing for all. */
const describe = (body: Body): string =>
  (Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[])
    .map(name => (body[name] === undefined ? '' : ` ${CONDITIONS[name]} ${body[name]}`))
    .join('')

const showPreview = (counted: PrintedRecord): Shown => {
  const { sample } = counted
  const forPeople = (): void => {
    printLine(`Tokens that would end: ${formatPreviewCount(counted)}`)
    if (areRecords(sample) && sample.length > 0)
      printTable(['id', 'agent_id', 'scope', 'issued_at', 'expires_at'], sample)
  }
  return { json: counted, forPeople }
}

const run = async ({ api, options }: Call<Options>): Promise<Shown> => {
  requireCondition(options)
  const json = bodyOf(options)
  if (options.dryRun === true) return showPreview(await preview(api, json))
  const made = await api.ask({ method: 'POST', path: '/api/v1/revocations', json }, 'id', 'state')
  return show(options.wait === true ? await followRevocation(api, made) : made)
}

const consequence = async ({ api, options }: Call<Options>): Promise<string | null> => {
  requireCondition(options)
  if (options.dryRun === true) return null
  const body = bodyOf(options)
  return `This ends every token${describe(body)}: ${await countAlive(api, body)}.`
}

export const addCreateRevocation = (revocation: Command): void => {
  const reason = new Option('--reason <reason>', 'what they end with; the first unless given')
  const command = revocation
    .command('create')
    .description('end every token for which all of the conditions hold, at once and for good')
    .option('--agent <agent-id>', 'the tokens of this agent')
    .option('--credential <credential-id>', 'the tokens got with this credential')
    .option('--scope <item>', 'the tokens that carry this item; "db:*" for any item of db')
    .option('--audience <uri>', 'the tokens for this audience, among others perhaps')
    .option('--kid <kid>', 'the tokens that this key signed')
    .option('--issued-before <time>', 'the tokens issued before this time, which is not in the future', readTime)
    .addOption(new Option('--all', 'every token, instead of any condition').conflicts([...CONDITION_OPTIONS]))
    .addOption(reason.choices(BULK_REVOCATION_REASONS))
    .option('--note <text>', 'for those who read the history later')
    .option('--id <uuid>', 'an id of your own: repeated with the same conditions, nothing more ends')
    .option('--dry-run', 'count what would end, show a few, and end nothing')
    .option('--wait', 'until every record has followed')
  defineAdminCommand<Options>(command, {
    json: 'print the revocation as POST /api/v1/revocations answers it',
    examples: [
      'mintmark revocation create --scope db:write --dry-run',
      'mintmark revocation create --audience https://orders.example --reason secret_leaked --note "ticket 4711" --yes',
    ],
    consequence,
    run,
  })
}
