// Whether the tests find anything: each bug of the bank is seeded in a copy of the program, and its test must turn red.
import { ALL_BUGS } from './all-bugs.ts'
import { makeBound, readOptions } from '../options.ts'
import { tryBugs } from './try-bugs.ts'

const options = readOptions({ jobs: 1, only: ALL_BUGS.map(({ name }) => name) })
const { only } = options
const jobs = Math.max(1, options.jobs)
const print = (line: string): void => void process.stdout.write(`${line}\n`)

const chosen = ALL_BUGS.filter(({ name }) => only === null || name === only)

const { tried, caught } = await tryBugs(chosen, { jobs, print, isOver: makeBound(options) })
const untried = chosen.length - tried
print(`${caught} caught / ${tried} seeded${untried > 0 ? `; the minutes were over before ${untried} more` : ''}`)
process.exitCode = caught === tried && caught > 0 ? 0 : 1
