// mintmark doctor
import type { Command } from 'commander'
import type { CheckStatus } from '../../../../api/values/checks.ts'
import { examine } from '../../compose/doctor/doctor.ts'
import { timingOf } from '../../compose/timing.ts'
import { nameOfStore } from '../../compose/store.ts'
import { type ServeSurvey, surveyServeConfig } from '../../config/config.ts'
import { readServiceUrl } from '../../config/agent.ts'
import { type CheckResult, type Finding, worstOf } from '../../domain/checkup.ts'
import { addExamples } from '../terminal/examples.ts'
import { CommandFailed } from '../terminal/exit.ts'
import { formatCount, printJson, printLine, terminalWidth } from '../terminal/print.ts'
import { serviceUrlOf } from '../terminal/service-url.ts'
import { layOutTable } from '../terminal/table.ts'

type Options = { readonly url?: string; readonly json?: boolean }

const recordOf = (finding: Finding) => ({
  status: finding.status,
  what: finding.what,
  remedy: finding.status === 'ok' ? null : finding.remedy,
})

const formatJson = (results: readonly CheckResult[], subject: string) => ({
  subject,
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

const printForPeople = (results: readonly CheckResult[], subject: string): void => {
  printLine(subject)
  const rows = results.flatMap(rowsOf)
  for (const line of layOutTable(['STATUS', 'CHECK', 'FINDING'], rows, terminalWidth())) printLine(line)
}

/** What is judged: a shell may have the settings of one installation and name the service of another. */
const subjectOf = ({ settings, isStoreKnown }: ServeSurvey, url: string | null): string => {
  if (url !== null)
    return `The service at ${url}, from outside; nothing on this machine (for that, without --url and MINTMARK_URL).`
  const store = isStoreKnown ? nameOfStore(settings) : 'a store whose address cannot be read'
  return `The installation that \`mintmark serve\` would start here, with the settings of this shell and ${store}.`
}

const run = async ({ url: given, json }: Options): Promise<void> => {
  const url = readServiceUrl(given)
  const survey = await surveyServeConfig()
  const results = await examine(survey, url ?? undefined, timingOf())
  const subject = subjectOf(survey, url)
  if (json === true) printJson(formatJson(results, subject))
  else printForPeople(results, subject)
  const [problems, warnings] = [countOf(results, 'problem'), countOf(results, 'warning')]
  if (problems > 0) {
    throw new CommandFailed(`${formatCount(problems, 'problem')}, ${formatCount(warnings, 'warning')}.`)
  }
}

export const addDoctor = (program: Command): void => {
  const command = program
    .command('doctor')
    .description('check this installation and say what is wrong and what to do; changes nothing (docs/run/doctor.md)')
    .option(
      '--url <url>',
      'look at the service at this address from outside, and at nothing here (MINTMARK_URL)',
      serviceUrlOf,
    )
    .option('--json', 'print {"subject","status","checks"}; each check has "name", "status" and "findings"')
  addExamples(command, ['mintmark doctor', 'mintmark doctor --json']).action(run)
}
