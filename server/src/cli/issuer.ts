// mintmark issuer
import { type Command, Option } from 'commander'
import type { z } from 'zod'
import * as rows from '../../../api/issuers.ts'
import { PROVIDER_ALGORITHMS } from '../../../api/values/algorithms.ts'
import { SUBJECT_CLAIMS, TOKEN_TYPES } from '../../../api/values/issuers.ts'
import type { Label } from '../../../api/values/labels.ts'
import { defineAdminCommand, show } from './administer.ts'
import { gatherLabels, countIn } from './agent-options.ts'
import { warnOfFiles } from './apply/managed-note.ts'
import { addDryRun, describeEnds, type DryRunOption, endingBy } from './dry-run.ts'
import { showAll } from './lists/read-list.ts'
import { addOptions, givenIn, type OptionRows } from './terminal/option-rows.ts'
import { printLine } from './terminal/print.ts'

const COLUMNS = ['alias', 'issuer', 'require', 'token_types', 'scope', 'disabled_at', 'suspended_at']

type Note = { readonly note?: string }

const ofOne = (command: Command): Command =>
  command.argument('<alias>', 'the alias of the issuer; `mintmark issuer list` shows all')

/** What never changes of an issuer. */
const FIXED: OptionRows = {
  subject_claim: [
    '--subject-claim <name>',
    'the claim that names its subjects; sub unless it is given',
    SUBJECT_CLAIMS,
  ],
  require: ['--require <claim=value>', 'a claim that its JWTs must have, with this value (repeatable)', gatherLabels],
}

const SETTINGS: OptionRows = {
  jwks_uri: ['--jwks-uri <url>', 'where its keys stand; as its metadata says unless it is given'],
  algorithms: ['--algorithm <name...>', 'an algorithm of its signatures (repeatable)', PROVIDER_ALGORITHMS],
  token_types: ['--type <name...>', 'a kind of its JWTs that is taken (repeatable)', TOKEN_TYPES],
  parties: ['--party <name...>', 'a client of the issuer whose JWTs are taken (repeatable)'],
  scope: ['--scope <scope>', 'the most that a token for its subjects may have: "db:read db:write", or "db:*"'],
  resources: ['--resource <uri...>', 'a resource that such a token may be for (repeatable); "*" for any'],
  lifetime_seconds: ['--lifetime-seconds <n>', 'the longest lifetime of such a token', countIn],
}

type CreateBody = z.input<(typeof rows.createIssuer)['body']>
type ChangeBody = z.input<(typeof rows.changeIssuer)['body']>
type CreateOptions = { readonly alias: string; readonly issuer: string; readonly require?: readonly Label[] }

const requiredOf = ({ require: claims }: CreateOptions) =>
  claims === undefined ? {} : { require: Object.fromEntries(claims.map(({ key, value }) => [key, value])) }

const addCreate = (issuer: Command): void => {
  const command = issuer
    .command('create')
    .description('trust an issuer: agents may exchange its JWTs, within these bounds')
    .requiredOption('--alias <alias>', 'its name here: 1 to 32 of a-z, 0-9 and hyphen, never given again')
    .requiredOption('--issuer <url>', '`iss` of its JWTs, as they have it')
  const all = addOptions(addOptions(command, FIXED), SETTINGS)
  for (const option of all.options) if (['--scope', '--type'].includes(option.long ?? '')) option.makeOptionMandatory()
  defineAdminCommand<CreateOptions>(all, {
    json: 'print the issuer as JSON',
    examples: [
      'mintmark issuer create --alias okta --issuer https://example.okta.com/oauth2/default --type id_token --scope db:read',
    ],
    run: async ({ api, options }) => {
      const { alias, issuer: url } = options
      const given = { ...givenIn(options, { ...FIXED, ...SETTINGS }), ...requiredOf(options) }
      const body = { ...given, alias, issuer: url } as CreateBody // the service parses it
      return show(await api.call(rows.createIssuer, { body }), '`mintmark doctor` shows whether its keys can be read.')
    },
  })
}

const addList = (issuer: Command): void =>
  defineAdminCommand(issuer.command('list').description('list all trusted issuers, the disabled ones too'), {
    json: 'print {"data":[…]}, each issuer as `issuer show --json` prints it',
    examples: ['mintmark issuer list'],
    run: ({ api }) => showAll(api, rows.listIssuers, { columns: COLUMNS }),
  })

