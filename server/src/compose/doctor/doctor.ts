// Runs the checks of an installation: all of them for the command, and the fast ones for a service.
import type { ServeConfig, ServeSurvey } from '../../config/config.ts'
import { type CheckResult, fail, type Finding } from '../../domain/checkup.ts'
import type { Timing } from '../../ports/timing.ts'
import { CHECKS, type Check } from './checks.ts'
import { probeService, type ServiceSeen } from './service-seen.ts'
import { openInspection } from './store-checks.ts'
import type { StoreSeen, Subject } from './subject.ts'

// Runs checks together, each with its deadline: what hangs is a finding, and the others are reported all the same.

const within = async (ms: number, work: Promise<readonly Finding[]>): Promise<readonly Finding[]> => {
  const { promise: late, resolve } = Promise.withResolvers<readonly Finding[]>()
  const finding = {
    what: `The check did not end within ${ms / 1000} s: what it examines hangs.`,
    remedy: 'Look at the network, the disk and the machine that it needs; docs/run/doctor.md says which.',
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

const once = <T>(work: () => Promise<T>): (() => Promise<T>) => {
  let done: Promise<T> | undefined
  return () => (done ??= work())
}

const NO_ADDRESS: ServiceSeen = {
  url: 'the base URL',
  isNamed: false,
  metadata: { unreached: 'MINTMARK_BASE_URL cannot be read', isTls: false },
  components: undefined,
}

const unneeded = (): Promise<never> => Promise.reject(new Error('A fast check asked for the network.'))

/** `url`: of the service to look at from outside, and at nothing else. */
export const examine = async (
  survey: ServeSurvey,
  url: string | undefined,
  timing: Pick<Timing, 'checkMs' | 'checkAnswerMs'>,
): Promise<readonly CheckResult[]> => {
  const address = url ?? survey.settings.baseUrl
  const store = once(() => openInspection(survey))
  let isStoreAsked = false
  const subject: Subject = {
    survey,
    now: Date.now,
    store: () => {
      isStoreAsked = true
      return store()
    },
    service: once(async () => (address === undefined ? NO_ADDRESS : probeService(address, url !== undefined, timing))),
    reloadFailures: () => ({}),
  }
  const checks = CHECKS.filter(({ needs }) => (url === undefined ? needs !== 'serving' : needs === 'service'))
  try {
    return await runChecks(checks, subject, timing.checkMs)
  } finally {
    // Not waited for: a store that hangs must not hold up what was found.
    if (isStoreAsked) void store().then(closeSeen, () => undefined)
  }
}

const closeSeen = async (seen: StoreSeen): Promise<void> => {
  if ('inspection' in seen) await seen.inspection.close()
}

type Served = Pick<Subject, 'reloadFailures'> & {
  readonly config: ServeConfig
  readonly timing: Pick<Timing, 'fastCheckMs'>
}

/** The fast checks of a service that runs, or starts, with this configuration. Ends within a second. */
export const examineServing = ({ config, reloadFailures, timing }: Served): Promise<readonly CheckResult[]> => {
  const survey = {
    mistakes: [],
    warnings: config.warnings,
    settings: config,
    isStoreKnown: true,
    isTlsNamed: config.tls !== null,
  }
  const subject = { survey, now: Date.now, store: unneeded, service: unneeded, reloadFailures }
  return runChecks(
    CHECKS.filter(({ isFast }) => isFast),
    subject,
    timing.fastCheckMs,
  )
}
