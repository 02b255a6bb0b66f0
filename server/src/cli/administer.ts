// What every command that administers does: its options, its help, and from a request of the API to what is printed.
import type { Command } from 'commander'
import { nameAgent } from './agent-names.ts'
import { findNamed, isKind } from './find-named.ts'
import type { Api } from './remote/api.ts'
import { confirm, type Consequence } from './terminal/confirm.ts'
import { addExamples } from './terminal/examples.ts'
import type { CommandFailed } from './terminal/exit.ts'
import { addWhere, openApi, type WhereOptions } from './remote/open-api.ts'
import { isRecord, printJson, printLine, type PrintedRecord, printRecord } from './terminal/print.ts'

export type Call<Options> = {
  readonly api: Api
  /** Its arguments, in order. */
  readonly args: readonly string[]
  readonly options: Options
}

/** What a command prints, as JSON or for people. */
export type Shown = {
  readonly json: unknown
  readonly forPeople: (api: Api) => void | Promise<void>
  /** How the command ends all the same, once it has printed. */
  readonly failure?: CommandFailed
}

type Verb<Options> = {
  /** What --json prints; a command without it has a format of its own. */
  readonly json?: string
  /** Each runs as it stands. */
  readonly examples: readonly string[]
  /** What it would end, in a sentence that a person is asked about unless --yes; null where it ends nothing. */
  readonly consequence?: (call: Call<Options>) => Promise<Consequence | null>
  /** It may end something although nobody is asked. What a command may end is named in full. */
  readonly ends?: true
  /** Null where it has printed by itself. */
  readonly run: (call: Call<Options>) => Promise<Shown | null>
}

/** A record, for people with the name of its agent, and with a line below it. */
export const show = (record: PrintedRecord, remark?: string): Shown => ({
  json: record,
  forPeople: async api => {
    printRecord(await nameAgent(api, record))
    if (remark !== undefined) printLine(remark)
  },
})

/** What a rotation made, and for people until when the old one is taken. */
export const showRotation = (made: PrintedRecord, replaces: unknown, kind: 'secret' | 'key'): Shown => {
  const until = isRecord(replaces) ? replaces['expires_at'] : null
  const { forPeople } = show({ ...made, old_one_expires_at: until }, `Keep the ${kind}: it is shown this once.`)
  return { json: made, forPeople }
}

type CommonOptions = WhereOptions & { readonly yes?: boolean; readonly json?: boolean }

const perform = async <Options>(verb: Verb<Options>, call: Call<Options & CommonOptions>): Promise<void> => {
  if (verb.consequence !== undefined && call.options.yes !== true) {
    const consequence = await verb.consequence(call)
    if (consequence !== null) await confirm(consequence)
  }
  const shown = await verb.run(call)
  if (shown === null) return
  if (call.options.json === true) printJson(shown.json)
  else await shown.forPeople(call.api)
  if (shown.failure !== undefined) throw shown.failure
}

/** The agent whose credential an option names: `--agent` stands before `--credential`, and is found first. */
const agentOf = ({ agent }: Record<string, unknown>): string | undefined =>
  typeof agent === 'string' ? agent : undefined

/** Where a command takes an id it takes a name too: declared once, by what an argument or the value of an option is called. */
const findIds = async <Options extends object>(
  command: Command,
  { api, args, options }: Call<Options>,
  ends: boolean,
): Promise<Call<Options>> => {
  const found = [...args]
  for (const [n, argument] of command.registeredArguments.entries()) {
    const [kind, text] = [argument.name(), found[n]]
    if (isKind(kind) && text !== undefined) found[n] = await findNamed(api, kind, { text, agentId: found[0], ends })
  }
  const given: Record<string, unknown> = Object.fromEntries(Object.entries(options))
  for (const option of command.options) {
    const [kind = '', text] = [/<([\w-]+)>/.exec(option.flags)?.[1], given[option.attributeName()]]
    if (isKind(kind) && typeof text === 'string') {
      given[option.attributeName()] = await findNamed(api, kind, { text, agentId: found[0] ?? agentOf(given), ends })
    }
  }
  return { api, args: found, options: given as Options } // the same members, some of them found
}

/** Completes a command whose own arguments and options are declared. */
export const defineAdminCommand = <Options extends object>(command: Command, verb: Verb<Options>): void => {
  // Whatever groups the command has made of its own.
  command.optionsGroup('Options:')
  if (verb.json !== undefined) command.option('--json', verb.json)
  if (verb.consequence !== undefined) command.option('--yes', 'do not ask')
  addExamples(addWhere(command), verb.examples).action(async () => {
    const options = command.opts<Options & CommonOptions>()
    const api = await openApi(options)
    try {
      const isTrial = 'dryRun' in options && options.dryRun === true
      const ends = (verb.ends === true || verb.consequence !== undefined) && !isTrial
      await perform(verb, await findIds(command, { api, args: command.args, options }, ends))
    } finally {
      await api.close()
    }
  })
}
