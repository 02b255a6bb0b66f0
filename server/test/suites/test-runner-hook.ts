// Ends the async hook of Node's test runner once all tests of a process are known. The runner finds by it which suite a call of
// `test` or `before` belongs to, and which test an uncaught error came from. It sees every promise, which takes an eighth of the
// processor time of the tests that send requests.
import { type AsyncHook, createHook } from 'node:async_hooks'
import { inspect } from 'node:util'

type Prototype = Pick<AsyncHook, 'enable'>

const prototype = Object.getPrototypeOf(createHook({})) as Prototype
const { enable } = prototype

let hook: AsyncHook | undefined

// The runner enables its hook at the first call of `test`, `suite` or `before`, and keeps it to itself.
prototype.enable = new Proxy(enable, {
  apply: (target, runnerHook: AsyncHook) => {
    hook = runnerHook
    prototype.enable = enable
    return target.call(runnerHook)
  },
})

const print = (fault: unknown): void => void process.stderr.write(`${inspect(fault)}\n`)

/** From now on an uncaught error fails the file and not a test of it, so its stack is printed, which says where it came from. */
export const endRunnerHook = (): void => {
  hook?.disable()
  process.on('uncaughtExceptionMonitor', print).on('unhandledRejection', print)
}
