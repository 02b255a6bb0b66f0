// Runs a bench command: what it started is ended with it, and a failure is one line and exit code 1.
import type { Bounded } from '../options.ts'

/** A round that has begun when the minutes are over may take so long again. */
const SPARE_MS = 60_000

/**
 * A measurement is no test: only an answer that was not expected, or a fault, makes the command fail. Rounds end by themselves once the
 * minutes are over; what fills a store, or has no rounds, is ended here.
 */
export const runBench = async ({ minutes }: Bounded, run: () => Promise<void>): Promise<void> => {
  // An exit runs what server-process.ts does at the end; the default of a signal would not.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  const giveUp = (): never => {
    console.error(`It had not ended after ${minutes} minutes: choose smaller sizes.`)
    return process.exit(1)
  }
  const timer = minutes === null ? undefined : setTimeout(giveUp, 60_000 * minutes + SPARE_MS)
  try {
    await run()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  } finally {
    clearTimeout(timer)
  }
}
