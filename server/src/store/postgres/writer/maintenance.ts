// Does the maintenance between requests, in one of the processes that share the database at a time.
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Unavailable } from '../../../domain/refusal.ts'
import { DAY_MS } from '../../../../../api/values/time.ts'
import type { Timing } from '../../../ports/timing.ts'
import { inBackground, type OnFault } from '../../background.ts'
import { makeRetentionStep } from '../../retention.ts'
import { given } from '../../statement-program.ts'
import type { Reader } from '../../snapshot.ts'
import { makeMaintenanceSchedule, type MaintenanceOptions } from '../../maintenance.ts'
import type { Connection } from '../connection/connection.ts'
import { keepPartitions } from '../partitions/partition-maintenance.ts'
import type { Session } from '../connection/session.ts'
import type { GroupWriter } from './writer.ts'

/** A partition of ended tokens holds a week: what explains them stays until it is gone. */
const PARTITION_MS = 7 * DAY_MS

// Tokens go with their partitions.
const NOTHING = { removeExpired: () => given(0), removeEnded: () => given(0) }

const take = (claimMs: number): string => `update upkeep set holder = ?, until = mintmark_now() + ${claimMs}
  where until <= mintmark_now() or until > mintmark_now() + ${2 * claimMs}
    or (holder = ? and until < mintmark_now() + ${claimMs / 2})`
const HELD = 'select 1 as found from upkeep where holder = ? and until > mintmark_now()'
const LEAVE = 'update upkeep set until = 0 where holder = ?'

type MaintenanceParts = Omit<MaintenanceOptions, 'retentionStep'> & {
  readonly timing: Pick<Timing, 'maintenanceMs' | 'maintenanceClaimMs' | 'partitionsMs'>
  readonly session: Session
  readonly reader: Reader
  readonly writer: GroupWriter
  /** A connection for what takes as long as it takes. */
  readonly connect: () => Promise<Connection>
}

export type RunningMaintenance = { readonly wake: () => void; readonly stop: () => Promise<void> }

const makeLockOwner = ({ session, timing }: MaintenanceParts) => {
  const { pool, runner, monotonic } = session
  const [me, takeClaim] = [randomUUID(), take(timing.maintenanceClaimMs)]
  const until = () => monotonic() + session.timing.storeMs
  return {
    isMine: () =>
      pool.use(async connection => {
        await runner.ask(connection, takeClaim, me, me)
        return (await runner.ask(connection, HELD, me)).rows.length > 0
      }, until()),
    leave: () => pool.use(connection => runner.ask(connection, LEAVE, me), until()),
  }
}

/** Partitions, every minute, beside everything else there is to do: to pack one that is large takes minutes. */
const makePartitionRounds = (parts: MaintenanceParts, stopping: AbortSignal) => {
  const { session, connect, retention, onFault, timing } = parts
  let doneAt = Number.NEGATIVE_INFINITY
  let wasUnavailable = false
  let running: Promise<void> | undefined
  let opened: readonly Connection[] = []

  const reportUnlessStopping: OnFault = (task, fault) => {
    if (!stopping.aborted) onFault(task, fault)
  }

  const open = async (): Promise<Connection> => {
    const connection = await connect()
    opened = [...opened, connection]
    if (stopping.aborted) connection.destroy()
    return connection
  }

  const keep = async (): Promise<void> => {
    try {
      await keepPartitions(open, retention, session.clock.now())
      doneAt = session.monotonic()
      wasUnavailable = false
    } catch (fault) {
      if (!(fault instanceof Unavailable)) throw fault
      // The turn that starts a round has just asked the database: what fails time after time is not for want of it.
      if (wasUnavailable) reportUnlessStopping('partitions', fault)
      wasUnavailable = true
    }
  }

  return {
    start: (): void => {
      if (session.monotonic() - doneAt < timing.partitionsMs) return
      running ??= inBackground('partitions', keep, reportUnlessStopping).finally(() => {
        opened = []
        running = undefined
      })
    },
    /** What is broken off the next round takes up; what the database was asked for already it finishes. */
    breakOff: async (): Promise<void> => {
      for (const connection of opened) connection.destroy()
      await running
    },
  }
}

/** Returns a function that does what is due first, and says whether there may be more to do. */
const makeStepping = (parts: MaintenanceParts) => {
  const { session, reader, writer, retention } = parts
  const kept = { ...retention, endedMs: retention.endedMs + PARTITION_MS }
  const maintenance = makeMaintenanceSchedule({ ...parts, retention: kept, retentionStep: makeRetentionStep(NOTHING) })

  const stepOnce = async (): Promise<boolean> => {
    try {
      const step = await reader.readUntimed(snapshot => maintenance.due(() => snapshot.now))
      if (step === undefined) return false
      const until = session.monotonic() + session.timing.storeMs
      const committed = await writer.run({ queue: step.isQuiet ? 'quiet' : 'act', perform: step.work, until })
      committed?.()
      return true
    } catch (fault) {
      return maintenance.failed(fault, fault instanceof Unavailable)
    }
  }

  return { stepOnce, tick: maintenance.tick }
}

/** Starts the maintenance. `wake` says that an act was done. */
export const startMaintenance = (parts: MaintenanceParts): RunningMaintenance => {
  const holding = makeLockOwner(parts)
  const stopping = new AbortController()
  const stepping = makeStepping(parts)
  const partitions = makePartitionRounds(parts, stopping.signal)
  let running: Promise<void> | undefined
  let isWanted = false

  const round = async (): Promise<void> => {
    if (!(await holding.isMine())) return
    partitions.start()
    while (!stopping.signal.aborted && (await stepping.stepOnce())) await delay(0)
  }

  const run = async (): Promise<void> => {
    do {
      isWanted = false
      await inBackground('turn of maintenance', round, parts.onFault)
    } while (isWanted && !stopping.signal.aborted)
    running = undefined
  }

  const wake = (): void => {
    isWanted = true
    if (!stopping.signal.aborted) running ??= run()
  }

  const tick = (): void => {
    stepping.tick()
    wake()
  }

  const timer = setInterval(tick, parts.timing.maintenanceMs).unref()
  wake()
  return {
    wake,
    stop: async () => {
      stopping.abort()
      clearInterval(timer)
      await running
      await partitions.breakOff()
      await holding.leave().catch(() => undefined)
    },
  }
}
