// `npm run proof interop` runs every suite that this machine can; with `--suite go` that one.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { delimiter } from 'node:path'
import { startService, type Surroundings } from './service.ts'
import { makeBound, readOptions } from '../options.ts'
import { BUILD, folderOf, type Step, type Suite, SUITES } from './suites.ts'

type Outcome = { readonly result: 'passed' | 'failed' | 'skipped'; readonly why: string }

const isThere = (command: string): boolean => spawnSync('which', [command]).status === 0

/** Builds are heavy: whatever else runs on the machine goes first. Meanwhile the identity provider answers in this process. */
const take = async ({ command, args }: Step, suite: Suite, surroundings: Surroundings): Promise<boolean> => {
  const env = { ...process.env, ...surroundings, BUILD, PYTHONDONTWRITEBYTECODE: '1' }
  const niced = spawn('nice', ['-n', '19', command, ...args], { cwd: folderOf(suite), env, stdio: 'inherit' })
  await once(niced, 'close')
  return niced.exitCode === 0
}

const runSuite = async (suite: Suite): Promise<Outcome> => {
  const missing = suite.needs.filter(command => !isThere(command))
  if (missing.length > 0) return { result: 'skipped', why: `not on this machine: ${missing.join(', ')}` }
  for (const step of suite.prepare) {
    if (await take(step, suite, {})) continue
    return { result: 'skipped', why: `could not be prepared: ${[step.command, ...step.args].join(' ')}` }
  }
  for (const store of suite.stores ?? (['sqlite'] as const)) {
    console.log(`── ${suite.name} on ${store}`)
    const { surroundings, stop } = await startService(suite.settings, store)
    try {
      if (!(await take(suite.run, suite, surroundings))) return { result: 'failed', why: `on ${store}: see above` }
    } finally {
      await stop()
    }
  }
  return { result: 'passed', why: '' }
}

const options = readOptions({ suite: SUITES.map(({ name }) => name) })
const isOver = makeBound(options)
mkdirSync(BUILD, { recursive: true })
process.env['PATH'] = [process.env['PATH'], '/usr/sbin'].join(delimiter)
const outcomes: [string, Outcome][] = []
for (const suite of SUITES.filter(({ name }) => options.suite === null || options.suite === name)) {
  if (isOver()) break
  console.log(`── ${suite.name}`)
  outcomes.push([suite.name, await runSuite(suite)])
}
console.log('──')
for (const [name, { result, why }] of outcomes) console.log(`${name}: ${result}${why && ` (${why})`}`)
// A suite that was asked for by name and could not run is no success.
const bad = outcomes.filter(([, { result }]) => result === 'failed' || (result === 'skipped' && options.suite !== null))
process.exitCode = bad.length > 0 ? 1 : 0
