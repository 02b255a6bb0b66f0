// mintmark import
import { type Command, InvalidArgumentError } from 'commander'
import { importClients } from '../../../api/imports.ts'
import { IMPORT_ADVICE, IMPORT_BYTES_MAX, IMPORT_VALUES_MAX } from '../../../api/values/bounds.ts'
import { countValues, isOneStructure } from '../domain/text/json-values.ts'
import { defineAdminCommand } from './administer.ts'
import { givenTwice } from './agent-options.ts'
import { CommandFailed } from './terminal/exit.ts'
import { areRecords, printLine, type PrintedRecord, printTable } from './terminal/print.ts'
import { readDocument } from './terminal/standard-input.ts'

type Options = {
  readonly dryRun?: boolean
  readonly scope?: string
  readonly defaultScope?: string
  readonly scopeMap?: Readonly<Record<string, string>>
  readonly resource?: readonly string[]
}

const COLUMNS = ['client_id', 'outcome', 'reason', 'agent_id', 'name', 'owner', 'secret', 'client_secret']

const gatherScopes = (
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> => {
  const equals = text.indexOf('=')
  if (equals < 1) throw new InvalidArgumentError('Expected theirs=ours.')
  const theirs = text.slice(0, equals)
  if (Object.hasOwn(before, theirs)) throw givenTwice(theirs)
  return { ...before, [theirs]: text.slice(equals + 1) }
}

/** The document as it stands, which changes nothing beside it: what is made of it takes more memory than its text. */
const checkDocument = (text: string): string => {
  const bytes = Buffer.from(text)
  if (bytes.length > IMPORT_BYTES_MAX) throw new CommandFailed(`The document is longer than ${IMPORT_BYTES_MAX} bytes.`)
  if (countValues(bytes) > IMPORT_VALUES_MAX) {
    throw new CommandFailed(`The document holds more than ${IMPORT_VALUES_MAX} values: ${IMPORT_ADVICE}.`)
  }
  if (!isOneStructure(bytes)) throw new CommandFailed('The document is not JSON.')
  return text
}

const rowsOf = ({ data }: PrintedRecord): readonly PrintedRecord[] => {
  if (areRecords(data)) return data
  throw new CommandFailed('The answer does not say what became of each client.')
}

const printOutcomes = (rows: readonly PrintedRecord[], isTrial: boolean): void => {
  printTable(COLUMNS, rows)
  const imported = rows.filter(({ outcome }) => outcome === 'imported').length
  printLine(
    isTrial
      ? `${imported} would be imported; nothing was done.`
      : `${imported} imported. New secrets are shown this once.`,
  )
}

const addSource = (parent: Command, source: string, what: string): void => {
  const command = parent
    .command(source)
    .description(`import ${what}; the agents keep their client ids and, where they are in the document, their secrets`)
    .argument('<file>', 'the document, or - for standard input')
    .option('--dry-run', 'print what would become of each client, and do nothing')
    .option('--scope <scope>', 'what agents may ask for of whose own scopes none is taken')
    .option('--default-scope <scope>', 'what agents get by default that have no default of their own')
    .option('--scope-map <theirs=ours>', 'what a scope of theirs stands for here (repeatable)', gatherScopes)
    .option('--resource <uri...>', 'the resources of agents of whose own audiences none is taken (repeatable)')
  defineAdminCommand<Options>(command, {
    json: 'print {"dry_run","data":[…]} as POST /api/v1/imports answers it',
    examples: [`mintmark import ${source} ${source}.json --scope db:read --dry-run`],
    run: async ({ api, args: [file = ''], options }) => {
      const { dryRun = false, scope, defaultScope, scopeMap, resource } = options
      const settings = { dry_run: dryRun, scope, default_scope: defaultScope, scope_map: scopeMap, resources: resource }
      const document = checkDocument(await readDocument(file))
      const bodyText = `${JSON.stringify({ source, ...settings }).slice(0, -1)},"document":${document}}`
      const answer = await api.call(importClients, { bodyText })
      const rows = rowsOf(answer)
      return { json: answer, forPeople: () => printOutcomes(rows, dryRun) }
    },
  })
}

const SERVERS = {
  keycloak: 'an unmasked realm export of Keycloak, or an array of its clients',
  hydra: 'clients of Hydra, as rows of its table or as its admin API prints them',
} as const

export const addImport = (program: Command): void => {
  const command = program.command('import').description('take over the clients of another server as agents')
  for (const [source, what] of Object.entries(SERVERS)) addSource(command, source, what)
}
