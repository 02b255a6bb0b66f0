// The queue in front of signatures that must be verified before their sender is known: bounded, and fair by where they come
// from, so that a flood of forged JWTs costs a part of a core and keeps nobody else out.
import { Overloaded } from '../../domain/refusal.ts'
import { networkOf } from '../../domain/source.ts'
import { UNMEASURED } from '../../ports/work-waits.ts'

/** Signatures of one thread that are verified at once, on libuv's threads; the loop starts the next ones between other work. */
const UNDER_WAY_MAX = 2
/** Signatures that wait, of all networks together. */
const WAITING_MAX = 256

type Limits = { readonly underWayMax: number; readonly waitingMax: number }

/** `source` is the address that the signature came from. Throws Overloaded where more wait than are taken. */
export type VerificationQueue = (source: string, verify: () => Promise<boolean>) => Promise<boolean>

/** `since`: from when it waits, in ms of performance.now(); undefined where it began at once. */
type Waiting = { readonly begin: () => void; readonly refuse: () => void; since: number | undefined }

/** Of those that wait, the network with the most. */
const busiestOf = (waiting: ReadonlyMap<string, Waiting[]>): Waiting[] =>
  [...waiting.values()].reduce((busiest, one) => (one.length > busiest.length ? one : busiest), [])

export const makeVerificationQueue = (
  { underWayMax, waitingMax }: Limits = { underWayMax: UNDER_WAY_MAX, waitingMax: WAITING_MAX },
  { onWaiting, onWaited } = UNMEASURED,
): VerificationQueue => {
  // By network, in the order of their turns: each network has one turn, however many of its own wait.
  const waiting = new Map<string, Waiting[]>()
  let count = 0
  let underWay = 0

  const beginNext = (): void => {
    const [first] = waiting
    if (first === undefined || underWay >= underWayMax) return
    const [network, own] = first
    const next = own.shift()
    waiting.delete(network)
    if (own.length > 0) waiting.set(network, own)
    count -= 1
    underWay += 1
    onWaiting(count)
    if (next?.since !== undefined) onWaited(performance.now() - next.since)
    next?.begin()
  }

  /** Whether there is room for one more of a network that has so many; one that has more gives up its last for it. */
  const makeRoom = (own: number): boolean => {
    if (count < waitingMax) return true
    const busiest = busiestOf(waiting)
    if (busiest.length <= own + 1) return false
    busiest.pop()?.refuse()
    count -= 1
    return true
  }

  const endOne = (): void => {
    underWay -= 1
    beginNext()
  }

  return (source, verify) =>
    new Promise((resolve, reject) => {
      const network = networkOf(source)
      const own = waiting.get(network) ?? []
      const refuse = (): void =>
        reject(new Overloaded('More signatures wait to be verified than are taken.', { limit: 'signatures' }))
      if (!makeRoom(own.length)) return refuse()
      const begin = (): void => void verify().then(resolve, reject).finally(endOne)
      const one: Waiting = { begin, refuse, since: undefined }
      own.push(one)
      waiting.set(network, own)
      count += 1
      onWaiting(count)
      beginNext()
      one.since = performance.now()
    })
}
