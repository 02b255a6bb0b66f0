// Mutation testing: changes one expression of the program at a time and asks whether a test turns red. Stryker does it, with
// packages of its own, which arrive at the first run. docs/development/mutation.md has the scores.
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { readOptions } from '../options.ts'
import { ROOT } from '../program-copy.ts'

/** What is worth most, where nothing is named: what decides about a token's life, and what reads bytes of strangers. */
const FILES = [
  'server/src/domain/**/*.ts',
  'server/src/keys/**/*.ts',
  'server/src/http/wire/{authorization,form,json-body}.ts',
]

const HERE = import.meta.dirname
const CONFIG = join(HERE, 'stryker.config.json')
/** The package is not in the lock file of the workspace: it brings 186 packages that nobody else needs. */
const STRYKER = '@stryker-mutator/core@10.0.0'
const PROGRAM = join(HERE, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js')

const run = (
  command: string,
  args: readonly string[],
  { cwd, minutes }: { cwd: string; minutes: number | null },
): void => {
  // The tests run on this Node, not on the one that started npm.
  const PATH = [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter)
  const timeout = minutes === null ? undefined : 60_000 * minutes
  const { status, error } = spawnSync(command, [...args], {
    cwd,
    timeout,
    stdio: 'inherit',
    env: { ...process.env, PATH },
  })
  if (error !== undefined) console.error(`Stopped: ${error.message}`)
  if (status !== 0) process.exit(status ?? 1)
}

type Config = { readonly pure: object }

/** The configuration for a run with other tests than usual: fewer take less time for each mutant. */
const configWith = (tests: string): string => {
  const path = join(HERE, 'once.config.json')
  const config = JSON.parse(readFileSync(CONFIG, 'utf8')) as Config // as the file stands in the repository
  writeFileSync(path, JSON.stringify({ ...config, pure: { ...config.pure, testFiles: [tests] } }))
  return path
}

const options = readOptions({ files: '', tests: '', dry: false })

if (!existsSync(PROGRAM)) {
  console.log('Installing Stryker into proof/mutation/ (once)…')
  const flags = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  run('npm', ['install', '--prefix', HERE, ...flags, STRYKER], { cwd: HERE, minutes: null })
}
// By name: Stryker splits its list at commas, those of a glob too.
const files = (options.files === '' ? FILES : [options.files]).flatMap(glob => globSync(glob, { cwd: ROOT }))
if (files.length === 0) {
  console.error('--files fits no file.')
  process.exit(1)
}
const dry = options.dry ? ['--dryRunOnly'] : []
const config = options.tests === '' ? CONFIG : configWith(options.tests)
run(process.execPath, [PROGRAM, 'run', config, '--mutate', files.join(','), ...dry], {
  cwd: ROOT,
  minutes: options.minutes,
})
