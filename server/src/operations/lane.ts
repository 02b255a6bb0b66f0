// A lane of a bounded number of requests, so that a flood of one kind is refused at once and leaves room for the others.
import { type OrRefusal, refuse } from '../domain/refusal.ts'

/**
 * Lets at most `requestsMax` be under way in `serve`; any further one is refused before anything is done for it. `onFull`
 * is called for the first of them, and not again before the lane has been empty.
 */
export const inLane = <Request, Answer extends object>(
  serve: (request: Request) => Promise<OrRefusal<Answer>>,
  requestsMax: number,
  onFull: () => void,
): ((request: Request) => Promise<OrRefusal<Answer>>) => {
  let underWay = 0
  let told = false
  return async request => {
    if (underWay >= requestsMax) {
      if (!told) onFull()
      told = true
      return refuse('temporarily_unavailable', 'More requests of this kind are waiting than are taken: try again.')
    }
    underWay += 1
    try {
      return await serve(request)
    } finally {
      underWay -= 1
      if (underWay === 0) told = false
    }
  }
}
