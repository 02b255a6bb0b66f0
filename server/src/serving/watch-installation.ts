// What the main thread of `serve` looks after beside the service: its fast checks, and files that change.
import type { Logger } from 'pino'
import { showCertificate } from '../compose/client-certificates.ts'
import type { Service } from '../compose/compose.ts'
import { ownEnvironment, type ServeConfig } from '../config/config.ts'
import type { Timing } from '../ports/timing.ts'
import type { IdentityProviderConfig } from '../config/provider.ts'
import type { Operators } from '../ports/key-sets.ts'
import type { Ports } from '../ports/ports.ts'
import { makeNotices, type Notices } from './notices.ts'
import { reloadFiles } from './reload-files.ts'
import type { Reloaded } from './thread-messages.ts'
import { examineServing } from '../compose/doctor/doctor.ts'
import type { ReloadedKind } from '../config/read-again.ts'
import { badOf, type CheckResult, worstOf } from '../domain/checkup.ts'

// Which identity providers' keys cannot be read, logged before an operator needs one.

type Checked = {
  readonly operators: Pick<Operators, 'check'>
  readonly identityProviders: readonly Pick<IdentityProviderConfig, 'issuer' | 'setting'>[]
  readonly logger: Pick<Logger, 'warn' | 'error'>
}

/** Runs in the background and never stops the start: a provider may be back when it is needed. */
export const checkProviders = async ({ operators, identityProviders, logger }: Checked): Promise<void> => {
  try {
    for (const state of await operators.check()) {
      if (state.status === 'ok') continue
      const { issuer, cause, detail: reason } = state
      const setting = identityProviders.find(provider => provider.issuer === issuer)?.setting
      logger.warn(
        { event: 'provider_unavailable', issuer, reason, setting },
        `The keys of the identity provider ${issuer} cannot be read: ${cause}. None of its operators can be recognized; look at ${setting}, and at GET /readyz?verbose.`,
      )
    }
  } catch (err) {
    logger.error({ err }, 'the identity providers could not be checked')
  }
}

/** The same of trusted issuers: which of them cannot be verified, before an agent has a JWT of one. */
export const checkIssuers = async (
  { issuers, foreignIssuers }: Pick<Ports, 'issuers' | 'foreignIssuers'>,
  logger: Checked['logger'],
): Promise<void> => {
  try {
    for (const state of await foreignIssuers.check((await issuers.trusted()).issuers)) {
      if (state.status === 'ok') continue
      const { alias, issuer, cause, detail: reason } = state
      logger.warn(
        { event: 'issuer_unavailable', issuer, alias, reason },
        `The keys of the trusted issuer ${alias} cannot be read: ${cause}. No JWT of it is taken; look at \`mintmark issuer show ${alias}\`, and at \`mintmark doctor\`.`,
      )
    }
  } catch (err) {
    logger.error({ err }, 'the trusted issuers could not be checked')
  }
}

// The fast checks of a service: at its start, and then now and again. Each finding is logged when it appears, and /readyz?verbose has
// the latest.

type Options = {
  /** Returns the configuration with what was reloaded. */
  readonly config: () => ServeConfig
  readonly reloadFailures: () => Partial<Readonly<Record<ReloadedKind, string>>>
  readonly logger: Pick<Logger, 'warn'>
  readonly publish: (checks: readonly CheckResult[]) => void
  readonly timing: Pick<Timing, 'checkupMs' | 'fastCheckMs'>
}

type RunningCheckup = {
  /** Checks now. Takes a second at most, and never rejects. */
  readonly check: () => Promise<void>
  readonly stop: () => void
}

const startCheckup = ({ config, reloadFailures, logger, publish, timing }: Options): RunningCheckup => {
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

type Watching = {
  readonly config: ServeConfig
  readonly service: Pick<Service, 'ports' | 'replaceProviders' | 'metrics'>
  readonly logger: Logger
  readonly timing: Timing
}

type Installation = {
  /** The notices for the serving threads. */
  readonly notices: Notices
  /** Makes and logs the first checks; takes a second at most. */
  readonly check: () => Promise<void>
  /** Reads the files again, changed or not. */
  readonly reload: () => void
  readonly stop: () => void
}

/** Begins to look at the files. The checks are made once the service has started: why it does not is then its only line. */
export const watchInstallation = ({ config, service, logger, timing }: Watching): Installation => {
  const notices = makeNotices()
  const apply = (reloaded: Reloaded): void => {
    const { identityProviders, tls } = reloaded
    if (tls !== undefined) showCertificate(service.metrics.main, tls)
    if (identityProviders !== undefined) {
      service.replaceProviders(identityProviders)
      void checkProviders({ operators: service.ports.operators, identityProviders, logger })
    }
    notices.publishReloaded(reloaded)
  }
  const files = reloadFiles({
    config,
    environment: ownEnvironment(),
    logger,
    apply,
    onChange: () => void checkup.check(),
    timing,
  })
  const checkup = startCheckup({
    config: () => notices.latest(config),
    reloadFailures: files.failures,
    logger,
    publish: notices.publishChecks,
    timing,
  })
  const stop = (): void => {
    files.stop()
    checkup.stop()
  }
  return { notices, check: checkup.check, reload: files.demand, stop }
}
