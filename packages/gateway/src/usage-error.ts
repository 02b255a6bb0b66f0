// A mistake of the person who starts the process: one line, and exit code 2.

export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Throws what was wrong, what was expected, and so what to do. */
export const misuse = (what: string): never => {
  throw new UsageError(what)
}
