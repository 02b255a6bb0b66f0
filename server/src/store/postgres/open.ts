// Opens a store on PostgreSQL: a few connections to the primary, and the ports over them.
import { setTimeout as delay } from 'node:timers/promises'
import type { StoreHealth } from '../../ports.ts'
import type { SigningKeyMaker } from '../../ports/signing-keys.ts'
import type { KeyPolicy } from '../../domain/key-life.ts'
import { Unavailable } from '../../domain/refusal.ts'
import type { Seal } from '../../domain/seal.ts'
import type { Milliseconds, MonotonicMilliseconds } from '../../domain/time.ts'
import type { SealKey } from '../audit/seals.ts'
import { coverAnswer, makeLease } from '../lease.ts'
import { makeLabels } from '../ledger/labels.ts'
import { makeSets } from '../ledger/sets.ts'
import { monotonicMs } from '../monotonic.ts'
import type { Retention } from '../retention.ts'
import { given } from '../script.ts'
import { supplyKeys } from '../signing-keys/supply-keys.ts'
import type { Reader } from '../snapshot.ts'
import { makeStorePorts, type StorePorts } from '../store-ports.ts'
import type { DatabaseAddress } from './address.ts'
import { startSession, type StoreMaker } from './start-session.ts'
import { makeHotLedger } from './hot-ledger.ts'
import { jobWriter } from './jobs.ts'
import { makeLook } from './look.ts'
import { transactionOpener } from './open-transaction.ts'
import { connectUnhurried } from './primary.ts'
import { makeReader } from './reader.ts'
import { type RunningUpkeep, startUpkeep } from './upkeep.ts'
import { STORE_DEADLINE_MS } from './deadlines.ts'
import { type GroupWriter, makeWriter } from './writer.ts'

export type PostgresStore = StorePorts & {
  readonly madeBy: StoreMaker
  readonly close: () => Promise<void>
}

export type PostgresOptions = {
  readonly address: DatabaseAddress
  /** What the service keeps up and for how long; null in a process that acts once: it fills and removes nothing. */
  readonly retention: Retention | null
  /** Whether it serves beside others that keep the store up; one that keeps it up serves. */
  readonly serves?: boolean
  /** Counts ms from any origin; a test may have one of its own. */
  readonly steady?: () => Milliseconds
  /** Waits for a clock that is behind the lease: by node's timer, unless a test moves its clock on. */
  readonly wait?: (ms: number) => Promise<void>
  /** How long a step may take before its caller is refused; STORE_DEADLINE_MS unless a test has less patience. */
  readonly deadlineMs?: number
  /** With what the audit log is sealed, and who is told; without it nothing is. */
  readonly sealing?: { readonly key: SealKey; readonly onSeal: (seal: Seal) => void }
  /** How signing keys live, and who makes the next; without it they stay as they are. */
  readonly keys?: { readonly policy: KeyPolicy; readonly maker: Pick<SigningKeyMaker, 'make'> }
  /** Told what failed in the upkeep. */
  readonly onFault?: (fault: unknown) => void
}

const makeHealth = (reader: Reader, writer: GroupWriter, deadline: () => MonotonicMilliseconds): StoreHealth => ({
  check: async () => {
    try {
      // Every transaction of the writer writes and waits for the disk, this one nothing else.
      await writer.run({ lane: 'quiet', perform: () => given(null), until: deadline() })
      return await reader.read(() => given(null))
    } catch (fault) {
      if (fault instanceof Unavailable) return fault.message
      throw fault
    }
  },
})

const wholeMonotonic = (): Milliseconds => Math.floor(monotonicMs())

/** Opens a store that `migrate` made. Throws StoreProblem with one line for a person. */
export const openPostgresStore = async (options: PostgresOptions): Promise<PostgresStore> => {
  const {
    address,
    retention,
    serves = retention !== null,
    steady = wholeMonotonic,
    wait = delay,
    deadlineMs = STORE_DEADLINE_MS,
  } = options
  const { session, madeBy, close } = await startSession(address, steady, serves ? wait : null)
  const deadline = (until = Number.POSITIVE_INFINITY): MonotonicMilliseconds =>
    Math.min(until, session.monotonic() + deadlineMs)
  const [sets, labels] = [makeSets(), makeLabels()]
  session.onFailOver(() => {
    sets.forget()
    for (const memory of Object.values(labels)) memory.forget()
  })
  let upkeep: RunningUpkeep | null = null
  const writer = makeWriter(session, transactionOpener(session, sets), () => upkeep?.wake())
  const lease = makeLease(() => writer.run({ lane: 'quiet', perform: coverAnswer, until: deadline() }))
  const look = makeLook(session)
  const reader = makeReader(session, { look, sets, lease, deadline })
  const jobs = jobWriter(writer, deadline)
  const hot = makeHotLedger(session, { look, writer, labels, sets, lease, deadline })
  const ports = makeStorePorts(reader, jobs, { hot, health: makeHealth(reader, writer, deadline), labels })
  const onFault = (fault: unknown): void => options.onFault?.(fault)
  const onKeyWanted = supplyKeys({
    maker: options.keys?.maker ?? null,
    register: Promise.resolve(ports.signingKeys),
    onFault,
  })
  upkeep =
    retention === null
      ? null
      : startUpkeep({
          session,
          reader,
          writer,
          retention,
          steady,
          sealKey: options.sealing?.key ?? null,
          keyPolicy: options.keys?.policy ?? null,
          onSeal: seal => options.sealing?.onSeal(seal),
          onKeyWanted,
          onFault,
          connect: () => connectUnhurried(address),
        })
  return {
    ...ports,
    madeBy,
    close: async () => {
      await ports.settle().catch(() => undefined)
      await upkeep?.stop()
      close()
    },
  }
}