const addShow = (issuer: Command): void =>
  defineAdminCommand(ofOne(issuer.command('show').description('show one trusted issuer')), {
    json: 'print the issuer as JSON',
    examples: ['mintmark issuer show entra'],
    run: async ({ api, args: [alias = ''] }) => show(await api.call(rows.showIssuer, { path: { alias } })),
  })

/** What `--no-…` asks for. */
const CLEARED: Readonly<Record<string, unknown>> = { jwks_uri: null, parties: [] }

const changeOf = (options: object): ChangeBody =>
  Object.fromEntries(
    Object.entries(givenIn(options, SETTINGS)).map(([name, value]) => [name, value === false ? CLEARED[name] : value]),
  ) // the service parses it

const addChange = (issuer: Command): void => {
  const command = ofOne(
    issuer.command('change').description('change what is named of a trusted issuer, for the next token; none ends'),
  )
  addOptions(command, SETTINGS)
    .addOption(new Option('--no-jwks-uri', 'find its keys as its metadata says'))
    .addOption(new Option('--no-party', 'take its JWTs whatever client got them'))
  defineAdminCommand(command, {
    json: 'print the issuer as JSON',
    examples: ['mintmark issuer change entra --scope "db:read db:write"', 'mintmark issuer change entra --no-jwks-uri'],
    run: async ({ api, args: [alias = ''], options }) => {
      const changed = await api.call(rows.changeIssuer, { path: { alias }, body: changeOf(options) })
      return show(changed, warnOfFiles(changed))
    },
  })
}

const addDisable = (issuer: Command): void => {
  const command = ofOne(issuer.command('disable').description('take no JWT of a trusted issuer from now on'))
  defineAdminCommand<Note & DryRunOption>(
    addDryRun(command).option('--note <text>', 'for those who read the audit log and the history'),
    {
      json: 'print the issuer as JSON',
      examples: ['mintmark issuer disable entra --yes'],
      ...endingBy<Note & DryRunOption>({
        call: ({ api, args: [alias = ''], options: { note } }, dryRun) =>
          api.call(rows.disableIssuer, { path: { alias }, body: { note, ...dryRun } }),
        sentence: async (ends, { args: [alias = ''] }) =>
          `This refuses the JWTs of the issuer ${alias} from now on. Tokens that end: ${describeEnds(ends)}.`,
        show: disabled => show(disabled),
      }),
    },
  )
}

const addEnable = (issuer: Command): void =>
  defineAdminCommand<Note>(
    ofOne(issuer.command('enable').description('take the JWTs of a disabled issuer again')).option(
      '--note <text>',
      'for those who read the audit log',
    ),
    {
      json: 'print the issuer as JSON',
      examples: ['mintmark issuer enable entra'],
      run: async ({ api, args: [alias = ''], options: { note } }) =>
        show(await api.call(rows.enableIssuer, { path: { alias }, body: { note } })),
    },
  )

const addDelete = (issuer: Command): void => {
  const command = ofOne(
    issuer.command('delete').description('trust an issuer no more, for good; its alias is never given again'),
  ).option('--note <text>', 'for those who read the audit log and the history')
  defineAdminCommand<Note & DryRunOption>(addDryRun(command), {
    json: 'print {"alias"}',
    examples: ['mintmark issuer delete entra --yes'],
    ...endingBy<Note & DryRunOption>({
      call: ({ api, args: [alias = ''], options: { note } }, dryRun) =>
        api.call(rows.deleteIssuer, { path: { alias }, query: { note, ...dryRun } }),
      sentence: async (ends, { args: [alias = ''] }) =>
        `This deletes the issuer ${alias} for good, with its blocked subjects; its alias is never given again. Tokens that end: ${describeEnds(ends)}.`,
      show: (_answer, { args: [alias = ''] }) => ({
        json: { alias },
        forPeople: () => printLine(`The issuer ${alias} is deleted.`),
      }),
    }),
  })
}

export const addIssuer = (program: Command): void => {
  const issuer = program.command('issuer').description('the issuers whose JWTs agents may exchange')
  for (const addTo of [addCreate, addList, addShow, addChange, addDisable, addEnable, addDelete]) addTo(issuer)
}
