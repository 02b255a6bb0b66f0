// The frame of every drill: its options, a folder and stores of its own, what was wrong, its one line of result and its exit code.
import { type Bounded, type Defaults, type Options, readOptions as readAll } from '../options.ts'
import { type DrillFolder, makeDrillFolder } from './cluster/drill-folder.ts'
import { prepareService, type ServiceUnderDrill } from './service-under-drill.ts'
import { type StoreKind, type StoreUnderDrill, storesUnderDrill } from './stores.ts'

/** The exit code of a drill for which the machine lacks something. */
export const CANNOT_RUN = 2

const SEED_MAX = 0xffff_ffff

export const print = (line: string): void => void process.stdout.write(`${line}\n`)

/** Reads the options of a drill, `--minutes`, and `--seed` of all that it draws. */
export const readOptions = <const D extends Defaults>(defaults: D): Options<D & { readonly seed: number }> & Bounded =>
  readAll({ ...defaults, seed: Math.floor(Math.random() * SEED_MAX) })

export const formatCount = (count: number): string => count.toLocaleString('en-US')

const SHOWN_MAX = 20

/** Prints what was wrong, what was done, and the one line of result. */
export const conclude = (violations: readonly string[], summary: string): void => {
  for (const violation of violations.slice(0, SHOWN_MAX)) print(`VIOLATION: ${violation}`)
  if (violations.length > SHOWN_MAX) print(`… and ${violations.length - SHOWN_MAX} more`)
  print(`${summary}: ${formatCount(violations.length)} violation${violations.length === 1 ? '' : 's'}`)
  print(violations.length === 0 ? '1 passed, 0 failed' : '0 passed, 1 failed')
  process.exitCode = violations.length === 0 ? 0 : 1
}

/** What was thrown, in its order: several where more than one part could not be ended. */
const faultsIn = (fault: unknown): readonly unknown[] =>
  fault instanceof SuppressedError ? [...faultsIn(fault.suppressed), ...faultsIn(fault.error)] : [fault]

/** A drill that cannot go on, or cannot be ended, has failed too, and prints its result all the same. */
const attempt = async (violations: string[], what: 'go on' | 'be ended', step: () => Promise<void>): Promise<void> => {
  try {
    await step()
  } catch (fault) {
    const messages = faultsIn(fault).map(each => (each instanceof Error ? each.message : String(each)))
    violations.push(...messages.map(message => `The drill could not ${what}: ${message}`))
  }
}

/**
 * Performs a drill, and then ends what it has started, the last first, whatever becomes of the others. What fails is among
 * the violations; what stops the drill is there before anything ends.
 */
export const performAll = async (
  violations: string[],
  perform: (started: AsyncDisposableStack) => Promise<void>,
): Promise<void> => {
  const started = new AsyncDisposableStack()
  await attempt(violations, 'go on', () => perform(started))
  await attempt(violations, 'be ended', () => started.disposeAsync())
}

type Drill = {
  readonly name: string
  readonly options: object
  /** What `perform` finds as it goes. */
  readonly violations: string[]
  /** Starts what the drill needs, ends it with what it has started, and puts stores and logs into the folder. */
  readonly perform: (started: AsyncDisposableStack, folder: DrillFolder) => Promise<void>
  /** What was done so far, in one line. */
  readonly summary: () => string
}

/**
 * Performs a drill: prints its options, what was wrong, what was done, and the one line of result. The folder of one that failed is kept
 * for a look.
 */
export const runDrill = async ({ name, options, perform, violations, summary }: Drill): Promise<void> => {
  print(`${name}: ${JSON.stringify(options)}`)
  const folder = makeDrillFolder()
  await performAll(violations, started => perform(started, folder))
  await folder.close(violations.length > 0)
  if (violations.length > 0) print(`Stores and logs are kept in ${folder.path}`)
  conclude(violations, summary())
}

type OnStores = Omit<Drill, 'perform'> & {
  readonly options: { readonly store: StoreKind | null }
  readonly stores?: readonly StoreUnderDrill[]
  readonly perform: (store: StoreUnderDrill, started: AsyncDisposableStack, folder: DrillFolder) => Promise<void>
}

/** Runs a drill on one store after another. A store on which the drill cannot go on does not keep it from the others. */
export const runOnStores = (drill: OnStores): Promise<void> => {
  const { options, violations, perform, stores = storesUnderDrill(options.store) } = drill
  return runDrill({
    ...drill,
    perform: async (_started, folder) => {
      for (const store of stores) await performAll(violations, started => perform(store, started, folder))
    },
  })
}

type OnService = Omit<Drill, 'perform'> & {
  readonly options: { readonly workers: number | null }
  readonly perform: (service: ServiceUnderDrill) => Promise<void>
}

/** Runs a drill on one service with the embedded store, which the drill starts, kills and starts again. */
export const runOnService = (drill: OnService): Promise<void> =>
  runDrill({
    ...drill,
    perform: async (started, folder) => {
      const service = await prepareService(folder.path, drill.options.workers)
      started.defer(service.close)
      await drill.perform(service)
    },
  })
