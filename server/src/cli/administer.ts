// In this folder: the commands, one file a subject. A command turns options into a request of the API and prints the answer.
// What every command that administers does: its options, its help, and from a request of the API to what is printed.
import type { Command } from 'commander'
import { describeAgentsIn } from './names/describe-agents.ts'
import { isActsForEntry } from '../../../api/values/delegation.ts'
import { parseUuid } from '../../../api/values/uuid.ts'
import { findNamed } from './names/find-named.ts'
import { isKind } from './names/named-kinds.ts'
import { timingOf } from '../compose/timing.ts'
import type { Timing } from '../ports/timing.ts'
import type { Api } from './remote/api.ts'
import { confirm, type Consequence } from './terminal/confirm.ts'
import { takeDashedIds } from './terminal/dashed-ids.ts'
import { addExamples } from './terminal/examples.ts'
import { addWhere, openApi, type WhereOptions } from './remote/open-api.ts'
import { printJson, printLine, type PrintedRecord, printRecord } from './terminal/print.ts'

export type Call<Options> = {
  readonly api: Api
  readonly timing: Timing
  /** Its arguments, in order. */
  readonly args: readonly string[]
  readonly options: Options
}

/** What a command prints, as JSON or for people. */
export type Shown = {
  readonly json: unknown
  readonly forPeople: (api: Api) => void | Promise<void>
  /** How the command ends all the same, once it has printed. */
  readonly failure?: Error
}

type Verb<Options> = {
  /** What --json prints; a command without it has a format of its own. */
  readonly json?: string
  /** Each runs as it stands. */
  readonly examples: readonly string[]
  /** What the command would end, in a sentence that a person confirms unless --yes; null where it ends nothing. */
  readonly consequence?: (call: Call<Options>) => Promise<Consequence | null>
  /** The command may end something although it asks nobody: what it may end is named in full. */
  readonly ends?: true
  /** The command replaces what it names. */
  readonly rotates?: true
  /** Null where the command has printed by itself. */
  readonly run: (call: Call<Options>) => Promise<Shown | null>
}

/** A record, for people with the names of its agents, and with a line below it. */
export const show = (record: PrintedRecord, remark?: string): Shown => ({
  json: record,
  forPeople: async api => {
    printRecord(await describeAgentsIn(api, record))
    if (remark !== undefined) printLine(remark)
  },
})

type CommonOptions = WhereOptions & { readonly yes?: boolean; readonly json?: boolean }

/** With --dry-run a command shows what it would do and does nothing, so it asks nobody. */
const isTrial = (options: object): boolean => 'dryRun' in options && options.dryRun === true

const perform = async <Options>(verb: Verb<Options>, call: Call<Options & CommonOptions>): Promise<void> => {
  if (verb.consequence !== undefined && call.options.yes !== true && !isTrial(call.options)) {
    const consequence = await verb.consequence(call)
    if (consequence !== null) await confirm(consequence)
  }
  const shown = await verb.run(call)
  if (shown === null) return
  if (call.options.json === true) printJson(shown.json)
  else await shown.forPeople(call.api)
  if (shown.failure !== undefined) throw shown.failure
}

/** The options that decide what a name means: `--agent` comes before `--credential`, and is resolved first. */
const decidingIn = ({ agent, actorType }: Record<string, unknown>) => ({
  agentId: typeof agent === 'string' ? agent : undefined,
  actorType: typeof actorType === 'string' ? actorType : undefined,
})

/** An agent in a list of several sorts of entries, as of those for whom one may act. */
const ENTRIES = 'agent...'

/** An agent that may act for another gets its power: no entry is found by the beginning of a name. */
const findEntry = async (api: Api, text: string): Promise<string> =>
  isActsForEntry(text) && parseUuid(text) === undefined ? text : findNamed(api, 'agent-id', { text, ends: true })

/** Where a command takes an id it takes a name too: declared once, by what an argument or the value of an option is called. */
const findIds = async <Options extends object>(
  command: Command,
  { api, timing, args, options }: Call<Options>,
  how: { readonly ends: boolean; readonly isRotated: boolean },
): Promise<Call<Options>> => {
  const found = [...args]
  for (const [n, argument] of command.registeredArguments.entries()) {
    const [kind, text] = [argument.name(), found[n]]
    if (isKind(kind) && text !== undefined) found[n] = await findNamed(api, kind, { text, agentId: found[0], ...how })
  }
  const given: Record<string, unknown> = Object.fromEntries(Object.entries(options))
  for (const option of command.options) {
    const name = option.attributeName()
    const [kind = '', value] = [/<([\w.-]+)>/.exec(option.flags)?.[1], given[name]]
    if (isKind(kind) && typeof value === 'string') {
      const { agentId, actorType } = decidingIn(given)
      given[name] = await findNamed(api, kind, { text: value, agentId: found[0] ?? agentId, actorType, ...how })
    } else if (kind === ENTRIES && Array.isArray(value)) {
      given[name] = await Promise.all(value.map(entry => findEntry(api, String(entry))))
    }
  }
  return { api, timing, args: found, options: given as Options } // the same members, some of them found
}

/** Completes a command whose own arguments and options are declared. */
export const defineAdminCommand = <Options extends object>(command: Command, verb: Verb<Options>): void => {
  if (command.registeredArguments.some(argument => isKind(argument.name()))) takeDashedIds(command)
  // Whatever groups the command has made of its own.
  command.optionsGroup('Options:')
  if (verb.json !== undefined) command.option('--json', verb.json)
  if (verb.consequence !== undefined) command.option('--yes', 'do not ask')
  addExamples(addWhere(command), verb.examples).action(async () => {
    const options = command.opts<Options & CommonOptions>()
    const timing = timingOf()
    const api = await openApi(options, timing)
    try {
      const ends = (verb.ends === true || verb.consequence !== undefined) && !isTrial(options)
      const how = { ends, isRotated: verb.rotates === true }
      await perform(verb, await findIds(command, { api, timing, args: command.args, options }, how))
    } finally {
      await api.close()
    }
  })
}
