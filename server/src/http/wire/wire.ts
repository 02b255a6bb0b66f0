// What every route is built over.
import type { Logger } from 'pino'
import type { AdministrationPorts, Ports } from '../../ports/ports.ts'
import type { FindCertificate, ForwardedStateOf, SourceOf } from './source.ts'
import type { Metrics } from '../../ports/metrics.ts'
import type { Traces } from '../../ports/traces.ts'
import type { InTime } from '../../ports/deadline.ts'
import type { KnownCredentials } from './authorization.ts'
import type { Refuser } from './refusals.ts'
import type { StayLimits } from './streams/stay-limit.ts'
import type { CheckResult } from '../../domain/checkup.ts'

/** What the routes of the administration are built over, in a service and at the terminal. */
export type AdministrationWire = {
  readonly ports: AdministrationPorts
  readonly refuser: Refuser
  /** The deadline of each answer; one timer looks after all of them. */
  readonly inTime: InTime
  readonly logger: Pick<Logger, 'info' | 'warn'>
  readonly metrics: Metrics
}

export type Wire = AdministrationWire & {
  readonly ports: Ports
  readonly logger: Logger
  readonly findCertificate: FindCertificate
  readonly sourceOf: SourceOf
  readonly traces: Traces
  readonly forwardedStateOf: ForwardedStateOf
  /** What the checks of the installation found last. */
  readonly checks: () => readonly CheckResult[]
  /** Called with each good credential in a header of its request. */
  readonly credentials: KnownCredentials
  /** Whether the process has connections to spare for who keeps one. */
  readonly mayStay: (isOneOfFew: boolean) => boolean
  /** Receives each fault of following the feed. Must not throw. */
  readonly reportFeedFault: (fault: unknown) => void
  /** Those of followers of the feed, where they are given. */
  readonly followerLimits: StayLimits | undefined
  /** Receives each fault of the streams of the console. Must not throw. */
  readonly reportStreamFault: (fault: unknown) => void
}
