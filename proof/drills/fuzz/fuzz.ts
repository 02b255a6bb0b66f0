// The fuzzer: requests of every operation with something wrong about them, in process and over sockets, on both stores.
// No answer is a fault, each is as the OpenAPI document says, memory stays flat, and an honest caller beside them is served.
import { makeBound } from '../../options.ts'
import { formatCount, print, readOptions, runOnStores } from '../drill.ts'
import { type StoreKind, STORES } from '../stores.ts'

const options = readOptions({ requests: 100_000, sockets: false, store: STORES, together: 32, first: 0 })

/** Each round has a service of its own, whose log and watch are read at its end. */
const ROUND = 10_000
/** What the process may gain between the first third of the rounds and the last. */
const GROWTH_MIB_MAX = 200

const isOver = makeBound(options)
const violations: string[] = []
let sent = 0
const residentMiB = (): number => process.memoryUsage().rss / 1_048_576

const total = (answers: ReadonlyMap<string, number>): string =>
  [...answers]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([status, count]) => `${status}: ${formatCount(count)}`)
    .join(', ')

const fuzzStore = async (store: StoreKind): Promise<void> => {
  process.env['MINTMARK_TEST_STORE'] = store
  const { fuzzService } = await import('./fuzz-service.ts')
  const memory: number[] = []
  for (let round = options.first; round * ROUND < options.requests && !isOver(); round += 1) {
    const seed = (options.seed + round) >>> 0
    const requests = Math.min(ROUND, options.requests - round * ROUND)
    const began = performance.now()
    const { answers, wrong } = await fuzzService({
      seed,
      requests,
      overSockets: options.sockets,
      atOnce: options.together,
    })
    sent += requests
    memory.push(residentMiB())
    const rate = Math.round((1000 * requests) / (performance.now() - began))
    print(`  ${store}, seed ${seed}: ${rate}/s, ${Math.round(residentMiB())} MiB; ${total(answers)}`)
    violations.push(...wrong.map(one => `${store}, seed ${seed}: ${one}`))
  }
  const third = Math.ceil(memory.length / 3)
  const growth = Math.max(...memory.slice(-third)) - Math.max(...memory.slice(0, third))
  if (memory.length >= 6 && growth > GROWTH_MIB_MAX)
    violations.push(`${store}: memory grew by ${Math.round(growth)} MiB`)
}

await runOnStores({
  name: 'Fuzz',
  options,
  violations,
  perform: store => fuzzStore(store.kind),
  summary: () => `${formatCount(sent)} requests ${options.sockets ? 'over sockets' : 'in process'}`,
})
process.exit()
