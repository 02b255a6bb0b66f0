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

/** The methods that take time, by the step that each is. What is missing has no span. */
const STEPS: Readonly<Partial<Record<StepName, { readonly [P in keyof Ports]?: readonly (keyof Ports[P])[] }>>> = {
  authenticate: {
    // The clients that authenticate themselves, and the key that signs.
    agents: ['viewForIssue'],
    apiKeys: ['find'],
    credentials: ['findWorkload', 'useAssertion'],
    importedSecrets: ['verify'],
    operators: ['verify'],
  },
  'read the store': {
    ledger: ['find', 'show', 'selectAgents', 'listLive', 'listEnded'],
    dryRuns: ['changeAgent', 'disableAgent', 'deleteAgent', 'revokeCredential', 'compromiseKey'],
    revocations: ['dryRun', 'show'],
    agents: ['show', 'list'],
    apiKeys: ['show', 'list'],
    credentials: ['show', 'list'],
    feed: ['head', 'read'],
  },
  'write to the store': {
    ledger: ['insert', 'exclusively', 'end', 'endAll'],
    revocations: ['create'],
    agents: ['create', 'change', 'disable', 'enable', 'delete'],
    apiKeys: ['create', 'rotate', 'revoke'],
    credentials: ['create', 'rotate', 'revoke'],
  },
  sign: { codec: ['mint', 'signIntrospections', 'signRevocations'] },
}

type Methods = Readonly<Record<string, unknown>>

const tracePort = (name: string, port: object, traces: Traces): object => {
  const methods = port as Methods // each method of STEPS is a function of it
  const traced = Object.entries(STEPS).flatMap(([step, { [name as keyof Ports]: own = [] }]) =>
    own.map((one: string) => {
      const method = methods[one]
      if (typeof method !== 'function') throw new Error(`A port has no method ${one}.`)
      const call = method as (...input: readonly unknown[]) => unknown // looked at in the line before
      const inStep = (...input: readonly unknown[]): unknown =>
        traces.step(step as StepName, () => Reflect.apply(call, port, input)) // of the table
      return [one, inStep] as const
    }),
  )
  // Its own methods, and these in front of them.
  return Object.assign(Object.create(port), Object.fromEntries(traced)) as object
}

/** The ports with a span around each step; the same ports where nothing is traced. */
export const tracePorts = (ports: Ports, traces: Traces): Ports => {
  if (traces === NO_TRACES) return ports
  const all: Readonly<Record<string, unknown>> = ports
  const names = new Set(Object.values(STEPS).flatMap(Object.keys))
  const traced = [...names].map(name => [name, tracePort(name, all[name] as object, traces)] as const)
  return { ...ports, ...Object.fromEntries(traced) }
}
