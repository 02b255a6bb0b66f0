// Where problems of background work go: counted, the last one kept, each handed to a hook; and never thrown. Hooks are called
// here alone, and may be async.
import type { Hook, Hooks } from './options.ts'
import type { Status } from './verifier.ts'
import type { Runtime } from './wire/runtime.ts'

export type Journal = {
  readonly report: (problem: string) => void
  readonly failures: () => number
  readonly last: () => Status['lastFailure']
  /** Calls a hook: what it throws, or rejects with later, is a problem, and none of the caller's. */
  readonly notify: <T>(hook: Hook<T> | undefined, makeValue: () => T) => void
}

const call = async <T>(hook: Hook<T>, makeValue: () => T, failed: () => void): Promise<void> => {
  try {
    // Not before verify() has returned: a hook may call it again.
    await Promise.resolve()
    await hook(makeValue())
  } catch {
    failed()
  }
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
    if (hooks.failed !== undefined)
      void call(
        hooks.failed,
        () => problem,
        () => note('The hook failed threw.'),
      )
  }
  return {
    report,
    failures: () => failures,
    last: () => last,
    notify: (hook, makeValue) => {
      if (hook !== undefined) void call(hook, makeValue, () => report('A hook threw.'))
    },
  }
}
