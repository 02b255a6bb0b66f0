// What a command has not finished writing: it is removed however the command ends, short of SIGKILL.

/** The signals that end a command. */
export const ENDING_SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const

/**
 * Does the work and removes what is left of it, also where a signal ends the process meanwhile. A signal waits for as long as the thread is
 * busy, as with the check of a copy.
 */
export const removingAtEnd = async <T>(remove: () => void, work: () => Promise<T>): Promise<T> => {
  const forget = (): void => {
    for (const signal of ENDING_SIGNALS) process.off(signal, end)
  }
  const end = (signal: NodeJS.Signals): void => {
    remove()
    forget()
    process.kill(process.pid, signal)
  }
  for (const signal of ENDING_SIGNALS) process.on(signal, end)
  try {
    return await work()
  } finally {
    remove()
    forget()
  }
}
