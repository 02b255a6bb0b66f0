// What a command would end: the dry run of the call that it makes, before a person is asked, or by --dry-run.
import type { Command } from 'commander'
import type { Call, Shown } from './administer.ts'
import { CommandFailed } from './terminal/exit.ts'
import { areRecords, isRecord, printLine, type PrintedRecord } from './terminal/print.ts'

export type DryRunOption = { readonly dryRun?: boolean }

export const addDryRun = (command: Command): Command =>
  command.option('--dry-run', 'count what would end, and change nothing')

export type Ends = {
  readonly tokens: number
  readonly descendants: number
  /** Whose those are, such as `relay: 2`; a service of an older version does not say. */
  readonly ofAgents: readonly string[]
  readonly isExact: boolean
  /** With what they would end; none where the call ends nothing, whatever lives. */
  readonly reasons: readonly string[]
}

const agentsIn = (agents: unknown): readonly string[] =>
  areRecords(agents) ? agents.map(({ name, tokens }) => `${String(name)}: ${String(tokens)}`) : []

const endsIn = ({ ends }: PrintedRecord): Ends => {
  const { tokens, descendants, descendant_agents: agents, exact, reasons } = isRecord(ends) ? ends : {}
  if (typeof tokens === 'number' && typeof descendants === 'number' && Array.isArray(reasons))
    return { tokens, descendants, ofAgents: agentsIn(agents), isExact: exact === true, reasons: reasons.map(String) }
  throw new CommandFailed('The answer is no dry run: is the URL that of a service of this version?')
}

/** `3`, or `at least 10,000`. */
export const formatAtLeast = (count: number, isExact: boolean): string =>
  `${isExact ? '' : 'at least '}${count.toLocaleString('en-US')}`

/** `3 that were got for them (relay: 2, crawler: 1)` */
const describeDescendants = ({ descendants, ofAgents, isExact }: Ends): string => {
  const agents = ofAgents.length === 0 ? '' : ` (${ofAgents.join(', ')})`
  return `${formatAtLeast(descendants, isExact)} that were got for them${agents}`
}

/** `3 alive now`, and those that were got for them. */
export const describeEnds = (ends: Ends): string => {
  const own = `${formatAtLeast(ends.tokens, ends.isExact)} alive now`
  return ends.descendants === 0 ? own : `${own}, and ${describeDescendants(ends)}`
}

/** `sentence` says what the command would do, and to what; null where it would end nothing, whatever lives. */
const showEnds = (counted: PrintedRecord, sentence: (ends: Ends) => Promise<string | null>): Shown => {
  const ends = endsIn(counted)
  const { tokens, descendants, ofAgents, isExact } = ends
  const forPeople = async (): Promise<void> => {
    printLine(`A dry run: nothing is done. ${(await sentence(ends)) ?? 'This ends no token.'}`)
    printLine(`Tokens that would end: ${formatAtLeast(tokens, isExact)}`)
    printLine(`Tokens that were got for those: ${formatAtLeast(descendants, isExact)}`)
    for (const agent of ofAgents) printLine(`  ${agent}`)
  }
  return { json: counted, forPeople }
}

type Act<Options> = {
  /** The call; `dry_run` is true where it is only tried. */
  readonly call: (call: Call<Options>, dryRun: { readonly dry_run?: true }) => Promise<PrintedRecord>
  /** What a person is asked about; null where that needs no question. */
  readonly sentence: (ends: Ends, call: Call<Options>) => Promise<string | null>
  readonly show: (answer: PrintedRecord, call: Call<Options>) => Shown | Promise<Shown>
}

/** The members of a command that makes this call, and asks or shows what that ends. */
export const endingBy = <Options extends DryRunOption>({ call, sentence, show }: Act<Options>) => ({
  consequence: async (made: Call<Options>): Promise<string | null> =>
    sentence(endsIn(await call(made, { dry_run: true })), made),
  run: async (made: Call<Options>): Promise<Shown> =>
    made.options.dryRun === true
      ? showEnds(await call(made, { dry_run: true }), ends => sentence(ends, made))
      : show(await call(made, {}), made),
})
