// Why a serving thread does not start, passed to the thread that runs the process: an error loses its class on the way.
import { Unavailable } from '../domain/refusal.ts'
import { StartRefused } from '../config/start-refused.ts'
import type { RefusedStart } from './thread-messages.ts'

/** Undefined for a fault of ours, which is thrown on with its stack. */
export const refusedStart = (fault: unknown): RefusedStart | undefined => {
  if (fault instanceof StartRefused) return { state: 'refused', message: fault.message }
  return fault instanceof Unavailable ? { state: 'unavailable', message: fault.message } : undefined
}

/** The same error again, on the other side. */
export const startFailureOf = ({ state, message }: RefusedStart): Error =>
  state === 'refused' ? new StartRefused(message) : new Unavailable(message)
