// node proof/bench/pair.ts --operation introspect: what metrics, the access log and evidence of use cost a request, as a ratio of processor time. It starts
// `serve` several times from this tree, and from the one in --tree: without any of them (twice, which shows how much the other
// ratios are worth), and with each of --features. All get the same requests in turn, in slices so short that whatever else the
// machine does meets all of them, once each has answered --requests. A ratio is the median over the rounds of two slices of one round, with its quartiles.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { startIdentityProvider } from '../../testkit/identity-providers/identity-provider.ts'
import { freePort } from '../../testkit/processes/free-port.ts'
import { threadNanoseconds } from '../../testkit/processes/process-costs.ts'
import { formatTable, median, publish, quantile, type Row } from './figures.ts'
import { type Cores, describeMachine, divideCores } from './machine.ts'
import { type Load, runClosed } from './load.ts'
import { makeMintmarkLoads, type Operation } from './mintmark-loads.ts'
import { readOptions } from '../options.ts'
import { measureRounds, microsecondsOf, type Series, type Tallies } from './rounds.ts'
import { runBench } from './run-bench.ts'
import { install, serve } from './servers/mintmark-server.ts'

const options = readOptions({
  operation: 'introspect',
  features: 'metrics,log',
  tree: '',
  seconds: 0.3,
  rounds: 60,
  warmups: 4,
  requests: 25_000,
  connections: 32,
  workers: 1,
  record: false,
})

const OPERATIONS: Readonly<Record<string, Operation>> = { issue: 'issue', introspect: 'introspect same' }

type Feature = {
  readonly variables: () => Promise<Readonly<Record<string, string>>>
  readonly isPiped: boolean
}

const LOG = { MINTMARK_ACCESS_LOG: 'on' }

/** `log` to a file, `logpipe` through a pipe to a program that throws it away; `nouse` counts not where tokens are used. */
const FEATURES: Readonly<Record<string, Feature>> = {
  none: { variables: async () => ({}), isPiped: false },
  metrics: {
    variables: async () => ({ MINTMARK_METRICS_ADDRESS: `127.0.0.1:${await freePort()}` }),
    isPiped: false,
  },
  log: { variables: async () => LOG, isPiped: false },
  logpipe: { variables: async () => LOG, isPiped: true },
  nouse: { variables: async () => ({ MINTMARK_USE_EVIDENCE: 'off' }), isPiped: false },
}
const NONE = 'none'

type Tree = { readonly name: 'this' | 'other'; readonly program: string }
type Service = { readonly name: string; readonly tree: Tree; readonly feature: string }

const HERE = resolve(import.meta.dirname, '../..')

const refuse = (line: string): never => {
  console.error(line)
  return process.exit(2)
}

const readPlan = () => {
  const operation = OPERATIONS[options.operation]
  if (operation === undefined) return refuse(`--operation is one of: ${Object.keys(OPERATIONS).join(', ')}`)
  const features = options.features.split(',').filter(one => one !== '' && one !== NONE)
  const unknown = features.find(one => FEATURES[one] === undefined)
  if (unknown !== undefined) return refuse(`--features are some of: ${Object.keys(FEATURES).join(', ')}`)
  const other = join(resolve(options.tree), 'server/src/main.ts')
  if (options.tree !== '' && !existsSync(other)) return refuse('--tree is another tree, with its node_modules.')
  const trees: readonly Tree[] = [
    { name: 'this', program: join(HERE, 'server/src/main.ts') },
    ...(options.tree === '' ? [] : [{ name: 'other', program: other } as const]),
  ]
  return { operation, features, trees }
}

const nameOf = (tree: Tree, feature: string): string => `${feature}, ${tree.name}`
const againOf = (tree: Tree): string => nameOf(tree, `${NONE} again`)

