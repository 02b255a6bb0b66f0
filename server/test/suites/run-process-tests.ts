// Runs the tests of real processes, signals and sockets: `npm run test:process`. Real time passes in them, so one file runs at a
// time. A file that fails runs once more alone; if it then passes it is unsteady, which the end of the report says by its name.
import { globSync } from 'node:fs'
import { join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { run } from 'node:test'
import { spec, type TestEvent } from 'node:test/reporters'
import { globalSetup, globalTeardown } from './memory-folder.ts'
import { PROCESS_TESTS } from './process-tests.ts'
import { countSuites } from './reporter.ts'

const ROOT = join(import.meta.dirname, '../../..')
/** The longest file takes 10 s on two quiet cores. */
const FILE_SECONDS_MAX = 240
const LOADED_FIRST = ['time-limit.ts', 'resolve-sources.ts'].map(name => join(import.meta.dirname, name))

const COUNTED = /^(?:tests|suites|pass|fail|cancel\w+|skipped|todo|duration_ms) [\d.]+$/

const print = (line: string): void => void process.stdout.write(`${line}\n`)

type Outcome = { readonly passed: number; readonly failed: number; readonly skipped: number }

const ENVIRONMENT = { TEST_FILE_SECONDS_MAX: String(FILE_SECONDS_MAX) }

/** Runs one file in a process of its own and prints its report. */
const runFile = async (file: string): Promise<Outcome> => {
  const outcome = { passed: 0, failed: 0, skipped: 0 }
  const execArgv = LOADED_FIRST.flatMap(path => ['--import', path])
  const events: AsyncIterable<TestEvent> = run({ files: [file], execArgv, env: { ...process.env, ...ENVIRONMENT } })
  const counted = async function* (): AsyncGenerator<TestEvent> {
    for await (const event of countSuites(events)) {
      if (event.type === 'test:summary' && event.data.file === undefined) {
        const { tests, passed, skipped, todo } = event.data.counts
        const failed = tests - passed - skipped - todo
        Object.assign(outcome, { passed, skipped, failed: event.data.success ? failed : Math.max(1, failed) })
      }
      // Each file would end with counts of its own. What else is said outside of a test is an error that came there.
      if (event.type !== 'test:diagnostic' || event.data.nesting > 0 || !COUNTED.test(event.data.message)) yield event
    }
  }
  for await (const text of Readable.from(counted()).compose(spec())) process.stdout.write(text as string)
  return outcome
}

const wanted = process.argv.slice(2)
const files = globSync(wanted.length > 0 ? wanted : [...PROCESS_TESTS], { cwd: ROOT }).toSorted()
const total = { passed: 0, failed: 0, skipped: 0 }
const unsteady: string[] = []

globalSetup()
for (const name of files) {
  const began = performance.now()
  let outcome = await runFile(join(ROOT, name))
  if (outcome.failed > 0) {
    print(`${name} failed and runs once more.`)
    outcome = await runFile(join(ROOT, name))
    if (outcome.failed === 0) unsteady.push(name)
  }
  for (const count of ['passed', 'failed', 'skipped'] as const) total[count] += outcome[count]
  print(`${relative('server/test/process', name)}: ${((performance.now() - began) / 1000).toFixed(1)} s`)
}
globalTeardown()

for (const name of unsteady) print(`UNSTEADY ${name}`)
print(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0
