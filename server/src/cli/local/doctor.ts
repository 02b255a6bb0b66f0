// mintmark doctor
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CheckStatus } from '../../../../api/values/checks.ts'
import { examine } from '../../compose/doctor/doctor.ts'
import { timingOf } from '../../compose/timing.ts'
import { surveyServeConfig } from '../../config/config.ts'
import { parseServiceUrl } from '../../config/remote.ts'
import { type CheckResult, type Finding, worstOf } from '../../domain/checkup.ts'
import { addExamples } from '../terminal/examples.ts'
import { CommandFailed } from '../terminal/exit.ts'
import { formatCount, printJson, printLine, terminalWidth } from '../terminal/print.ts'
import { layOutTable } from '../terminal/table.ts'

type Options = { readonly url?: string; readonly json?: boolean }

const recordOf = (finding: Finding) => ({
  status: finding.status,
  what: finding.what,
  remedy: finding.status === 'ok' ? null : finding.remedy,
})

const formatJson = (results: readonly CheckResult[]) => ({
  status: worstOf(results.flatMap(({ findings }) => findings)),
  checks: results.map(({ name, findings }) => ({ name, status: worstOf(findings), findings: findings.map(recordOf) })),
})

const rowsOf = ({ name, findings }: CheckResult): readonly (readonly string[])[] =>
  findings.flatMap(finding => {
    const row = [finding.status, name, finding.what]
    return finding.status === 'ok' ? [row] : [row, ['', '', `→ ${finding.remedy}`]]
  })

const countOf = (results: readonly CheckResult[], wanted: CheckStatus): number =>
  results.flatMap(({ findings }) => findings).filter(({ status }) => status === wanted).length

const printForPeople = (results: readonly CheckResult[]): void => {
  const rows = results.flatMap(rowsOf)
  for (const line of layOutTable(['STATUS', 'CHECK', 'FINDING'], rows, terminalWidth())) printLine(line)
}

const run = async ({ url, json }: Options): Promise<void> => {
  const results = await examine(await surveyServeConfig(), url, timingOf())
  if (json === true) printJson(formatJson(results))
  else printForPeople(results)
  const [problems, warnings] = [countOf(results, 'problem'), countOf(results, 'warning')]
  if (problems > 0) {
    throw new CommandFailed(`${formatCount(problems, 'problem')}, ${formatCount(warnings, 'warning')}.`)
  }
}

const readUrl = (text: string): string => {
  const url = parseServiceUrl(text)
  if ('wrong' in url) throw new InvalidArgumentError(`It ${url.wrong}.`)
  return url.value
}

export const addDoctor = (program: Command): void => {
  const command = program
    .command('doctor')
    .description('check this installation and say what is wrong and what to do; changes nothing (docs/doctor.md)')
    .addOption(
      new Option('--url <url>', 'look at the service at this address from outside, and at nothing here').argParser(
        readUrl,
      ),
    )
    .option('--json', 'print {"status","checks"}; each check has "name", "status" and "findings"')
  addExamples(command, ['mintmark doctor', 'mintmark doctor --json']).action(run)
}
