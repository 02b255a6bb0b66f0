// Runs checks together, each with its deadline: what hangs is a finding, and the others are reported all the same.
import { type CheckResult, fail, type Finding } from '../../domain/checkup.ts'
import type { Check } from './checks.ts'
import type { Subject } from './subject.ts'

const within = async (ms: number, work: Promise<readonly Finding[]>): Promise<readonly Finding[]> => {
  const { promise: late, resolve } = Promise.withResolvers<readonly Finding[]>()
  const finding = {
    what: `The check did not end within ${ms / 1000} s: what it examines hangs.`,
    remedy: 'Look at the network, the disk and the machine that it needs; docs/doctor.md says which.',
    brief: 'The check did not end in time.',
  }
  const timer = setTimeout(() => resolve([fail(finding)]), ms)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

const BROKEN = {
  remedy: 'Report it, with what is printed here.',
  brief: 'The check itself failed.',
}

/** A check that breaks is a finding too: one fault hides nothing of the others. */
const runOne = async ({ run }: Check, subject: Subject): Promise<readonly Finding[]> => {
  try {
    return await run(subject)
  } catch (fault) {
    const reason = fault instanceof Error ? fault.message : String(fault)
    return [fail({ what: `The check itself failed: ${reason}`, ...BROKEN })]
  }
}

/** Returns results in the order of `checks`, within `ms` unless work blocks the thread. Never rejects. */
export const runChecks = (checks: readonly Check[], subject: Subject, ms: number): Promise<readonly CheckResult[]> =>
  Promise.all(checks.map(async check => ({ name: check.name, findings: await within(ms, runOne(check, subject)) })))
