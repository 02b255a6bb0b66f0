// Key sets of other issuers in a serving thread: requested from the main thread, which fetches each once for all threads.
import type { KeySet, KeySetPlace, KeySets } from '../ports/key-sets.ts'
import type { MonotonicMilliseconds } from '../../../api/values/time.ts'
import { makeDeadline } from '../ports/deadline.ts'
import type { Timing } from '../ports/timing.ts'

const LATE = 'The main thread, which fetches keys, does not answer.'

type RelayedKeySets = KeySets & {
  /** Receives a response of the main thread. */
  readonly settle: (place: KeySetPlace, set: KeySet) => void
}

type Waiting = { readonly answer: Promise<KeySet>; readonly settle: (set: KeySet) => void }

const nameOf = ({ of, issuer, jwksUri }: KeySetPlace): string => JSON.stringify([of, issuer, jwksUri])

type KeySetsAsked = (...asked: Parameters<KeySets['latest']>) => void

type Clock = {
  readonly monotonic: () => MonotonicMilliseconds
  readonly timing: Pick<Timing, 'keyRelayMs' | 'deadlineSweepMs'>
}

/** `ask` sends a key place to the main thread. No response in time is Unavailable; a late one serves the next request. */
export const relayKeySets = (ask: KeySetsAsked, clock: Clock): RelayedKeySets => {
  const inTime = makeDeadline(clock, clock.timing.keyRelayMs, LATE)
  const waiting = new Map<string, Waiting>()

  const begin = (place: KeySetPlace, seenAt: number): Waiting => {
    const name = nameOf(place)
    const { promise, resolve } = Promise.withResolvers<KeySet>()
    const forget = (): void => {
      if (waiting.get(name) === one) waiting.delete(name)
    }
    const settle = (set: KeySet): void => {
      forget()
      resolve(set)
    }
    const one: Waiting = { answer: inTime(promise).finally(forget), settle }
    waiting.set(name, one)
    ask(place, seenAt)
    return one
  }

  return {
    latest: (place, seenAt) => (waiting.get(nameOf(place)) ?? begin(place, seenAt)).answer,
    settle: (place, set) => waiting.get(nameOf(place))?.settle(set),
  }
}
