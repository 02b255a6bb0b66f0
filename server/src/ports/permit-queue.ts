// Lets so many pieces of work run at once. The others wait for a permit: bounded, callers in turns, each with a deadline of its own.
import { makeFairQueue } from '../domain/fair-queue.ts'
import { makeShares } from '../domain/shares.ts'
import { UNMEASURED } from './work-waits.ts'

/** Gives the permit back, once. */
export type Release = () => void

/** `full`: too many wait. `late`: its time to wait is over. `closed`: nothing begins any more. */
export type NotBegun = 'full' | 'late' | 'closed'

/** Either `begin` or `refuse` is called, once, and perhaps before `enter` returns. */
export type Work = {
  readonly begin: (release: Release) => void
  readonly refuse: (why: NotBegun) => void
  /** It waits no longer than this; by default for as long as it takes. */
  readonly waitMs?: number
}

type Bounds = {
  readonly atOnceMax: number
  /** The permits of one key at once; by default all. A key that has as many lets the others pass. */
  readonly ofOneMax?: number
  readonly waitingMax: number
}

/** Runs `work` once after so many ms, unless what it returns is called before. */
export type After = (ms: number, work: () => void) => () => void

type World = { readonly now: () => number; readonly after?: After | undefined }

const MACHINE: World = { now: () => performance.now() }

const afterTimeout: After = (ms, work) => {
  const timer = setTimeout(work, ms)
  return () => clearTimeout(timer)
}

type Waiting = { readonly key: string; readonly work: Work; readonly since: number; cancel: () => void }

export type PermitQueue = {
  readonly enter: (key: string, work: Work) => void
  readonly underWay: () => number
  readonly waiting: () => number
  /** Refuses all that waits, and whatever comes later. */
  readonly close: () => void
}

export const makePermitQueue = (
  { atOnceMax, ofOneMax = atOnceMax, waitingMax }: Bounds,
  { onWaiting, onWaited } = UNMEASURED,
  { now, after = afterTimeout } = MACHINE,
): PermitQueue => {
  // Whatever waits while a permit is free is of a key that has as many as it may.
  const queue = makeFairQueue<Waiting>()
  const shares = ofOneMax < atOnceMax ? makeShares() : undefined
  const mayBegin = (key: string): boolean => shares === undefined || shares.of(key) < ofOneMax
  let [underWay, isClosed] = [0, false]

  const refuse = ({ work, cancel }: Waiting, why: NotBegun): void => {
    cancel()
    onWaiting(queue.size())
    work.refuse(why)
  }

  const begin = (key: string, work: Work): void => {
    const permit = shares?.take(key)
    underWay += 1
    work.begin(() => {
      permit?.release()
      underWay -= 1
      beginNext()
    })
  }

  const beginNext = (): void => {
    const next = queue.take(mayBegin)
    if (next === undefined) return
    next.cancel()
    onWaiting(queue.size())
    onWaited(now() - next.since)
    begin(next.key, next.work)
  }

  const expire = (one: Waiting): void => {
    if (!queue.remove(one.key, one)) return
    onWaited(now() - one.since)
    refuse(one, 'late')
  }

  const wait = (key: string, work: Work): void => {
    const one: Waiting = { key, work, since: now(), cancel: () => undefined }
    const left = queue.push(key, one, waitingMax)
    if (left !== one && work.waitMs !== undefined) one.cancel = after(work.waitMs, () => expire(one))
    if (left === undefined) onWaiting(queue.size())
    else refuse(left, 'full')
  }

  return {
    enter: (key, work) => {
      if (isClosed) return work.refuse('closed')
      if (underWay >= atOnceMax || !mayBegin(key)) return wait(key, work)
      begin(key, work)
    },
    underWay: () => underWay,
    waiting: queue.size,
    close: () => {
      isClosed = true
      for (let one = queue.take(); one !== undefined; one = queue.take()) refuse(one, 'closed')
    },
  }
}
