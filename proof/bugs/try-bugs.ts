// Seeds each bug in a copy of the program and runs its test there. A copy serves one bug after another.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SeededBug } from './seeded-bug.ts'
import { copyProgram } from '../program-copy.ts'
import { obstacleTo, seedBug } from './replace-text.ts'
import { hasFound, runTest, type TestRun } from './run-test.ts'

/** The folders and files of the copy: all that a test may read. */
const COPIED: readonly string[] = [
  'api',
  'console',
  'deploy',
  'docs',
  'examples',
  'packages',
  'proof',
  'runtime',
  'server',
  'site',
  'testkit',
  'README.md',
  'SECURITY.md',
  'LICENSE',
  'biome.json',
  'CHANGELOG.md',
  'package.json',
  'package-lock.json',
  'setup.mjs',
  'tsconfig.json',
]

type Outcome = { readonly isCaught: boolean; readonly said: string }

const shorten = (output: string): string => output.trim().split('\n').slice(-12).join('\n    ')

/** Why the test of a bug proves nothing; null where it is there and passes without the bug. */
const unsoundness = ({ passed, failed, output }: TestRun, { title }: SeededBug): string | null => {
  if (failed.some(one => one.includes(title))) return `fails without the bug\n    ${shorten(output)}`
  return passed.some(one => one.includes(title)) ? null : `is not there\n    ${shorten(output)}`
}

const tryOne = async (folder: string, bug: SeededBug): Promise<Outcome> => {
  const obstacle = obstacleTo(folder, bug)
  if (obstacle !== null) return { isCaught: false, said: obstacle }
  const remove = seedBug(folder, bug)
  const run = await runTest(folder, { ...bug, titles: [bug.title] })
  remove()
  return hasFound(run, bug)
    ? { isCaught: true, said: bug.title }
    : { isCaught: false, said: `${bug.test}: ${bug.title}\n    ${shorten(run.output)}` }
}

const keyOf = ({ test, store }: SeededBug): string => `${test} ${store ?? 'sqlite'}`

type Print = (line: string) => void

/** Tries one file: first that its tests pass without a bug, then each bug. Returns how many were caught. */
const tryFile = async (folder: string, bugs: readonly SeededBug[], print: Print): Promise<number> => {
  const [first] = bugs
  if (first === undefined) return 0
  const sound = await runTest(folder, { ...first, titles: bugs.map(({ title }) => title) })
  let caught = 0
  for (const bug of bugs) {
    const wrong = unsoundness(sound, bug)
    if (wrong !== null) {
      print(`NOT TRIED  ${bug.name}: in ${bug.test} the test "${bug.title}" ${wrong}`)
      continue
    }
    const from = performance.now()
    const { isCaught, said } = await tryOne(folder, bug)
    if (isCaught) caught += 1
    const seconds = ((performance.now() - from) / 1000).toFixed(1)
    print(`${isCaught ? 'caught    ' : 'NOT CAUGHT'} ${bug.name} (${seconds} s): ${said}`)
  }
  return caught
}

type Trying = {
  /** How many test files run at a time. */
  readonly jobs: number
  readonly print: Print
  /** Whether no other file is to begin. */
  readonly isOver: () => boolean
}

/** Tries the bugs, and returns how many of them it came to, and how many were caught. */
export const tryBugs = async (bugs: readonly SeededBug[], { jobs, print, isOver }: Trying) => {
  const files = [...Map.groupBy(bugs, keyOf).values()]
  let [tried, caught] = [0, 0]
  const work = async (): Promise<void> => {
    const folder = mkdtempSync(join(tmpdir(), 'mintmark-bugs-'))
    try {
      copyProgram(folder, COPIED)
      for (let file = files.shift(); file !== undefined && !isOver(); file = files.shift()) {
        tried += file.length
        const found = await tryFile(folder, file, print)
        caught += found
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  await Promise.all(Array.from({ length: jobs }, work))
  return { tried, caught }
}
