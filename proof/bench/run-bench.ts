// Runs a bench command: what it started is ended with it, and a failure is one line and exit code 1.

/** A measurement is no test: only an answer that was not expected, or a fault, makes the command fail. */
export const runBench = async (run: () => Promise<void>): Promise<void> => {
  // An exit runs what server-process.ts does at the end; the default of a signal would not.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  try {
    await run()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
