// Runs tests of the store once more, on PostgreSQL: what holds of one store holds of the other.

/** The files of these names, in this process. */
export const testOnPostgres = async (names: readonly string[]): Promise<void> => {
  process.env['MINTMARK_TEST_STORE'] = 'postgres'
  for (const name of names) await import(`../store/${name}.test.ts`)
}
