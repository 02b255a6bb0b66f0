// How many batches may be under way at once: as many as keep the database at work while others are on their way.
import type { Milliseconds } from '../../../../../api/values/time.ts'

type InFlightCount = {
  readonly allowed: () => number
  /** Called with how long each took, from its start to its answer. */
  readonly measure: (took: Milliseconds) => void
}

/** The least batches in flight: the database works at one while the rows of the other become responses. */
const IN_FLIGHT_MIN = 2
/** The share that the newest has in what is usual. */
const NEWEST = 1 / 8
/** The shortest is one of the last so many, or of as many before them. */
const WINDOW = 128

/**
 * The shortest that a batch took is the way there and back, and what every one waits for: a network, a disk, a standby.
 * What others take beyond it is work, which grows with their size. A round trip holds so many pieces of work: more batches
 * would queue at the database, and each be smaller and so dearer.
 */
export const makeInFlightCount = (most: number): InFlightCount => {
  let usual: Milliseconds | undefined
  let [shortestBefore, shortest] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  let count = 0
  return {
    allowed: () => {
      if (usual === undefined) return Math.min(most, IN_FLIGHT_MIN)
      const work = usual - Math.min(shortest, shortestBefore)
      return work <= 0 ? most : Math.min(most, Math.max(IN_FLIGHT_MIN, Math.round(usual / work)))
    },
    measure: took => {
      usual = usual === undefined ? took : usual + NEWEST * (took - usual)
      shortest = Math.min(shortest, took)
      count += 1
      if (count % WINDOW > 0) return
      shortestBefore = shortest
      shortest = Number.POSITIVE_INFINITY
    },
  }
}
