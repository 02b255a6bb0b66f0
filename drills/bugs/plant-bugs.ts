// The bank of bugs: plants each patch of bugs/ in a copy of the tree and runs the test that must catch it. Prints a line
// for each, and how many were caught. docs/drills.md says how to add one.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Bug, readBugs, ROOT } from './read-bugs.ts'
import { print, readOptions } from '../drill.ts'

const bugs = readBugs()
const options = readOptions({ jobs: 1, only: bugs.map(({ name }) => name) })

/** A test that waits longer has not noticed the bug by itself. */
const TEST_SECONDS_MAX = 300

const COPIED = ['api', 'server', 'testkit', 'drills', 'docs', 'package.json', 'tsconfig.json'] as const

const run = async (command: string, args: readonly string[], folder: string): Promise<number | null> => {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const signal = AbortSignal.timeout(1000 * TEST_SECONDS_MAX)
  const child = spawn(command, args, { cwd: folder, env, stdio: 'ignore', signal, killSignal: 'SIGKILL' })
  child.on('error', () => undefined)
  const [status] = (await once(child, 'close')) as [number | null]
  return status
}

const isOurs = (path: string): boolean => !path.includes('node_modules')

/** A copy of the tree, with the packages of this one. */
const makeCopy = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-bugs-'))
  for (const name of COPIED) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true, filter: isOurs })
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

const isGreen = async (folder: string, test: string): Promise<boolean> =>
  (await run(process.execPath, ['--env-file=server/test/test.env', '--test', test], folder)) === 0

type Verdict = 'caught' | 'NOT CAUGHT' | 'DOES NOT APPLY' | 'NOT GREEN WITHOUT IT'

const judge = async (folder: string, bug: Bug, wasGreen: Map<string, boolean>): Promise<Verdict> => {
  const green = wasGreen.get(bug.test) ?? (await isGreen(folder, bug.test))
  wasGreen.set(bug.test, green)
  if (!green) return 'NOT GREEN WITHOUT IT'
  if ((await run('git', ['apply', bug.patch], folder)) !== 0) return 'DOES NOT APPLY'
  const isCaught = !(await isGreen(folder, bug.test))
  await run('git', ['apply', '--reverse', bug.patch], folder)
  return isCaught ? 'caught' : 'NOT CAUGHT'
}

const asked = bugs.filter(({ name }) => options.only === null || options.only === name)
const waiting = [...asked]
let caught = 0

const work = async (): Promise<void> => {
  const folder = makeCopy()
  const wasGreen = new Map<string, boolean>()
  try {
    for (let bug = waiting.shift(); bug !== undefined; bug = waiting.shift()) {
      const verdict = await judge(folder, bug, wasGreen)
      if (verdict === 'caught') caught += 1
      print(`${verdict}: ${bug.name} (${bug.breaks})`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

await Promise.all(Array.from({ length: Math.max(1, options.jobs) }, work))
print(`caught ${caught} of ${asked.length} seeded`)
print(`${caught} passed, ${asked.length - caught} failed`)
process.exitCode = caught === asked.length ? 0 : 1
