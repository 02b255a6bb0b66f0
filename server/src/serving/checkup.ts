// The fast checks of a service: at its start, and then now and again. Each finding is logged when it appears, and /readyz?verbose has
// the latest.
import type { Logger } from 'pino'
import { examineServing } from '../compose/doctor/doctor.ts'
import type { ServeConfig } from '../config/config.ts'
import type { ReloadedKind } from '../config/read-again.ts'
import type { Timing } from '../ports/timing.ts'
import { badOf, type CheckResult, worstOf } from '../domain/checkup.ts'

type Options = {
  /** Returns the configuration with what was reloaded. */
  readonly config: () => ServeConfig
  readonly reloadFailures: () => Partial<Readonly<Record<ReloadedKind, string>>>
  readonly logger: Pick<Logger, 'warn'>
  readonly publish: (checks: readonly CheckResult[]) => void
  readonly timing: Pick<Timing, 'checkupMs' | 'fastCheckMs'>
}

export type RunningCheckup = {
  /** Checks now. Takes a second at most, and never rejects. */
  readonly check: () => Promise<void>
  readonly stop: () => void
}

export const startCheckup = ({ config, reloadFailures, logger, publish, timing }: Options): RunningCheckup => {
  const logged = new Map<string, string>()

  const log = ({ name, findings }: CheckResult): void => {
    const status = worstOf(findings)
    if (logged.get(name) === status) return
    logged.set(name, status)
    // The reload of files logs its own failures, with their reasons.
    if (name === 'reloaded_files') return
    for (const { what, remedy } of badOf(findings))
      logger.warn({ event: 'check_finding', check: name, status }, `${what} ${remedy}`)
  }

  const checkOnce = async (): Promise<void> => {
    const results = await examineServing({ config: config(), reloadFailures, timing })
    results.forEach(log)
    publish(results)
  }

  // One after another: what is published last was found last.
  let last: Promise<void> = Promise.resolve()
  const check = (): Promise<void> => (last = last.then(checkOnce))

  const timer = setInterval(() => void check(), timing.checkupMs).unref()
  return { check, stop: () => clearInterval(timer) }
}
