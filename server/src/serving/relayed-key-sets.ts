// The key sets of others in a serving thread: asked of the main thread, which fetches each once for all threads.
import { Unavailable } from '../domain/refusal.ts'
import type { KeySet, KeySetPlace, KeySets } from '../ports/key-sets.ts'

/** Longer than a reading takes at most, and shorter than a request may wait for its answer. */
const ANSWER_MS_MAX = 4_300

type RelayedKeySets = KeySets & {
  /** Takes an answer of the main thread. */
  readonly settle: (place: KeySetPlace, set: KeySet) => void
}

type Waiting = { readonly answer: Promise<KeySet>; readonly settle: (set: KeySet) => void }

const nameOf = ({ of, issuer, jwksUri }: KeySetPlace): string => JSON.stringify([of, issuer, jwksUri])

type KeySetsAsked = (...asked: Parameters<KeySets['latest']>) => void

/** `ask` hands a place to the main thread. What that does not answer in time is Unavailable; a late answer is the next one's. */
export const relayKeySets = (ask: KeySetsAsked, answerMsMax = ANSWER_MS_MAX): RelayedKeySets => {
  const waiting = new Map<string, Waiting>()

  const begin: (...asked: Parameters<KeySets['latest']>) => Waiting = (place, seenAt) => {
    const name = nameOf(place)
    const { promise, resolve, reject } = Promise.withResolvers<KeySet>()
    const giveUp = (): void => {
      waiting.delete(name)
      reject(new Unavailable('The main thread, which fetches keys, does not answer.'))
    }
    const timer = setTimeout(giveUp, answerMsMax)
    const settle = (set: KeySet): void => {
      clearTimeout(timer)
      waiting.delete(name)
      resolve(set)
    }
    const one = { answer: promise, settle }
    waiting.set(name, one)
    ask(place, seenAt)
    return one
  }

  return {
    latest: (place, seenAt) => (waiting.get(nameOf(place)) ?? begin(place, seenAt)).answer,
    settle: (place, set) => waiting.get(nameOf(place))?.settle(set),
  }
}
