// What the checks of an installation found: `mintmark doctor`, the start of `serve` and /readyz?verbose report it.
import { CHECK_STATUSES, type CheckName, type CheckStatus } from '../../../api/values/checks.ts'

type Good = { readonly status: 'ok'; readonly what: string }

type Bad = {
  readonly status: Exclude<CheckStatus, 'ok'>
  /** What is wrong, in a sentence for an operator. It may name paths and addresses, and never contains a secret. */
  readonly what: string
  /** What to do, in a sentence. */
  readonly remedy: string
  /** What is wrong, in a sentence for any caller: without paths and addresses. */
  readonly brief: string
}

export type Finding = Good | Bad

type Described = Omit<Bad, 'status' | 'brief'> & { readonly brief?: string }

const BRIEF = 'The log of the service has the reason, and so has `mintmark doctor`.'

export const good = (what: string): Finding => ({ status: 'ok', what })

export const warn = ({ brief = BRIEF, ...rest }: Described): Finding => ({ ...rest, brief, status: 'warning' })

export const fail = ({ brief = BRIEF, ...rest }: Described): Finding => ({ ...rest, brief, status: 'problem' })

/** The findings of one check, at least one. */
export type CheckResult = { readonly name: CheckName; readonly findings: readonly Finding[] }

/** The worst of them. */
export const worstOf = (findings: readonly Finding[]): CheckStatus =>
  CHECK_STATUSES.findLast(status => findings.some(finding => finding.status === status)) ?? 'ok'

const isBad = (finding: Finding): finding is Bad => finding.status !== 'ok'

export const badOf = (findings: readonly Finding[]): readonly Bad[] => findings.filter(isBad)
