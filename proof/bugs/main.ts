// Whether the tests find anything: each bug of the bank is seeded in a copy of the program, and its test must turn red.
import { ALL_BUGS } from './all-bugs.ts'
import { print, readOptions } from '../drills/drill.ts'
import { tryBugs } from './try-bugs.ts'

const { jobs, only } = readOptions({ jobs: 1, only: ALL_BUGS.map(({ name }) => name) })

const chosen = ALL_BUGS.filter(({ name }) => only === null || name === only)

const caught = await tryBugs(chosen, Math.max(1, jobs), print)
print(`${caught} caught / ${chosen.length} seeded`)
process.exitCode = caught === chosen.length && caught > 0 ? 0 : 1
