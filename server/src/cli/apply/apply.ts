// In this folder: agents, credentials and trusted issuers as files: read, planned, printed, applied, and written from a store.
// mintmark apply
import type { Command } from 'commander'
import { InvalidArgumentError, Option } from 'commander'
import { applyRecord } from '../../../../api/managed.ts'
import { isSetName, SET_FORM } from '../../../../api/values/managed.ts'
import { COUNT_EXACT_MAX } from '../../../../api/values/lists.ts'
import { defineAdminCommand, type Shown } from '../administer.ts'
import { countIn } from '../agent-options.ts'
import type { Api, CallOf } from '../remote/api.ts'
import { confirm } from '../terminal/confirm.ts'
import { CommandFailed, EXIT } from '../terminal/exit.ts'
import { formatCount, printJson, printLine, printRemark } from '../terminal/print.ts'
import { untilSignal } from '../terminal/until-signal.ts'
import { readDeclared } from './declared-files.ts'
import { formatMarkdown, linesOf, planRecord, summaryOf } from './format-plan.ts'
import { isDifferent, isRefused, type Plan, planAll, type Planned, type Terms } from './plan.ts'

const FORMATS = ['text', 'json', 'markdown'] as const

type Options = {
  readonly set: string
  readonly prune?: true
  readonly adopt?: true
  readonly dryRun?: true
  readonly yes?: true
  readonly maxExtra: number
  readonly format: (typeof FORMATS)[number]
}

/** Something would change: what --dry-run ends with, so that a script can ask. */
const DIFFERS = EXIT.usage

/** So many records of a kind are applied side by side; the store commits them together. */
const AT_ONCE = 8

const printPlan = (plan: Plan, format: Options['format']): void => {
  if (format === 'json') return printJson(planRecord(plan))
  if (format === 'markdown') return printLine(formatMarkdown(plan))
  for (const line of linesOf(plan)) printLine(line)
  return printLine(summaryOf(plan))
}

/** Where a whole kind is done the next one is begun: a credential needs its agent, an agent its issuers. */
const inStages = (planned: readonly Planned[]): readonly (readonly Planned[])[] => {
  const stages: Planned[][] = []
  for (const one of planned) {
    const last = stages.at(-1)
    const isSame = last?.[0]?.kind === one.kind && last[0].record['kind'] === one.record['kind']
    if (last !== undefined && isSame) last.push(one)
    else stages.push([one])
  }
  return stages
}

type Applying = {
  readonly api: Pick<Api, 'call'>
  readonly terms: Terms
  readonly extraMax: number
  /** What was done. */
  readonly done: Planned[]
}

type ApplyBody = CallOf<typeof applyRecord>['body']

const applyOne = async ({ api, terms, extraMax, done }: Applying, planned: Planned): Promise<void> => {
  const { record, answer, place } = planned
  const body = { ...terms, document: record, plan_id: answer['plan_id'], max_extra: extraMax } as unknown as ApplyBody // of its own plan
  try {
    await api.call(applyRecord, { body })
    done.push(planned)
  } catch (fault) {
    if (!(fault instanceof CommandFailed)) throw fault
    throw new CommandFailed(`${place}: ${fault.message}`, fault.exitCode, fault.error)
  }
}

/** The first failure stops what is not begun yet, and so does a signal. */
const applyStage = async (applying: Applying, stage: readonly Planned[], isToStop: () => boolean): Promise<void> => {
  const waiting = [...stage]
  let failure: Error | undefined
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (failure !== undefined) return
      try {
        if (isToStop()) throw new CommandFailed('A signal stopped it between two records.')
        await applyOne(applying, next)
      } catch (fault) {
        failure ??= fault instanceof Error ? fault : new Error('A record was not applied.', { cause: fault })
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  if (failure !== undefined) throw failure
}

const applyAll = async (api: Api, plan: Plan, terms: Terms, extraMax: number): Promise<void> => {
  const wanted = plan.planned.filter(isDifferent)
  const applying: Applying = { api, terms, extraMax, done: [] }
  try {
    await untilSignal(async isToStop => {
      for (const stage of inStages(wanted)) await applyStage(applying, stage, isToStop)
    })
  } catch (fault) {
    const { done } = applying
    printRemark(
      `Done: ${done.length} of ${formatCount(wanted.length, 'record')}. Run it again: it goes on with the rest.`,
    )
    throw fault
  }
}

const refuseDoubts = ({ planned }: Plan): void => {
  const refused = planned.filter(isRefused)
  if (refused.length > 0)
    throw new CommandFailed(`${formatCount(refused.length, 'record')} cannot be applied. Nothing was done.`)
}

const run = async (api: Api, files: readonly string[], options: Options): Promise<Shown | null> => {
  const terms = { set: options.set, adopt: options.adopt === true }
  const plan = await planAll(api, await readDeclared(files), terms, options.prune === true)
  printPlan(plan, options.format)
  refuseDoubts(plan)
  const count = plan.planned.filter(isDifferent).length
  if (count === 0) return null
  if (options.dryRun === true)
    throw new CommandFailed(`${formatCount(count, 'record')} would change. Nothing was done.`, DIFFERS)
  if (options.yes !== true) await confirm(summaryOf(plan))
  await applyAll(api, plan, terms, options.maxExtra)
  printRemark(`Done: ${formatCount(count, 'record')}.`)
  return null
}

const parseSet = (text: string): string => {
  if (isSetName(text)) return text
  throw new InvalidArgumentError(`Expected ${SET_FORM}.`)
}

const parseExtra = (text: string): number => {
  const count = countIn(text)
  if (count > COUNT_EXACT_MAX) throw new InvalidArgumentError(`Expected at most ${COUNT_EXACT_MAX}.`)
  return count
}

export const addApply = (program: Command): void => {
  const command = program
    .command('apply')
    .description('make issuers, agents and credentials what files declare, after a plan that says what it ends')
    .argument('<file...>', 'files of records, YAML or JSON; - for standard input')
    .addOption(
      new Option('--set <name>', 'the set that the files are: it manages what it makes')
        .argParser(parseSet)
        .default('default'),
    )
    .option('--prune', 'delete what the set manages and no file has')
    .option('--adopt', 'take over what is there, and another set manages or nobody does')
    .option('--dry-run', 'print the plan, and do nothing; exit code 2 where something would change')
    .addOption(
      new Option('--max-extra <n>', 'how many tokens more of a record may end that were issued since the plan')
        .argParser(parseExtra)
        .default(0),
    )
    .addOption(new Option('--format <format>', 'how the plan is printed').choices(FORMATS).default('text'))
    .option('--yes', 'do not ask')
  defineAdminCommand<Options>(command, {
    examples: [
      'mintmark apply agents.yaml --set platform --dry-run',
      'mintmark apply agents.yaml --set platform --yes',
    ],
    run: ({ api, args, options }) => run(api, args, options),
  })
}
