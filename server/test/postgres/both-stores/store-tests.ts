// Runs tests that were written for the embedded store once more, on PostgreSQL: what holds of one store holds of the other.
import { before } from 'node:test'

/** The files of a folder below server/test: `NAME.test.ts` each. */
export type TestFiles = readonly [folder: `${'contract' | 'store'}/${string}`, names: readonly string[]]

/**
 * Those files, in this process. No test begins before all of them are there: to compile one takes the thread, and under
 * load for so long that the server would end the transaction that a test of the file before has open.
 */
export const testOnPostgres = async (...all: readonly TestFiles[]): Promise<void> => {
  process.env['MINTMARK_TEST_STORE'] = 'postgres'
  const loaded = Promise.withResolvers<undefined>()
  before(() => loaded.promise)
  for (const [folder, names] of all) {
    for (const name of names) await import(`../../${folder}/${name}.test.ts`)
  }
  loaded.resolve(undefined)
}
