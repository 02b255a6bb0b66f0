// The crash drill: under load the service is killed with SIGKILL or one of its threads is ended, or its machine loses power, at random
// moments, and everything that was acknowledged is checked. docs/development/drills.md says what it shows and what it cannot.
import { makeBound } from '../../options.ts'
import { formatCount, print, readOptions, runOnService } from '../drill.ts'
import { makeRandom } from '../random.ts'
import type { ServiceUnderDrill } from '../service-under-drill.ts'
import { checkIntrospection, checkLists, chooseTokens } from './check-store.ts'
import type { Crashes, Crashing } from './crashes.ts'
import { makeCuts } from './cuts.ts'
import { makeKills } from './kills.ts'
import { makeKnownTokens, requireLoad } from './known-tokens.ts'
import { startLoad } from './load.ts'

/** What crashes the service, and how often where nothing is said. */
const FAULTS = {
  kill: { make: makeKills, times: 200 },
  power: { make: makeCuts, times: 100 },
} satisfies Record<string, { readonly make: (crashing: Crashing) => Crashes; readonly times: number }>

type Fault = keyof typeof FAULTS

const PROGRESS_CRASHES = 20

const options = readOptions({
  fault: Object.keys(FAULTS) as Fault[], // the keys of a constant
  times: null,
  callers: 16,
  sample: 500,
  workers: null,
})
const { make, times } = FAULTS[options.fault ?? 'kill']
const wanted = options.times ?? times
const isOver = makeBound(options)
const random = makeRandom(options.seed)
const known = makeKnownTokens()
let crashed = 0
let describe = (): string => 'no crashes'

const makeCrashing = (service: ServiceUnderDrill): Crashing => ({
  service,
  random,
  load: () => startLoad(service.access, known, { callers: options.callers, seed: random.below(2 ** 32) }),
  known: () => known.all.size,
  check: async (since, what = 'all') => {
    const sample = what === 'all' ? options.sample : 0
    await checkIntrospection(service.access, known, chooseTokens(known, { since, sample }, random))
    if (what === 'all') await checkLists(service.access, known)
  },
})

const summary = (): string => {
  const { all, revocations, introspections } = known
  const counts = `${formatCount(all.size)} tokens, ${formatCount(revocations)} revocations`
  return `${describe()}, ${counts} checked, by ${formatCount(introspections)} introspections`
}

const perform = async (service: ServiceUnderDrill): Promise<void> => {
  const crashes = make(makeCrashing(service))
  describe = crashes.describe
  await crashes.begin()
  for (; crashed < wanted && known.violations.length === 0 && !isOver(); crashed += 1) {
    await crashes.crash()
    if ((crashed + 1) % PROGRESS_CRASHES === 0) print(`  ${summary()}`)
  }
  if (known.violations.length > 0) return
  await crashes.end()
  requireLoad(known, crashed)
}

await runOnService({ name: 'Crash', options, perform, violations: known.violations, summary })
