// Look-ups of names that clients gave, by the system's resolver. It runs on threads that the whole process shares, knows no
// deadline and cannot be canceled: a name whose servers drop their queries keeps one of them for as long as 40 s.
import type { lookup, LookupAddress } from 'node:dns'
import type { MonotonicMilliseconds } from '../../../../api/values/time.ts'
import { type After, makePermitQueue, type PermitQueue, type Release } from '../../ports/permit-queue.ts'
import type { Timing } from '../../ports/timing.ts'
import { UNMEASURED } from '../../ports/work-waits.ts'

export type Resolve = typeof lookup

type Addresses = readonly LookupAddress[]

/** Returns all addresses of a name. It may take as long as the resolver does: the caller has a deadline. */
export type LookUp = (host: string) => Promise<Addresses>

type Options = {
  readonly resolve: Resolve
  readonly monotonicNow: () => MonotonicMilliseconds
  readonly timing: Pick<Timing, 'keyReadingMs' | 'nameRestMs'>
  /** By default by the timers of the machine. */
  readonly after?: After
}

const LOOK_UPS_MAX = 2
/** The look-ups that names which failed before may take: one is left for a name that is not known to fail. */
const FAILED_LOOK_UPS_MAX = LOOK_UPS_MAX - 1
/** How many failed names are kept: those that failed last. */
const FAILED_NAMES_MAX = 1000

type Failure = { readonly reason: unknown; readonly restsUntil: MonotonicMilliseconds }

/** The names that failed when they were last looked up. */
const makeFailures = ({ monotonicNow, timing }: Options) => {
  const failures = new Map<string, Failure>()
  return {
    has: (host: string): boolean => failures.has(host),
    /** Why it is not looked up now; undefined where it is. */
    ofResting: (host: string): Failure | undefined => {
      const failure = failures.get(host)
      return failure !== undefined && monotonicNow() < failure.restsUntil ? failure : undefined
    },
    add: (host: string, reason: unknown): void => {
      failures.delete(host)
      const [oldest] = failures.keys()
      if (failures.size === FAILED_NAMES_MAX && oldest !== undefined) failures.delete(oldest)
      failures.set(host, { reason, restsUntil: monotonicNow() + timing.nameRestMs })
    },
    remove: (host: string): void => void failures.delete(host),
  }
}

/** Runs as many look-ups as may run at once, the others after them while their callers wait. */
const makeTurns = (failures: ReturnType<typeof makeFailures>, { monotonicNow, timing, after }: Options) => {
  const permits = (atOnceMax: number): PermitQueue =>
    makePermitQueue({ atOnceMax, waitingMax: Number.POSITIVE_INFINITY }, UNMEASURED, { now: monotonicNow, after })
  const [ofAll, ofFailed] = [permits(LOOK_UPS_MAX), permits(FAILED_LOOK_UPS_MAX)]

  /** The callers have given up by `until`. */
  const enter = (queue: PermitQueue, until: MonotonicMilliseconds): Promise<Release> =>
    new Promise((begin, reject) => {
      const refuse = (): void => reject(new Error('The name waited too long to be looked up.'))
      queue.enter('', { begin, refuse, waitMs: until - monotonicNow() })
    })

  return async <T>(host: string, work: () => Promise<T>): Promise<T> => {
    const until = monotonicNow() + timing.keyReadingMs
    const releaseFailed = failures.has(host) ? await enter(ofFailed, until) : undefined
    try {
      const release = await enter(ofAll, until)
      return await work().finally(release)
    } finally {
      releaseFailed?.()
    }
  }
}

/** Each name is looked up once at a time, and one that failed rests before it is looked up again. */
export const makeNameLookups = (options: Options): LookUp => {
  const { resolve, monotonicNow, timing } = options
  const failures = makeFailures(options)
  const inTurn = makeTurns(failures, options)
  const underWay = new Map<string, Promise<Addresses>>()

  const ask = (host: string): Promise<Addresses> =>
    new Promise((found, failed) => {
      resolve(host, { all: true }, (error, addresses) => (error === null ? found(addresses) : failed(error)))
    })

  const lookUp: LookUp = async host => {
    const began = monotonicNow()
    try {
      const addresses = await ask(host)
      // An answer too late for its caller counts as a failure: the next look-up would take as long.
      if (monotonicNow() - began > timing.keyReadingMs) throw new Error(`The name ${host} took too long to resolve.`)
      failures.remove(host)
      return addresses
    } catch (fault) {
      failures.add(host, fault)
      throw fault
    }
  }

  return host => {
    const failure = failures.ofResting(host)
    if (failure !== undefined) return Promise.reject(failure.reason)
    const looking = underWay.get(host) ?? inTurn(host, () => lookUp(host)).finally(() => underWay.delete(host))
    underWay.set(host, looking)
    return looking
  }
}
