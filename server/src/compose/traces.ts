// Opens traces in a thread that serves, and puts them in front of its ports.
import packageJson from '../../package.json' with { type: 'json' }
import type { TracesConfig } from '../config/telemetry.ts'
import type { Ports } from '../ports/ports.ts'
import type { Timing } from '../ports/timing.ts'
import { NO_TRACES, type StepName, type Traces } from '../ports/traces.ts'
import type { FaultLog } from './log.ts'

type RunningTraces = {
  readonly traces: Traces
  /** Exports what waits, for a few seconds at most. */
  readonly close: () => Promise<void>
}

const OFF: RunningTraces = { traces: NO_TRACES, close: () => Promise.resolve() }

/** Loads the SDK only where something is traced. */
export const openTraces = async (
  config: TracesConfig,
  report: FaultLog,
  timing: Pick<Timing, 'traceExportMs' | 'traceFlushMs'>,
): Promise<RunningTraces> => {
  if (config === null) return OFF
  const { startTraces } = await import('../traces/start-traces.ts')
  const onFault = (fault: unknown): void => report('export of traces', fault)
  return startTraces({ ...config, version: packageJson.version, onFault, timing })
}

/** The step that each method is, for those that take time. What is missing has no span. */
const STEPS = {
  ledger: {
    find: 'read the store',
    insert: 'write to the store',
    exclusively: 'write to the store',
    end: 'write to the store',
    endAll: 'write to the store',
    show: 'read the store',
    selectAgents: 'read the store',
    listLive: 'read the store',
    listEnded: 'read the store',
  },
  dryRuns: {
    changeAgent: 'read the store',
    disableAgent: 'read the store',
    deleteAgent: 'read the store',
    revokeCredential: 'read the store',
    compromiseKey: 'read the store',
  },
  revocations: {
    create: 'write to the store',
    dryRun: 'read the store',
    show: 'read the store',
  },
  agents: {
    // The clients that authenticate themselves, and the key that signs.
    viewForIssue: 'authenticate',
    create: 'write to the store',
    show: 'read the store',
    list: 'read the store',
    change: 'write to the store',
    disable: 'write to the store',
    enable: 'write to the store',
    delete: 'write to the store',
  },
  apiKeys: {
    find: 'authenticate',
    create: 'write to the store',
    show: 'read the store',
    rotate: 'write to the store',
    list: 'read the store',
    revoke: 'write to the store',
  },
  credentials: {
    create: 'write to the store',
    show: 'read the store',
    list: 'read the store',
    rotate: 'write to the store',
    revoke: 'write to the store',
    findWorkload: 'authenticate',
    useAssertion: 'authenticate',
  },
  importedSecrets: { verify: 'authenticate' },
  operators: { verify: 'authenticate' },
  feed: { head: 'read the store', read: 'read the store' },
  codec: { mint: 'sign', signIntrospections: 'sign', signRevocations: 'sign' },
} as const satisfies { readonly [P in keyof Ports]?: { readonly [M in keyof Ports[P]]?: StepName } }

type Methods = Readonly<Record<string, unknown>>

const traceMethods = <Port extends object>(
  port: Port,
  steps: Readonly<Record<string, StepName>>,
  traces: Traces,
): Port => {
  const methods = port as Methods // each method of STEPS is a function of it
  const traced = Object.entries(steps).map(([name, step]): [string, unknown] => {
    const method = methods[name]
    if (typeof method !== 'function') throw new Error(`A port has no method ${name}.`)
    const call = method as (...input: readonly unknown[]) => unknown // looked at in the line before
    return [name, (...input: readonly unknown[]): unknown => traces.step(step, () => Reflect.apply(call, port, input))]
  })
  return Object.assign(Object.create(port), Object.fromEntries(traced)) as Port // its own methods, and these in front of them
}

/** The ports with a span around each step; the same ports where nothing is traced. */
export const tracePorts = (ports: Ports, traces: Traces): Ports => {
  if (traces === NO_TRACES) return ports
  const traced = Object.entries(STEPS).map(([name, steps]): [string, object] => [
    name,
    traceMethods(ports[name as keyof typeof STEPS], steps, traces),
  ])
  return { ...ports, ...Object.fromEntries(traced) }
}
