// The clock of the service, as its answers say: this browser's may be set wrong.

/** How far that clock is ahead of this one lies between these, in milliseconds. */
let [least, most] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]

const SECOND_MS = 1_000

/** Takes the `Date` of an answer (RFC 9110 §6.6.1), which is in whole seconds: each answer narrows what is known. */
export const noteDate = (date: string | null, sentAtMs: number, arrivedAtMs: number): void => {
  const dateMs = Date.parse(date ?? '')
  if (Number.isNaN(dateMs)) return
  const [from, to] = [dateMs - arrivedAtMs, dateMs + SECOND_MS - sentAtMs]
  // Where none of it agrees with what was known, one of the clocks was set.
  const agrees = from <= most && to >= least
  least = agrees ? Math.max(least, from) : from
  most = agrees ? Math.min(most, to) : to
}

/** The service's clock is not behind it; before any answer, -Infinity. */
export const serviceEarliest = (): number => Date.now() + least

/** The time of the service, in milliseconds since 1970: this browser's own as far as it may be right. */
export const serviceNow = (): number => Date.now() + Math.min(Math.max(0, least), most)
