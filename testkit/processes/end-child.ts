// A process that was started here: whether it is still there, and its end.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

export const isThere = (child: ChildProcess | undefined): child is ChildProcess =>
  child !== undefined && child.exitCode === null && child.signalCode === null

/** Sends it the signal and waits until it has ended; nothing is left to do where it had. */
export const endChild = async (child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> => {
  if (!isThere(child)) return
  const gone = once(child, 'exit')
  child.kill(signal)
  await gone
}
