// mintmark import
import { type Command, InvalidArgumentError } from 'commander'
import type { z } from 'zod'
import * as settings from '../../../../api/agent-settings.ts'
import { parseScopePatterns } from '../../../../api/values/scope.ts'
import type { ImportSettings } from '../../domain/import/import-plan.ts'
import { defineAdminCommand } from '../administer.ts'
import { givenTwice } from '../agent-options.ts'
import { importAgents } from './import-agents.ts'
import { DOCUMENT_BYTES_MAX, planDocument, type Source } from './plan-document.ts'
import { CommandFailed, EXIT } from '../terminal/exit.ts'
import { printLine, type PrintedRecord, printTable } from '../terminal/print.ts'
import { readDocument } from '../terminal/standard-input.ts'

type ScopeMap = ReadonlyMap<string, readonly string[]>

type Options = {
  readonly dryRun?: boolean
  readonly scope?: string
  readonly defaultScope?: string
  readonly scopeMap?: ScopeMap
  readonly resource?: readonly string[]
}

const COLUMNS = ['client_id', 'outcome', 'reason', 'agent_id', 'name', 'owner', 'secret', 'client_secret']

const gatherScopes = (text: string, before: ScopeMap = new Map()): ScopeMap => {
  const equals = text.indexOf('=')
  if (equals < 1) throw new InvalidArgumentError('Expected theirs=ours.')
  const theirs = text.slice(0, equals)
  if (before.has(theirs)) throw givenTwice(theirs)
  const ours = parseScopePatterns(text.slice(equals + 1))
  if (ours === undefined) {
    throw new InvalidArgumentError('Expected theirs=ours, where ours is 1 to 16 items of the form resource:action.')
  }
  return new Map([...before, [theirs, ours]])
}

/** Null where it is not given. */
const readSetting = <Value>(option: string, schema: z.ZodType<Value>, value: unknown): Value | null => {
  if (value === undefined) return null
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new CommandFailed(`${option} ${parsed.error.issues[0]?.message}.`, EXIT.usage)
}

const settingsOf = ({ scope, defaultScope, scopeMap, resource }: Options): ImportSettings => ({
  scope: readSetting('--scope', settings.scope, scope),
  defaultScope: readSetting('--default-scope', settings.defaultScope, defaultScope),
  scopeMap: scopeMap ?? new Map(),
  resources: readSetting('--resource', settings.resources, resource),
})

const printOutcomes = (rows: readonly PrintedRecord[], isTrial: boolean): void => {
  printTable(COLUMNS, rows)
  const imported = rows.filter(({ outcome }) => outcome === 'imported').length
  printLine(
    isTrial
      ? `${imported} would be imported; nothing was done.`
      : `${imported} imported. New secrets are shown this once.`,
  )
}

const addSource = (parent: Command, source: Source, what: string): void => {
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
    json: 'print {"dry_run","data":[…]}, one item for each client of the document',
    examples: [`mintmark import ${source} ${source}.json --scope db:read --dry-run`],
    run: async ({ api, args: [file = ''], options }) => {
      const { dryRun = false } = options
      const clients = planDocument(source, await readDocument(file, DOCUMENT_BYTES_MAX), settingsOf(options))
      const { rows, failure } = await importAgents(api, clients, dryRun)
      return {
        json: { dry_run: dryRun, data: rows },
        forPeople: () => {
          printOutcomes(rows, dryRun)
          if (failure !== undefined) printLine('Of the others nothing is known: run the command again.')
        },
        ...(failure !== undefined && { failure }),
      }
    },
  })
}

export const addImport = (program: Command): void => {
  const command = program.command('import').description('take over the clients of another server as agents')
  addSource(command, 'keycloak', 'an unmasked realm export of Keycloak, or an array of its clients')
  addSource(command, 'hydra', 'clients of Hydra, as rows of its table or as its admin API prints them')
}
