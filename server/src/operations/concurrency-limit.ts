// A lane of a bounded number of requests, so that a flood of one kind is refused at once and leaves room for the others.
import { type OrRefusal, refuse } from '../domain/refusal.ts'

/** A place in a lane. Whoever has it leaves it once. */
export type Place = { readonly leave: () => void }

/**
 * Has room for at most `placesMax`; any further request is refused. `onFull` is called for the first of them, and not
 * again before the lane has been empty.
 */
export const makeConcurrencyLimit = (placesMax: number, onFull: () => void): (() => OrRefusal<Place>) => {
  let taken = 0
  let reported = false
  const leave = (): void => {
    taken -= 1
    if (taken === 0) reported = false
  }
  return () => {
    if (taken >= placesMax) {
      if (!reported) onFull()
      reported = true
      return refuse('temporarily_unavailable', 'More requests of this kind are waiting than are taken: try again.')
    }
    taken += 1
    return { leave }
  }
}

/** Lets at most `requestsMax` be under way in `serve`; any further one is refused before anything is done for it. */
export const withPermit = <Request, Answer extends object>(
  serve: (request: Request) => Promise<OrRefusal<Answer>>,
  requestsMax: number,
  onFull: () => void,
): ((request: Request) => Promise<OrRefusal<Answer>>) => {
  const enter = makeConcurrencyLimit(requestsMax, onFull)
  return async request => {
    const place = enter()
    if ('refusal' in place) return place
    try {
      return await serve(request)
    } finally {
      place.leave()
    }
  }
}
