// Whether the tests find anything: each bug of the bank is seeded in a copy of the program, and its test must turn red.
import { tryBugs } from './try-bugs.ts'
import { readBugs } from './seeded-bugs.ts'
import { isGitThere } from './apply-patch.ts'
import { CANNOT_RUN, print, readOptions } from '../drill.ts'

const { jobs, from, to } = readOptions({ jobs: 1, from: 1, to: 9999 })

const numberOf = (path: string): number => Number(/(\d+)-[^/]*$/.exec(path)?.[1])

const chosen = readBugs().filter(({ path }) => numberOf(path) >= from && numberOf(path) <= to)

if (isGitThere()) {
  const caught = await tryBugs(chosen, Math.max(1, jobs), print)
  print(`${caught} caught / ${chosen.length} seeded`)
  process.exitCode = caught === chosen.length && caught > 0 ? 0 : 1
} else {
  print('git is not on the path of this machine: it applies the patches.')
  process.exitCode = CANNOT_RUN
}
