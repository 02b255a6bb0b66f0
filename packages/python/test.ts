// npm run test:python: lint, types and tests of the Python package, installed as a wheel in a virtual environment of its own, beside
// a service. Where there is no Python that it runs on, it says so and is done.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { startAgents } from './agents-of-tests.ts'
import { AUDIENCE, catchUp, startServer } from '../../testkit/services/test-server.ts'

const FOLDER = import.meta.dirname
const ENVIRONMENT = join(FOLDER, '.venv')
const PROGRAMS = join(ENVIRONMENT, process.platform === 'win32' ? 'Scripts' : 'bin')
const PYTHON = join(PROGRAMS, 'python')
const REQUIREMENTS = join(FOLDER, 'requirements.txt')
const WHEELS = join(ENVIRONMENT, 'wheels')
/** What the environment was made for: it is kept while that is the same. */
const STAMP = join(ENVIRONMENT, 'made-for')
const PYRIGHT = join(FOLDER, '../../node_modules/pyright/index.js')

/** Of `requires-python`. */
const IS_NEW_ENOUGH = 'import sys; print(sys.version); sys.exit(sys.version_info < (3, 11))'
const COMMANDS = ['python3.13', 'python3.12', 'python3.11', 'python3']

const print = (line: string): void => void process.stdout.write(`${line}\n`)

type Found = { readonly command: string; readonly version: string }

const findPython = (): Found | undefined => {
  for (const command of COMMANDS) {
    const { status, stdout } = spawnSync(command, ['-c', IS_NEW_ENOUGH], { encoding: 'utf8' })
    if (status === 0) return { command, version: stdout }
  }
  return undefined
}

/** The programs of the environment first: pyright looks for its packages where `python` is. */
const PATH = [PROGRAMS, process.env['PATH']].join(delimiter)
const QUIET = { PYTHONDONTWRITEBYTECODE: '1', PIP_DISABLE_PIP_VERSION_CHECK: '1' }

/** Whether it succeeded. Not synchronous: meanwhile the service answers in this process. */
const run = async (command: string, args: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<boolean> => {
  const env = { ...process.env, ...QUIET, PATH, ...variables }
  const child = spawn(command, args, { cwd: FOLDER, env, stdio: 'inherit' })
  await once(child, 'close')
  return child.exitCode === 0
}

const python = (...args: readonly string[]): Promise<boolean> => run(PYTHON, args)
const pip = (...args: readonly string[]): Promise<boolean> => python('-m', 'pip', 'install', '--quiet', ...args)

const makeEnvironment = async ({ command, version }: Found): Promise<boolean> => {
  const wanted = createHash('sha256').update(version).update(readFileSync(REQUIREMENTS)).digest('hex')
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) return true
  rmSync(ENVIRONMENT, { recursive: true, force: true })
  const isMade =
    (await run(command, ['-m', 'venv', ENVIRONMENT])) && (await pip('--require-hashes', '--requirement', REQUIREMENTS))
  if (isMade) writeFileSync(STAMP, wanted)
  return isMade
}

/** By the build backend itself, which looks for its program in PATH: pip would fetch another one. */
const BUILD = 'import sys, uv_build; print(uv_build.build_wheel(sys.argv[1]))'

const installWheel = async (): Promise<boolean> => {
  rmSync(WHEELS, { recursive: true, force: true })
  mkdirSync(WHEELS)
  const env = { ...process.env, PATH }
  const { status, stdout, stderr } = spawnSync(PYTHON, ['-c', BUILD, WHEELS], { cwd: FOLDER, env, encoding: 'utf8' })
  if (status !== 0) {
    print(stderr)
    return false
  }
  const file = stdout.trim().split('\n').at(-1) ?? ''
  return pip('--no-deps', '--no-index', '--force-reinstall', join(WHEELS, file))
}

const check = async (): Promise<boolean> =>
  (await python('-m', 'ruff', 'check', '--quiet')) &&
  (await python('-m', 'ruff', 'format', '--check')) &&
  (await python('-m', 'mypy')) &&
  (await run(process.execPath, [PYRIGHT])) &&
  (await run(process.execPath, [PYRIGHT, '--verifytypes', 'mintmark_auth', '--ignoreexternal']))

const testBesideService = async (): Promise<boolean> => {
  const service = await startServer()
  try {
    catchUp(service) // Python reads the clock of the machine
    const { clientId, clientSecret } = await service.createAgent()
    const { key: apiKey } = await service.createApiKey('tokens:introspect')
    const agents = await startAgents(service)
    const given = { issuer: service.baseUrl, audience: AUDIENCE, apiKey, clientId, clientSecret, ...agents.given }
    const variables = { MINTMARK_SERVICE: JSON.stringify(given) }
    const isPassed = await run(PYTHON, ['-m', 'pytest', ...process.argv.slice(2)], variables)
    await agents.close()
    return isPassed
  } finally {
    await service.close()
  }
}

const main = async (): Promise<boolean> => {
  const found = findPython()
  if (found === undefined) {
    print(`The Python package was not tested: there is no Python 3.11 or newer among ${COMMANDS.join(', ')}.`)
    return true
  }
  return (await makeEnvironment(found)) && (await installWheel()) && (await check()) && (await testBesideService())
}

process.exitCode = (await main()) ? 0 : 1
