// When requests arrived that could not be read or begun at once: their deadlines count from then.
import type { IncomingMessage } from 'node:http'
import type { MonotonicMilliseconds } from '../../../../api/values/time.ts'
import type { Timing } from '../../ports/timing.ts'

/** `receivedAt`: its first byte was read. `turnAt`: the responses before it on its connection are out; the same where none are. */
export type Arrival = {
  readonly receivedAt: MonotonicMilliseconds
  readonly turnAt: MonotonicMilliseconds
  readonly begunAt: MonotonicMilliseconds
}

const arrivals = new WeakMap<IncomingMessage, Arrival>()

/** Notes a request that begins now and has waited. */
export const noteArrival = (request: IncomingMessage, arrival: Arrival): void => void arrivals.set(request, arrival)

/** How long the request waited for its start, in ms, without the wait for responses before its own; 0 where that was negligible. */
export const queuedMs = (request: IncomingMessage): number => {
  const arrival = arrivals.get(request)
  return arrival === undefined ? 0 : arrival.begunAt - arrival.turnAt
}

/**
 * How long the request had waited for the service when its body was complete, which is now; 0 where that was negligible.
 * Of the time that the body took at most `bodyMs` counts: the rest is up to its sender, and `requestMs` bounds it.
 */
export const waitedMs = (
  request: IncomingMessage,
  now: MonotonicMilliseconds,
  { bodyMs }: Pick<Timing, 'bodyMs'>,
): number => {
  const arrival = arrivals.get(request)
  if (arrival === undefined) return 0
  return arrival.begunAt - arrival.receivedAt + Math.min(now - arrival.begunAt, bodyMs)
}

const wishes = new WeakMap<IncomingMessage, number>()

/** Notes for how long the answer was held back because its caller wished so, in ms. */
export const noteWish = (request: IncomingMessage, ms: number): void => void wishes.set(request, ms)

/** The wait that {@link noteWish} recorded; 0 where it recorded none. */
export const wishedMs = (request: IncomingMessage): number => wishes.get(request) ?? 0
