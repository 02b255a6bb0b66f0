// The replicas drill: five replicas over a PostgreSQL cluster that fails over, while processes stop and die, links break
// and clocks step; every answer must fit into one order of all operations. docs/development/drills.md says what it shows.
import { makeBound } from '../options.ts'
import { runReplicas } from './cluster/drill-run.ts'
import { withParts } from './cluster/with-parts.ts'
import { conclude, print, readOptions } from './drill.ts'
import { PROGRAM } from './service-under-drill.ts'

const options = readOptions({
  operations: 1_000_000,
  faults: 200,
  failovers: 20,
  replicas: 5,
  clients: 2,
  connections: 80,
  tokens: 64,
  workers: 1,
  quiet: 0,
})

const isOver = makeBound(options)
const began = performance.now()
const say = (line: string): void => print(`  ${((performance.now() - began) / 1000).toFixed(1)} s: ${line}`)
const report = (line: string): void => {
  if (options.quiet === 0) say(line)
}

await withParts(async parts => {
  print(`Replicas: ${JSON.stringify(options)}`)
  const { violations, summary, folder } = await runReplicas({
    ...options,
    isOver,
    parts,
    program: PROGRAM,
    say,
    report,
  })
  if (folder !== undefined) print(`All logs are kept in ${folder}`)
  conclude(violations, summary)
})
