// Where problems of background work go: counted, the last one kept, each handed to a hook; and never thrown.
import type { Hooks } from './options.ts'
import type { Status } from './verifier.ts'
import type { Runtime } from './wire/runtime.ts'

export type Journal = {
  readonly report: (problem: string) => void
  readonly failures: () => number
  readonly last: () => Status['lastFailure']
  /** Calls a hook: what it throws is a problem, and none of the caller's. */
  readonly notify: <T>(hook: ((value: T) => void) | undefined, makeValue: () => T) => void
}

export const makeJournal = (hooks: Hooks, runtime: Runtime): Journal => {
  let failures = 0
  let last: Status['lastFailure']
  const note = (problem: string): void => {
    failures += 1
    last = { at: new Date(runtime.wallMs()), problem }
  }
  const report = (problem: string): void => {
    note(problem)
    try {
      hooks.failed?.(problem)
    } catch {
      note('The hook failed threw.')
    }
  }
  return {
    report,
    failures: () => failures,
    last: () => last,
    notify: (hook, makeValue) => {
      if (hook === undefined) return
      try {
        hook(makeValue())
      } catch {
        report('A hook threw.')
      }
    },
  }
}
