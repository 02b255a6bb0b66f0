// The strangers drill: whatever arrives without a credential, in whatever bytes and however the connection ends, nothing
// ends, memory stays bounded, and honest callers keep their answers. docs/development/drills.md says what it shows and what it cannot.
import { makeBound } from '../../options.ts'
import { print, readOptions, runOnStores } from '../drill.ts'
import { STORES, STORES_UNDER_DRILL } from '../stores.ts'
import { endure } from './endure.ts'
import { countRevived } from './honest-callers.ts'
import { revivedLine } from './judge.ts'
import { STAGE_NAMES } from './stages.ts'
import { formatRow, TABLE_HEAD } from './table.ts'
import { makeWorld, type Service, type World } from './world.ts'

const QUICK_SECONDS = 1.5
const SHOWN_CHARACTERS = 200

const options = readOptions({ seconds: 3, quick: false, stage: STAGE_NAMES, store: STORES, workers: 2 })
const isOver = makeBound(options)
const seconds = options.quick ? QUICK_SECONDS : options.seconds
const stages = STAGE_NAMES.filter(name => options.stage === null || options.stage === name)
const stores = STORES_UNDER_DRILL.filter(({ kind }) => options.store === null || options.store === kind)
const violations: string[] = []
let [passed, restarts] = [0, 0]

/** Restarts the service after a stage that broke it, so that the next stage finds it well. */
const restart = async (world: World, service: Service): Promise<Service> => {
  await service.kill()
  restarts += 1
  const started = await world.start()
  const revived = await countRevived(world.access, world.tokens)
  if (revived > 0) violations.push(`${world.name}: ${revivedLine(revived)}, after a restart`)
  return started
}

const runStage = async (world: World, service: Service, stage: string): Promise<readonly string[]> => {
  try {
    const { observed, wrong } = await endure(world, service, { stage, seconds, seed: options.seed })
    print(formatRow({ store: world.name, stage, isGood: wrong.length === 0, observed }))
    return wrong
  } catch (fault) {
    print(`${world.name}, ${stage}: RED`)
    return [`the stage could not be run: ${fault instanceof Error ? fault.message : String(fault)}`]
  }
}

const runStages = async (world: World): Promise<void> => {
  let service = await world.start()
  for (const stage of stages) {
    if (isOver()) return
    const found = (await runStage(world, service, stage)).map(wrong => wrong.slice(0, SHOWN_CHARACTERS))
    for (const wrong of found) print(`    ${wrong}`)
    if (found.length === 0) passed += 1
    else {
      violations.push(`${world.name}, ${stage}: ${found.join('; ')}`)
      service = await restart(world, service)
    }
  }
}

await runOnStores({
  name: 'Strangers',
  options,
  stores,
  violations,
  perform: async (store, started, folder) => {
    print(TABLE_HEAD)
    await runStages(await makeWorld(store, { folder, workers: options.workers, print }, started))
  },
  summary: () => `${passed} of ${stores.length * stages.length} stages passed, ${restarts} restarts`,
})
