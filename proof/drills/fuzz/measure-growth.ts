// How the time of a parser grows with the length of its input, on the inputs on which it is slowest.
import type { Input, Parser } from '../../../testkit/parsers/parser.ts'
import type { Shape } from '../../../testkit/parsers/hostile-inputs.ts'

/** The time of one reading, in microseconds. */
export type Cost = (parser: Pick<Parser, 'read'>, input: Input) => number

type Point = { readonly bytes: number; readonly micros: number }

export type Growth = {
  readonly shape: string
  readonly points: readonly Point[]
  /** Time grows as the length to this power; null where it is too short to know. */
  readonly exponent: number | null
}

/** The length at which each shape is read once, to measure the slowest. */
const SCREENING_BYTES = 10_000
const MEASURED_SHAPES = 5
const ATTEMPTS = 4
const SIZES = [10_000, 30_000, 100_000, 300_000, 1_000_000]
/** The number of readings, of which the shortest counts: whatever else the machine does only adds to it. */
const REPEATS = 5
const REPEATED_MICROS_MAX = 500_000
/** Shorter times are of the machine, not of the parser. */
const MICROS_MIN = 300
/** A megabyte in less is of no concern, however it came about: 5 ns a byte. */
const LONGEST_MICROS_MIN = 5000
/** A reading that takes longer is not asked for a longer input. */
const MICROS_MAX = 200_000

/**
 * Linear time has 1 and quadratic time 2. What sorts has a little more than 1, and what fills memory up to 1.45, as JSON.parse
 * has on a million opening brackets.
 */
export const EXPONENT_MAX = 1.5

/** The slope between the first and the last time that is long enough. */
const exponentOf = (points: readonly Point[]): number | null => {
  const long = points.filter(({ micros }) => micros >= MICROS_MIN)
  const [first, last] = [long[0], long.at(-1)]
  if (first === undefined || last === undefined || first === last || last.micros < LONGEST_MICROS_MIN) return null
  return Math.log(last.micros / first.micros) / Math.log(last.bytes / first.bytes)
}

/** A reading that takes long is not disturbed by much, and is not repeated. */
const leastCost = (parser: Parser, input: Input, cost: Cost): number => {
  let least = cost(parser, input)
  for (let n = 1; n < REPEATS && least < REPEATED_MICROS_MAX; n += 1) least = Math.min(least, cost(parser, input))
  return least
}

const measureShape = (parser: Parser, { name, make }: Shape, cost: Cost): Growth => {
  const points: Point[] = []
  for (const size of SIZES) {
    const input = make(size)
    const micros = leastCost(parser, input, cost)
    points.push({ bytes: size, micros })
    if (micros > MICROS_MAX) break
  }
  return { shape: name, points, exponent: exponentOf(points) }
}

const isWorse = (a: Growth, b: Growth): boolean => (a.exponent ?? 0) > (b.exponent ?? 0)

/** The growth on the shape on which it is greatest, of those that take longest. */
export const measureGrowth = (parser: Parser, shapes: readonly Shape[], cost: Cost): Growth => {
  const screened = shapes.map(shape => ({ shape, micros: cost(parser, shape.make(SCREENING_BYTES)) }))
  const slowest = screened.toSorted((a, b) => b.micros - a.micros).slice(0, MEASURED_SHAPES)
  const measured = slowest.map(({ shape }) => {
    let growth = measureShape(parser, shape, cost)
    // Another process may have had the processor's caches: what is really steep is so each time.
    for (let n = 1; n < ATTEMPTS && (growth.exponent ?? 0) > EXPONENT_MAX; n += 1) {
      const again = measureShape(parser, shape, cost)
      if (isWorse(growth, again)) growth = again
    }
    return growth
  })
  return measured.reduce((worst, one) => (isWorse(one, worst) ? one : worst))
}
