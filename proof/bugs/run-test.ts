// Runs tests of a file in a copy of the program, and says which passed and which failed.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { SeededBug } from './seeded-bug.ts'

/** A file that takes longer is ended by suites/time-limit.ts: a test that does not end has found something too. */
const FILE_SECONDS_MAX = 150

export type TestRun = {
  readonly passed: readonly string[]
  readonly failed: readonly string[]
  readonly output: string
}

const RESULT = /^\s*(not ok|ok) \d+ - (.*?)(?: # (?:SKIP|TODO).*)?$/gm

const escapePattern = (title: string): string => title.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)

/** The titles as the report has them, nested or not. `TAP` escapes `#` and the backslash. */
const titlesIn = (output: string, result: 'ok' | 'not ok'): readonly string[] =>
  [...output.matchAll(RESULT)]
    .filter(([, one]) => one === result)
    .map(([, , title = '']) => title.replaceAll(/\\([#\\])/g, '$1'))

type Asked = Pick<SeededBug, 'test' | 'store'> & { readonly titles: readonly string[] }

export const runTest = async (folder: string, { test, store, titles }: Asked): Promise<TestRun> => {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const child = spawn(
    process.execPath,
    [
      '--import',
      './server/test/suites/time-limit.ts',
      '--test',
      '--test-reporter=tap',
      ...titles.map(title => `--test-name-pattern=${escapePattern(title)}`),
      test,
    ],
    {
      cwd: folder,
      env: {
        ...env,
        NODE_COMPILE_CACHE: join(folder, '.cache'),
        TEST_FILE_SECONDS_MAX: String(FILE_SECONDS_MAX),
        MINTMARK_TEST_STORE: store ?? 'sqlite',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const ended = new Promise(resolve => child.once('close', resolve))
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  await ended
  return { passed: titlesIn(output, 'ok'), failed: titlesIn(output, 'not ok'), output: output + errors }
}

const DID_NOT_END = / did not end within \d+ s\./

/**
 * Whether the run found the bug: a test with the title failed, or did not end. A file that could not be loaded has found
 * nothing.
 */
export const hasFound = ({ failed, output }: TestRun, { title }: Pick<SeededBug, 'title'>): boolean =>
  failed.some(one => one.includes(title)) || DID_NOT_END.test(output)
