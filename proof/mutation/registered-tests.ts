// Stands in for node:test while mutants are tried: keeps the tests of a file as they register, and performs them in order, as
// often as it is asked, in this process. Node's own runner performs the tests of a process once.
import { mock } from 'node:test'

/** What this is the substitute for: only what the tests of pure functions use. */
type Perform = (context: object) => unknown
type Registered = { readonly name: string; readonly perform: Perform }

/** Long: on a machine that does other things a test that is merely late must not count as one that failed. */
const TEST_MS_MAX = 20_000

/** The tests of a file, and what it does after the last. */
export type TestFile = { readonly tests: readonly Registered[]; readonly ends: readonly (() => unknown)[] }

let registered: Registered[] = []
let ending: (() => unknown)[] = []

const functionOf = (rest: readonly unknown[]): Perform => rest.find(one => typeof one === 'function') as Perform // as node:test wants it

export const test = (name: string, ...rest: readonly unknown[]): void => {
  registered.push({ name, perform: functionOf(rest) })
}

export const suite = (_name: string, ...rest: readonly unknown[]): void => void functionOf(rest)({})

export const after = (end: () => unknown): void => void ending.push(end)

const inTime = async (work: unknown): Promise<void> => {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('The test does not end.')), TEST_MS_MAX)
  try {
    await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

const performOne = async ({ perform }: Registered): Promise<void> => {
  const ends: (() => unknown)[] = []
  const context = {
    mock,
    after: (end: () => unknown) => void ends.push(end),
    test: (_name: string, ...rest: readonly unknown[]) => inTime(functionOf(rest)(context)),
  }
  try {
    await inTime(perform(context))
  } finally {
    for (const end of ends) await end()
    mock.reset()
  }
}

/** What has registered since the last call. */
export const takeRegistered = (): TestFile => {
  const taken = { tests: registered, ends: ending }
  registered = []
  ending = []
  return taken
}

/** Returns the name of the first test that fails; undefined: none does. */
export const performFile = async ({ tests, ends }: TestFile): Promise<string | undefined> => {
  try {
    for (const one of tests) {
      try {
        await performOne(one)
      } catch (fault) {
        return `${one.name}: ${String(fault)}`
      }
    }
    return undefined
  } finally {
    for (const end of ends) await end()
  }
}
