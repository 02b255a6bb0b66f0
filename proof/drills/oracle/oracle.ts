// The oracle drill: neither the answers nor their times show a caller why a credential or a token is refused. docs/development/drills.md
// says what it shows and what it cannot.
import { once } from 'node:events'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { join } from 'node:path'
import { makeBound } from '../../options.ts'
import type { DrillFolder } from '../cluster/drill-folder.ts'
import { formatCount, performAll, print, readOptions, runOnStores } from '../drill.ts'
import type { Variables } from '../service-under-drill.ts'
import { STORES, type StoreUnderDrill } from '../stores.ts'
import { makeWorld } from '../strangers/world.ts'
import { type Group, makeGroups } from './groups.ts'
import { isFound, LEAK_NAMES, LEAK_VARIABLE, type SeededLeak, SEEDED_LEAKS } from './seeded-leaks.ts'
import { differenceOf } from './responses.ts'
import type { Sampled, Sampling } from './sampler.ts'
import { type Difference, differencesOf, greatestOf, isLeak, shiftOf, type TwoSets } from './welch.ts'

const GROUPS = ['client', 'api-key', 'inactive'] as const
const WARM_UP_SAMPLES = 3000

const options = readOptions({
  samples: 1_000_000,
  'per-connection': 100,
  group: GROUPS,
  leak: LEAK_NAMES,
  store: STORES,
  workers: 1,
})
const isOver = makeBound(options)
const violations: string[] = []
const seeded: SeededLeak | null = options.leak === null ? null : SEEDED_LEAKS[options.leak]
let compared = 0

const sample = async (sampling: Sampling): Promise<Sampled> => {
  const workerData = { sampling, seed: options.seed }
  const thread = new Worker(new URL('./sampler-thread.ts', import.meta.url), { workerData })
  const [sampled] = (await once(thread, 'message')) as [Sampled]
  await thread.terminate()
  return sampled
}

type Pair = Group['pairs'][number]
type Compared = {
  readonly title: string
  readonly differences: readonly Difference[]
  readonly times: TwoSets
  readonly answersDiffer: string | null
}

const statusesIn = (answers: ReadonlySet<string>): string =>
  [...new Set([...answers].map(answer => answer.slice(9, 12)))].join(', ')

/** Prints what became of one pair. */
const compare = (group: Group, sampled: Sampled, store: string, pair: Pair): Compared => {
  const names = Object.keys(group.classes)
  const [one, other] = pair
    .map(name => names.indexOf(name))
    .map(n => ({
      times: sampled.times[n] ?? new Float64Array(),
      answers: sampled.answers[n] ?? new Set<string>(),
    }))
  if (one === undefined || other === undefined) throw new Error(`There is no pair ${pair.join()}.`)
  const title = `${store}, ${group.name}: ${pair[0]} against ${pair[1]}`
  const differences = differencesOf(one.times, other.times)
  const greatest = greatestOf(differences)
  if (greatest === undefined) throw new Error(`${title}: too few samples.`)
  const { t, effectUs, kept } = greatest
  const figures = `t ${t.toFixed(1)}, ${effectUs.toFixed(2)} µs of the fastest ${100 * kept} %`
  print(`${isLeak(greatest) ? 'LEAK' : 'ok  '}  ${title}: ${figures}; answered ${statusesIn(one.answers)}`)
  compared += 1
  return {
    title,
    differences,
    times: [one.times, other.times],
    answersDiffer: differenceOf(one.answers, other.answers),
  }
}

const isAsked = ({ name }: Group, n: number): boolean =>
  (options.group === null || GROUPS[n] === options.group) && (seeded === null || seeded.group === name)

/** Compares all pairs on a service of its own. */
const runService = async (
  store: StoreUnderDrill,
  folder: DrillFolder,
  variables: Variables,
): Promise<readonly Compared[]> => {
  const all: Compared[] = []
  await performAll(violations, async started => {
    const world = await makeWorld(store, { folder, workers: options.workers, print, variables }, started)
    await world.start()
    for (const group of (await makeGroups(world)).filter(isAsked)) {
      if (isOver()) break
      const classes = Object.values(group.classes)
      const sampling = { port: world.access.port, classes, perConnection: options['per-connection'] }
      await sample({ ...sampling, samplesEach: WARM_UP_SAMPLES })
      const sampled = await sample({ ...sampling, samplesEach: Math.ceil(options.samples / 2) })
      all.push(...group.pairs.map(pair => compare(group, sampled, store.kind, pair)))
    }
  })
  return all
}

const judge = ({ title, differences, answersDiffer }: Compared): void => {
  const greatest = greatestOf(differences)
  if (answersDiffer !== null) violations.push(`${title}: the answers differ: ${answersDiffer}`)
  if (greatest !== undefined && isLeak(greatest)) violations.push(`${title}: ${greatest.effectUs.toFixed(2)} µs`)
}

/** Compares the pairs on the service as it is, and with a seeded leak: the difference must move by as much. */
const seekLeak = async (leak: SeededLeak, store: StoreUnderDrill, folder: DrillFolder): Promise<void> => {
  const preload = pathToFileURL(join(import.meta.dirname, 'preload.ts')).href
  const variables = { [LEAK_VARIABLE]: options.leak ?? '', NODE_OPTIONS: `--import ${preload}` }
  const title = `${store.kind}, ${leak.group}: ${leak.pair.join(' against ')}`
  const [before, after] = [await runService(store, folder, {}), await runService(store, folder, variables)].map(
    all => all.find(each => each.title === title)?.times,
  )
  if (before === undefined || after === undefined) return void violations.push(`${title}: nothing was measured`)
  const moved = shiftOf(before, after)
  print(`seeded ${options.leak}: ${title} moved by ${moved.shiftUs.toFixed(2)} µs, t ${moved.t.toFixed(1)}`)
  if (!isFound(leak, moved)) violations.push(`${title}: the seeded ${leak.shiftUs} µs were not found`)
}

await runOnStores({
  name: 'Oracle',
  options,
  violations,
  perform: async (store, _started, folder) => {
    if (seeded !== null) return seekLeak(seeded, store, folder)
    for (const each of await runService(store, folder, {})) judge(each)
  },
  summary: () => `${compared} pairs of ${formatCount(options.samples)} samples`,
})
