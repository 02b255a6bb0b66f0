// Wires metrics: the memory that all threads of a process record in, and the listener that scrapers ask.
import type { Logger } from 'pino'
import type { MetricsConfig } from '../config/telemetry.ts'
import { refuseListening } from '../config/start-refused.ts'
import { type Layout, makeLayout, type OpenLists } from '../metrics/layout.ts'
import { makeSlab, type Slab, type ThreadMemory } from '../metrics/memory.ts'
import { readMemory } from '../metrics/read-memory.ts'
import { openThreadMetrics } from '../metrics/watch-thread.ts'
import { type Metrics, NO_METRICS } from '../ports/metrics.ts'
import type { Timing } from '../ports/timing.ts'
import { BACKGROUND_TASKS, type OnFault } from '../store/background.ts'
import type { MetricFacts } from '../store/metrics/facts.ts'
import { SERVING_TASKS } from './log.ts'
import { followFacts } from './follow-facts.ts'

/** The metrics of a process. */
export type ProcessMetrics = {
  /** The metrics of the main thread. */
  readonly main: Metrics
  /** Memory for one more thread, and for those that replace it. Null: nothing is measured. */
  readonly addThread: () => ThreadMemory | null
  /** Reads the facts of the store now and again, until `close`. */
  readonly follow: (facts: () => Promise<MetricFacts>, onFault: OnFault) => void
  /** Answers scrapers until `close`, or throws a StartRefused. */
  readonly serve: (onFault: (fault: unknown) => void, logger: Pick<Logger, 'warn'>) => Promise<void>
  readonly close: () => Promise<void>
}

const OFF: ProcessMetrics = {
  main: NO_METRICS,
  addThread: () => null,
  follow: () => undefined,
  serve: () => Promise.resolve(),
  close: () => Promise.resolve(),
}

const readLists = async (): Promise<OpenLists> => {
  const [{ OPERATIONS }, { ERRORS }] = await Promise.all([
    import('../../../api/operations.ts'),
    import('../http/wire/error-reference.ts'),
  ])
  return {
    operations: OPERATIONS.map(({ id }) => id),
    codes: Object.keys(ERRORS),
    tasks: [...BACKGROUND_TASKS, ...SERVING_TASKS],
  }
}

/** Loads what only scrapes need. */
const makeExposing = async (layout: Layout, slabs: readonly Slab[], timing: Timing) => {
  const [{ makeFresh }, { makeNegotiator }, { formatText }, { makeProcessMetrics }] = await Promise.all([
    import('../metrics/metrics-server.ts'),
    import('../domain/text/accept.ts'),
    import('../metrics/text-format.ts'),
    import('../metrics/process-metrics.ts'),
  ])
  const readProcess = makeProcessMetrics()
  const negotiate = makeNegotiator('text/plain', 'application/openmetrics-text')
  const expose = makeFresh(async (type: ReturnType<typeof negotiate>) => {
    return formatText([...readMemory(layout, slabs), ...(await readProcess())], type)
  }, timing)
  return (accept: string | undefined) => expose(negotiate(accept))
}

/** Opens the metrics of the process; called once, in its main thread. */
export const openProcessMetrics = async (config: MetricsConfig, timing: Timing): Promise<ProcessMetrics> => {
  if (config === null) return OFF
  const { host, port, isOptional } = config
  const lists = await readLists()
  const layout = makeLayout(lists)
  const slabs: Slab[] = []
  const addThread = (): ThreadMemory => {
    const slab = makeSlab(layout)
    slabs.push(slab)
    return { lists, slab }
  }
  const stopping = new AsyncDisposableStack()
  const main = openThreadMetrics(addThread(), 'main', timing)
  return {
    main,
    addThread,
    follow: (read, onFault) => stopping.defer(followFacts(main, { read, onFault, timing })),
    serve: async (onFault, logger) => {
      const [{ startMetricsServer }, expose] = await Promise.all([
        import('../metrics/metrics-server.ts'),
        makeExposing(layout, slabs, timing),
      ])
      try {
        stopping.adopt(await startMetricsServer({ host, port, expose, onFault, timing }), server => server.close())
      } catch (error) {
        const refused = refuseListening(error, { host, port, variable: 'MINTMARK_METRICS_ADDRESS' })
        if (!isOptional || refused === error) throw refused
        logger.warn(
          { host, port },
          'nobody can scrape metrics: the port is taken; MINTMARK_METRICS_ADDRESS sets another',
        )
      }
    },
    close: () => stopping.disposeAsync(),
  }
}
