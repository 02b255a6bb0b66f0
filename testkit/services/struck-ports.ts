// Ports of a service under a test's hand: which calls were made, and what happens in their place.
import type { Ports } from '../../server/src/ports/ports.ts'
import { monotonicMs } from '../../server/src/store/clocks.ts'

/** Runs in place of a call, or before it: `real` makes the call itself. */
type Struck = (real: () => unknown) => unknown

export type StruckPorts = {
  /** What replaces calls, by `port.method`. */
  readonly struck: Map<string, Struck>
  /** The calls as `port.method`, since the ports were healed. */
  readonly called: Set<string>
  /** Those of the calls whose result is waited for. */
  readonly awaited: Set<string>
  /** Wraps the ports; an option of `startServer`. */
  readonly break: (ports: Ports) => Ports
  /** Sets the deadlines' clock ahead of the machine's by so many ms more. */
  readonly advance: (ms: number) => void
  readonly heal: () => void
}

export const WATCHED = ['ledger', 'agents', 'apiKeys', 'feed', 'signingKeys', 'health', 'operators'] as const

export const strikePorts = (watched: readonly (keyof Ports)[] = WATCHED): StruckPorts => {
  const struck = new Map<string, Struck>()
  const called = new Set<string>()
  const awaited = new Set<string>()
  let ahead = 0

  const watch = <Port extends object>(name: string, port: Port): Port =>
    new Proxy(port, {
      get: (target, method) => {
        const real: unknown = Reflect.get(target, method)
        if (typeof real !== 'function') return real
        const call = `${name}.${String(method)}`
        return (...values: readonly unknown[]): unknown => {
          called.add(call)
          const run = (): unknown => Reflect.apply(real, target, values)
          const result = struck.get(call)?.(run) ?? run()
          if (result instanceof Promise) awaited.add(call)
          return result
        }
      },
    })

  return {
    struck,
    called,
    awaited,
    break: ports => ({
      ...ports,
      ...Object.fromEntries(
        watched.flatMap(name => {
          const port = ports[name]
          return typeof port === 'object' && port !== null ? [[name, watch(name, port)]] : []
        }),
      ),
      monotonic: () => monotonicMs() + ahead,
    }),
    advance: ms => {
      ahead += ms
    },
    heal: () => {
      struck.clear()
      called.clear()
      awaited.clear()
      ahead = 0
    },
  }
}
