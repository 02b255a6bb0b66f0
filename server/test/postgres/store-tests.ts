// Runs tests that were written for the embedded store once more, on PostgreSQL: what holds of one store holds of the other.

/** The files `FOLDER/NAME.test.ts`, in this process. */
export const testOnPostgres = async (folder: 'contract' | 'store', names: readonly string[]): Promise<void> => {
  process.env['MINTMARK_TEST_STORE'] = 'postgres'
  for (const name of names) await import(`../${folder}/${name}.test.ts`)
}
