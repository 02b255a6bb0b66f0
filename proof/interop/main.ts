// `npm run interop` runs every suite that this machine can; `npm run interop -- go python` runs those.
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { delimiter } from 'node:path'
import { startService, type Surroundings } from './service.ts'
import { BUILD, folderOf, type Step, type Suite, SUITES } from './suites.ts'

type Outcome = { readonly result: 'passed' | 'failed' | 'skipped'; readonly why: string }

const isThere = (command: string): boolean => spawnSync('which', [command]).status === 0

/** Builds are heavy: whatever else runs on the machine goes first. */
const take = ({ command, args }: Step, suite: Suite, surroundings: Surroundings): boolean => {
  const env = { ...process.env, ...surroundings, BUILD, PYTHONDONTWRITEBYTECODE: '1' }
  const niced = ['-n', '19', command, ...args]
  return spawnSync('nice', niced, { cwd: folderOf(suite), env, stdio: 'inherit' }).status === 0
}

const runSuite = async (suite: Suite): Promise<Outcome> => {
  const missing = suite.needs.filter(command => !isThere(command))
  if (missing.length > 0) return { result: 'skipped', why: `not on this machine: ${missing.join(', ')}` }
  const failed = suite.prepare.find(step => !take(step, suite, {}))
  if (failed !== undefined) {
    return { result: 'skipped', why: `could not be prepared: ${[failed.command, ...failed.args].join(' ')}` }
  }
  for (const store of suite.stores ?? (['sqlite'] as const)) {
    console.log(`── ${suite.name} on ${store}`)
    const { surroundings, stop } = await startService(suite.settings, store)
    try {
      if (!take(suite.run, suite, surroundings)) return { result: 'failed', why: `on ${store}: see above` }
    } finally {
      await stop()
    }
  }
  return { result: 'passed', why: '' }
}

const wanted = process.argv.slice(2)
const unknown = wanted.filter(name => !SUITES.some(suite => suite.name === name))
if (unknown.length > 0) {
  console.error(`There is no suite ${unknown.join(', ')}; there are: ${SUITES.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}
mkdirSync(BUILD, { recursive: true })
process.env['PATH'] = [process.env['PATH'], '/usr/sbin'].join(delimiter)
const outcomes: [string, Outcome][] = []
for (const suite of SUITES.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  console.log(`── ${suite.name}`)
  outcomes.push([suite.name, await runSuite(suite)])
}
console.log('──')
for (const [name, { result, why }] of outcomes) console.log(`${name}: ${result}${why && ` (${why})`}`)
// A suite that was asked for by name and could not run is no success.
const bad = outcomes.filter(([, { result }]) => result === 'failed' || (result === 'skipped' && wanted.length > 0))
process.exitCode = bad.length > 0 ? 1 : 0
