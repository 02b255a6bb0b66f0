// When requests arrived that could not be read or begun at once: their deadlines count from then.
import type { IncomingMessage } from 'node:http'
import type { MonotonicMilliseconds } from '../../../../api/values/time.ts'

type Arrival = { readonly arrivedAt: MonotonicMilliseconds; readonly begunAt: MonotonicMilliseconds }

const arrivals = new WeakMap<IncomingMessage, Arrival>()

/** A body that takes longer to arrive once its request has begun keeps its caller waiting by itself. */
const BODY_MS_MAX = 250

/** Notes a request that begins now and has waited. */
export const noteArrival = (request: IncomingMessage, arrival: Arrival): void => void arrivals.set(request, arrival)

/** For how long the request waited for its start, in ms; 0 where that was next to nothing. */
export const queuedMs = (request: IncomingMessage): number => {
  const arrival = arrivals.get(request)
  return arrival === undefined ? 0 : arrival.begunAt - arrival.arrivedAt
}

/** For how long the request had waited when its body was complete, which is now; 0 where the wait was for the body. */
export const waitedMs = (request: IncomingMessage, now: MonotonicMilliseconds): number => {
  const arrival = arrivals.get(request)
  return arrival === undefined || now - arrival.begunAt > BODY_MS_MAX ? 0 : now - arrival.arrivedAt
}
