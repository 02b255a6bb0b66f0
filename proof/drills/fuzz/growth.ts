// Whether every parser of ours takes time in proportion to the length of its input, on inputs of 10 kB to 1 MB that are made to
// be slow. Run it as `npm run proof parsers`, whose large nursery leaves the copies of garbage collection out of the times.
import { PARSERS } from '../../../testkit/parsers/all-parsers.ts'
import { goodOf, shapesFor } from '../../../testkit/parsers/hostile-inputs.ts'
import { makeBound } from '../../options.ts'
import { conclude, formatCount, print, readOptions } from '../drill.ts'
import { type Cost, EXPONENT_MAX, type Growth, measureGrowth } from './measure-growth.ts'

const options = readOptions({ first: 0, parsers: PARSERS.length, beginnings: 16 })
const isOver = makeBound(options)

const cost: Cost = ({ read }, input) => {
  // The processor time that the system counts is too coarse.
  const before = performance.now()
  read(input)
  return 1000 * (performance.now() - before)
}

const format = ({ points, exponent, shape }: Growth): string => {
  const { bytes = 0, micros = 0 } = points.at(-1) ?? {}
  const growth = exponent === null ? '   -' : exponent.toFixed(2)
  return `${growth}  ${formatCount(Math.round(micros)).padStart(11)} µs for ${formatCount(bytes).padStart(9)} bytes  ${shape}`
}

const violations: string[] = []
let [parsersMeasured, shapesMeasured] = [0, 0]

print('Exponent of the growth; time of the longest input; the shape on which it is greatest')
for (const parser of PARSERS.slice(options.first, options.first + options.parsers)) {
  if (isOver()) break
  parsersMeasured += 1
  const good = goodOf(parser)
  const shapes = shapesFor(good, options.beginnings)
  shapesMeasured += shapes.length
  const growth = measureGrowth(parser, shapes, cost)
  print(`${parser.name.padEnd(36)} ${format(growth)}`)
  if ((growth.exponent ?? 0) > EXPONENT_MAX) violations.push(`${parser.name} in ${parser.file}: ${format(growth)}`)
}
conclude(violations, `${formatCount(parsersMeasured)} parsers on ${formatCount(shapesMeasured)} shapes`)
