// Limits how many requests of one kind are under way, so that a flood of them is refused at once and leaves room for others.
import { type OrRefusal, refuse } from '../domain/refusal.ts'

/** A permit for one request under way. Its owner releases it once. */
export type Permit = { readonly release: () => void }

/**
 * Has room for at most `permitsMax`; any further request is refused. `onFull` is called for the first of them, and not
 * again before all permits have been released.
 */
export const makeConcurrencyLimit = (permitsMax: number, onFull: () => void): (() => OrRefusal<Permit>) => {
  let taken = 0
  let reported = false
  const release = (): void => {
    taken -= 1
    if (taken === 0) reported = false
  }
  return () => {
    if (taken >= permitsMax) {
      if (!reported) onFull()
      reported = true
      return refuse('temporarily_unavailable', 'More requests of this kind are waiting than are taken: try again.')
    }
    taken += 1
    return { release }
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
    const permit = enter()
    if ('refusal' in permit) return permit
    try {
      return await serve(request)
    } finally {
      permit.release()
    }
  }
}
