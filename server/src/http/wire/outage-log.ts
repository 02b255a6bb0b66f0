// Logs an outage in few lines: when it begins, every so often how far it has gone, and when it is over. Hundreds of requests
// a second fail for one reason, and a line for each would bury it.
import type { Unavailable } from '../../domain/refusal.ts'
import type { MonotonicMilliseconds } from '../../../../api/values/time.ts'
import type { Timing } from '../../ports/timing.ts'

/** A counted line names so many reasons; of all others it has the sum. */
const REASONS_MAX = 8

type Report = (fields: object, message: string) => void

type OutageLog = {
  /** Records a request that is answered 503 because a dependency did not answer. */
  readonly report: (requestId: string, fault: Unavailable) => void
  /** Logs what was not logged yet. */
  readonly close: () => void
}

type Outage = {
  readonly beganAt: MonotonicMilliseconds
  lastAt: MonotonicMilliseconds
  requests: number
  /** The requests since the last line, by their reason. */
  readonly fresh: Map<string, number>
}

const OTHERS = 'others'

const count = ({ fresh }: Outage, reason: string): void => {
  const name = fresh.has(reason) || fresh.size < REASONS_MAX ? reason : OTHERS
  fresh.set(name, (fresh.get(name) ?? 0) + 1)
}

const secondsOf = ({ beganAt, lastAt }: Outage): number => Math.round((lastAt - beganAt) / 100) / 10

type OutageOptions = {
  readonly logger: Readonly<Record<'debug' | 'warn', Report>>
  readonly monotonic: () => MonotonicMilliseconds
  readonly timing: Pick<Timing, 'outageLogMs'>
}

export const makeOutageLog = ({ logger, monotonic, timing }: OutageOptions): OutageLog => {
  let outage: Outage | undefined
  let timer: NodeJS.Timeout | undefined

  const end = (ended: Outage): void => {
    clearInterval(timer)
    outage = undefined
    logger.warn({ requests: ended.requests, seconds: secondsOf(ended) }, 'unavailable no more')
  }

  const goOn = (): void => {
    if (outage === undefined) return
    const { requests, fresh } = outage
    if (fresh.size === 0) return end(outage)
    const reasons = [...fresh].map(([reason, times]) => ({ reason, requests: times }))
    fresh.clear()
    logger.warn({ requests, seconds: secondsOf(outage), reasons }, 'still unavailable')
  }

  const begin = (requestId: string, reason: string): Outage => {
    timer = setInterval(goOn, timing.outageLogMs).unref()
    logger.warn({ requestId, reason }, 'unavailable')
    const beganAt = monotonic()
    return { beganAt, lastAt: beganAt, requests: 0, fresh: new Map() }
  }

  return {
    report: (requestId, { message: reason }) => {
      if (outage === undefined) outage = begin(requestId, reason)
      else {
        logger.debug({ requestId, reason }, 'unavailable')
        count(outage, reason)
      }
      outage.requests += 1
      outage.lastAt = monotonic()
    },
    close: () => {
      if (outage !== undefined) end(outage)
    },
  }
}
