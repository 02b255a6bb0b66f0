// The oracle drill: neither the answers nor their times tell a caller why a credential or a token is refused. docs/drills.md
// says what it shows and what it cannot.
import { once } from 'node:events'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { join } from 'node:path'
import { type DrillFolder, makeDrillFolder } from '../cluster/drill-folder.ts'
import { conclude, formatCount, performAll, print, readOptions } from '../drill.ts'
import type { Variables } from '../service-under-drill.ts'
import { STORES, type StoreUnderDrill, storesUnderDrill } from '../strangers/databases.ts'
import { makeWorld } from '../strangers/world.ts'
import { type Group, makeGroups } from './groups.ts'
import { PLANT_NAMES, PLANT_VARIABLE, type Plant, PLANTS } from './plants.ts'
import { differenceOf } from './responses.ts'
import type { Sampled, Sampling } from './sampler.ts'
import { differencesOf, greatestOf, isLeak } from './welch.ts'

const GROUPS = ['client', 'api-key', 'inactive'] as const
const WARM_UP_SAMPLES = 3000

const options = readOptions({
  samples: 1_000_000,
  'per-connection': 100,
  group: GROUPS,
  plant: PLANT_NAMES,
  store: STORES,
  workers: 1,
})
const violations: string[] = []
const planted: Plant | null = options.plant === null ? null : PLANTS[options.plant]
let [compared, foundPlants] = [0, 0]

const sample = async (sampling: Sampling): Promise<Sampled> => {
  const workerData = { sampling, seed: options.seed }
  const thread = new Worker(new URL('./sampler-thread.ts', import.meta.url), { workerData })
  const [sampled] = (await once(thread, 'message')) as [Sampled]
  await thread.terminate()
  return sampled
}

const isPlanted = ({ name }: Group, pair: readonly string[]): boolean =>
  planted !== null && planted.group === name && planted.pair.join() === pair.join()

type Compared = { readonly group: Group; readonly store: string; readonly sampled: Sampled }

const statusesIn = (answers: ReadonlySet<string> | undefined): string =>
  [...new Set([...(answers ?? [])].map(answer => answer.slice(9, 12)))].join(', ')

/** Prints what became of one pair, and keeps what is wrong about it. */
const compare = ({ group, store, sampled }: Compared, pair: readonly [string, string]): void => {
  const names = Object.keys(group.classes)
  const [first, second] = pair.map(name => names.indexOf(name)) as [number, number] // a pair has two names
  const [one, other] = [sampled.times[first], sampled.times[second]]
  const greatest = one === undefined || other === undefined ? undefined : greatestOf(differencesOf(one, other))
  if (greatest === undefined) return void violations.push(`${store}, ${group.name}: too few samples`)
  compared += 1
  const leaks = isLeak(greatest)
  const figures = `t ${greatest.t.toFixed(1)}, ${greatest.effectUs.toFixed(2)} µs of the fastest ${100 * greatest.kept} %`
  const title = `${store}, ${group.name}: ${pair[0]} against ${pair[1]}`
  print(`${leaks ? 'LEAK' : 'ok  '}  ${title}: ${figures}; answered ${statusesIn(sampled.answers[first])}`)
  const difference = differenceOf(sampled.answers[first] ?? new Set(), sampled.answers[second] ?? new Set())
  if (difference !== null) violations.push(`${title}: the answers differ: ${difference}`)
  if (isPlanted(group, pair)) foundPlants += leaks ? 1 : 0
  else if (leaks && planted === null) violations.push(`${title}: ${figures}`)
}

const runGroup = async (group: Group, port: number, store: string): Promise<void> => {
  const classes = Object.values(group.classes)
  const sampling = { port, classes, perConnection: options['per-connection'] }
  await sample({ ...sampling, samplesEach: WARM_UP_SAMPLES })
  const sampled = await sample({ ...sampling, samplesEach: Math.ceil(options.samples / 2) })
  for (const pair of group.pairs) compare({ group, store, sampled }, pair)
}

const plantVariables = (): Variables =>
  options.plant === null
    ? {}
    : {
        [PLANT_VARIABLE]: options.plant,
        NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, 'preload.ts')).href}`,
      }

const isAsked = ({ name }: Group, n: number): boolean =>
  (options.group === null || GROUPS[n] === options.group) && (planted === null || planted.group === name)

const runStore = (store: StoreUnderDrill, folder: DrillFolder): Promise<void> =>
  performAll(violations, async started => {
    const world = await makeWorld(
      store,
      { folder, workers: options.workers, print, variables: plantVariables() },
      started,
    )
    await world.start()
    const groups = await makeGroups(world)
    for (const group of groups.filter(isAsked)) await runGroup(group, world.access.port, store.kind)
  })

print(`Oracle: ${JSON.stringify(options)}`)
const folder = makeDrillFolder()
const stores = storesUnderDrill(options.store)
for (const store of stores) await runStore(store, folder)
await folder.close(violations.length > 0)
if (planted !== null && foundPlants < stores.length) violations.push(`The seeded leak ${options.plant} was not found`)
conclude(violations, `${compared} pairs of ${formatCount(options.samples)} samples`)
