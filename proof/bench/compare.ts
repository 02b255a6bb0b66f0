// node proof/bench/compare.ts --tree PATH: this tree beside another one, in one run, by processor time a request. With --metrics this
// tree measures itself as well: `--tree . --metrics` shows what that costs.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { startIdentityProvider } from '../../testkit/identity-providers/identity-provider.ts'
import { freePort } from '../../testkit/processes/free-port.ts'
import { formatTable, median, publish, type Row } from './figures.ts'
import { type Cores, describeMachine, divideCores } from './machine.ts'
import { makeMintmarkLoads, type Operation } from './mintmark-loads.ts'
import { readOptions } from '../options.ts'
import { figuresOf, measureRounds, microsecondsOf, type Series, type Tallies } from './rounds.ts'
import { runBench } from './run-bench.ts'
import { install, serve } from './servers/mintmark-server.ts'

const options = readOptions({
  tree: '',
  seconds: 1.5,
  rounds: 8,
  warmups: 8,
  connections: 32,
  workers: 0,
  metrics: false,
  record: false,
})

const OPERATIONS: readonly Operation[] = ['issue', 'introspect fresh', 'revoke']
type Tree = 'this' | 'other'
type Name = `${Operation}, ${Tree}`

const HERE = resolve(import.meta.dirname, '../..')

const programIn = (tree: string): string => {
  const program = join(resolve(tree), 'server/src/main.ts')
  if (tree !== '' && existsSync(program)) return program
  console.error('--tree PATH is needed: another tree of this repository, with its node_modules.')
  return process.exit(2)
}

// Progress is for a person: the figures alone go to standard output.
const report = (line: string): void => console.error(line)

const startTree = async (
  name: Tree,
  program: string,
  cores: Cores,
  started: AsyncDisposableStack,
): Promise<ReadonlyMap<Operation, Series<Name>>> => {
  const measured = name === 'this' && options.metrics
  const variables: Record<string, string> = measured
    ? { MINTMARK_METRICS_ADDRESS: `127.0.0.1:${await freePort()}` }
    : {}
  const provider = started.adopt(await startIdentityProvider(), one => one.close())
  const installation = started.adopt(await install(provider, options.workers, variables, program), one => one.remove())
  const server = started.adopt(await serve(installation, { cores }), one => one.stop())
  const loads = await makeMintmarkLoads(server)
  const prepare = async (requests: number) => loads.fillPool(requests, options.connections)
  return new Map(
    OPERATIONS.map(operation => [
      operation,
      {
        name: `${operation}, ${name}`,
        load: loads[operation],
        prepare: operation === 'issue' ? async () => {} : prepare,
      },
    ]),
  )
}

const rowOf = (tallies: Tallies<Name>, operation: Operation): Row => {
  const [own, others] = [tallies.get(`${operation}, this`) ?? [], tallies.get(`${operation}, other`) ?? []]
  const ratios = own.flatMap((tally, round) => {
    const other = others[round]
    return other === undefined ? [] : [microsecondsOf(tally) / microsecondsOf(other)]
  })
  const [mine, theirs] = [figuresOf(own), figuresOf(others)]
  return [
    operation,
    mine.microsecondsPerRequest,
    theirs.microsecondsPerRequest,
    median(ratios),
    Math.min(...ratios),
    Math.max(...ratios),
  ]
}

const run = async (): Promise<void> => {
  const other = programIn(options.tree)
  const cores = divideCores()
  const facts = describeMachine(cores)
  await using started = new AsyncDisposableStack()
  const own = await startTree('this', join(HERE, 'server/src/main.ts'), cores, started)
  const others = await startTree('other', other, cores, started)
  const allSeries = OPERATIONS.flatMap(operation => [own, others].flatMap(one => one.get(operation) ?? []))
  const tallies = await measureRounds(allSeries, options, report)
  const table = formatTable(
    ['series', 'this tree, µs/request', 'other tree', 'ratio', 'least', 'most'],
    OPERATIONS.map(operation => rowOf(tallies, operation)),
  )
  const title = `This tree beside another, ${new Date().toISOString().slice(0, 10)}`
  publish({ title, facts, tables: [table] }, options.record)
}

await runBench(options, run)
