// Recognises operators through the main thread: a provider's keys are held, and asked for, once in a process.
import { Unavailable } from '../domain/refusal.ts'
import type { Operators } from '../ports.ts'
import type { Verification, VerificationAnswer } from './thread-messages.ts'

type RelayedOperators = Operators & {
  /** Takes an answer of the main thread. */
  readonly settle: (verification: number, answer: VerificationAnswer) => void
}

type Waiting = { readonly resolve: (verified: Verification) => void; readonly reject: (fault: Error) => void }

/** `ask` hands a JWT to the main thread, which answers every one. */
export const relayOperators = (ask: (verification: number, jwt: string) => void): RelayedOperators => {
  const waiting = new Map<number, Waiting>()
  let last = 0
  return {
    verify: jwt =>
      new Promise((resolve, reject) => {
        last += 1
        waiting.set(last, { resolve, reject })
        ask(last, jwt)
      }),
    settle: (verification, answer) => {
      const one = waiting.get(verification)
      waiting.delete(verification)
      if ('verified' in answer) one?.resolve(answer.verified)
      else one?.reject(answer.failed === 'unavailable' ? new Unavailable(answer.message) : new Error(answer.message))
    },
  }
}

/** The main thread's side: an answer for each JWT, whatever happens. */
export const answerVerification = async (operators: Operators, jwt: string): Promise<VerificationAnswer> => {
  try {
    return { verified: await operators.verify(jwt) }
  } catch (fault) {
    const message = fault instanceof Error ? fault.message : String(fault)
    return { failed: fault instanceof Unavailable ? 'unavailable' : 'fault', message }
  }
}
