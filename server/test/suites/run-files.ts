// Runs many files of tests in one process: to load the service takes longer than most files take to run. Each file is a
// suite with hooks of its own, and runs alone as well.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { before, suite } from 'node:test'
import { endRunnerHook } from './test-runner-hook.ts'

/** Files of a folder below server/test: `NAME.test.ts` each. */
export type TestFiles = readonly [folder: string, names: readonly string[]]

const TESTS = join(import.meta.dirname, '..')
const ENDING = '.test.ts'

/**
 * No test begins before all files are loaded: to compile one takes the thread, under load for so long that PostgreSQL ends
 * the transaction that a test of another file has open.
 */
export const runFiles = async (...all: readonly TestFiles[]): Promise<void> => {
  const loaded = Promise.withResolvers<undefined>()
  before(() => loaded.promise)
  for (const [folder, names] of all) {
    for (const name of names) {
      const file = `${folder}/${name}`
      const over = Promise.withResolvers<undefined>()
      // The promise of a suite is kept only when its tests are over; a file that cannot be loaded fails its suite.
      void suite(file, () => import(`../${file}${ENDING}`).finally(() => over.resolve(undefined)))
      await over.promise
    }
  }
  endRunnerHook()
  loaded.resolve(undefined)
}

/** All files of the folders. */
export const runFolders = (...folders: readonly string[]): Promise<void> =>
  runFiles(
    ...folders.map(folder => {
      const files = readdirSync(join(TESTS, folder)).filter(name => name.endsWith(ENDING))
      return [folder, files.map(name => name.slice(0, -ENDING.length)).toSorted()] as const
    }),
  )

/** The same files on PostgreSQL, of tests that are written for either store. */
export const runOnPostgres = (...all: readonly TestFiles[]): Promise<void> => {
  process.env['MINTMARK_TEST_STORE'] = 'postgres'
  return runFiles(...all)
}