const servicesOf = (trees: readonly Tree[], features: readonly string[]): readonly Service[] =>
  trees.flatMap(tree => [
    { name: nameOf(tree, NONE), tree, feature: NONE },
    ...features.map(feature => ({ name: nameOf(tree, feature), tree, feature })),
    ...(tree.name === 'this' ? [{ name: againOf(tree), tree, feature: NONE }] : []),
  ])

/** Warms up before anything is measured: by time, a busy machine would bring too few requests for their code to be compiled. */
const warmUp = async (load: Load): Promise<void> => {
  let left = options.requests
  const next = () => (left-- > 0 ? load.next() : undefined)
  await runClosed({ ...load, next }, options.connections, Number.POSITIVE_INFINITY)
}

const startService = async (
  { name, tree, feature }: Service,
  operation: Operation,
  cores: Cores,
  started: AsyncDisposableStack,
): Promise<Series<string>> => {
  const { variables, isPiped } = FEATURES[feature] ?? refuse(`There is no ${feature}.`)
  const provider = started.adopt(await startIdentityProvider(), one => one.close())
  const make = install(provider, options.workers, await variables(), tree.program)
  const installation = started.adopt(await make, one => one.remove())
  const server = started.adopt(await serve(installation, { cores, isPiped }), one => one.stop())
  const loads = await makeMintmarkLoads(server)
  // Ticks of 10 ms are as long as a thirtieth of a slice.
  const isExact = !Number.isNaN(threadNanoseconds(server.pid))
  await warmUp(loads[operation])
  const exact = { spentSeconds: () => threadNanoseconds(server.pid) / 1e9 }
  return { name, load: { ...loads[operation], ...(isExact && exact) }, prepare: async () => {} }
}

const digits = (value: number): string => value.toFixed(3)

/** Compares two services over the rounds: the cost of a request of the first divided by that of the second. */
const rowOf = (tallies: Tallies<string>, first: string, second: string): Row => {
  const [ones, others] = [tallies.get(first) ?? [], tallies.get(second) ?? []]
  const [mine, theirs] = [ones.map(microsecondsOf), others.map(microsecondsOf)]
  const both = mine.flatMap((one, round) => {
    const other = theirs[round]
    return other === undefined ? [] : [{ ratio: one / other, more: one - other }]
  })
  const ratios = both.map(({ ratio }) => ratio).toSorted((a, b) => a - b)
  return [
    `${first} ÷ ${second}`,
    median(mine).toFixed(2),
    median(theirs).toFixed(2),
    digits(median(ratios)),
    digits(quantile(ratios, 0.25)),
    digits(quantile(ratios, 0.75)),
    median(both.map(({ more }) => more)).toFixed(2),
  ]
}

const TITLES = ['first ÷ second', 'first, µs', 'second, µs', 'ratio', 'lower quartile', 'upper quartile', 'more, µs']

const rowsOf = (tallies: Tallies<string>, trees: readonly Tree[], features: readonly string[]): readonly Row[] => {
  const [own, other] = trees
  if (own === undefined) return []
  const across = other === undefined ? [] : [NONE, ...features].map(one => [nameOf(own, one), nameOf(other, one)])
  const pairs = [
    [againOf(own), nameOf(own, NONE)],
    ...trees.flatMap(tree => features.map(feature => [nameOf(tree, feature), nameOf(tree, NONE)])),
    ...across,
  ]
  return pairs.map(([first = '', second = '']) => rowOf(tallies, first, second))
}

const run = async (): Promise<void> => {
  const { operation, features, trees } = readPlan()
  const cores = divideCores()
  const facts = describeMachine(cores)
  await using started = new AsyncDisposableStack()
  const allSeries: Series<string>[] = []
  for (const service of servicesOf(trees, features)) {
    allSeries.push(await startService(service, operation, cores, started))
  }
  // Progress is for a person: the figures alone go to standard output.
  const tallies = await measureRounds(allSeries, options, line => console.error(line))
  const table = formatTable(TITLES, rowsOf(tallies, trees, features))
  publish({ title: `What features cost: ${options.operation}`, facts, tables: [table] }, options.record)
}

await runBench(options, run)
