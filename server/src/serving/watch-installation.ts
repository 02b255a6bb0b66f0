// What the main thread of `serve` looks after beside the service: its fast checks, and files that change.
import type { Logger } from 'pino'
import { showCertificate } from '../compose/client-certificates.ts'
import type { Service } from '../compose/compose.ts'
import { ownEnvironment, type ServeConfig } from '../config/config.ts'
import type { Timing } from '../ports/timing.ts'
import { checkProviders } from './check-providers.ts'
import { startCheckup } from './checkup.ts'
import { makeNotices, type Notices } from './notices.ts'
import { reloadFiles } from './reload-files.ts'
import type { Reloaded } from './thread-messages.ts'

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
