// Whether the replicas drill finds anything: it is run on copies of the program that each hold one defect, and must turn
// red on every one of them. docs/development/drills.md names the defects.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeBound } from '../options.ts'
import { runReplicas } from './cluster/drill-run.ts'
import type { Parts } from './cluster/parts.ts'
import { SEEDED_FAULTS, type SeededFault, seedFault } from './cluster/seeded-faults.ts'
import { withParts } from './cluster/with-parts.ts'
import { print, readOptions } from './drill.ts'

const options = readOptions({
  seconds: 300,
  fault: null,
  replicas: 5,
  clients: 2,
  connections: 80,
  tokens: 64,
  workers: 1,
  quiet: 1,
})

const isOver = makeBound(options)

const say = (line: string): void => print(`  ${line}`)
const report = (line: string): void => {
  if (options.quiet === 0) say(line)
}

// What the load has to do before it ends is left to the seconds, or to the first violation.
const run = async (parts: Parts, fault: SeededFault): Promise<boolean> => {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-seeded-'))
  try {
    const program = seedFault(folder, fault)
    const { seconds } = options
    const until = { operations: Infinity, faults: 0, failovers: 0, isOver: makeBound({ minutes: seconds / 60 }) }
    const { violations, summary } = await runReplicas({ ...options, ...until, parts, program, say, report })
    const promises = violations.filter(violation => /^P\d: /.test(violation))
    for (const violation of violations.slice(0, 3)) say(violation)
    print(`${promises.length > 0 ? 'found' : 'NOT FOUND'}: ${fault.name}. ${summary}`)
    return promises.length > 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const runAll = async (parts: Parts): Promise<void> => {
  print(`Seeded faults: ${JSON.stringify(options)}`)
  const chosen = SEEDED_FAULTS.filter((_, n) => options.fault === null || options.fault === n + 1)
  let found = 0
  for (const fault of chosen) {
    if (isOver()) {
      say(`not tried, for the minutes are over: ${fault.name}`)
      continue
    }
    print(fault.name)
    if (await run(parts, fault)) found += 1
  }
  print(`${found} passed, ${chosen.length - found} failed`)
  process.exitCode = found === chosen.length && found > 0 ? 0 : 1
}

await withParts(runAll)
