// The examples as their readers have them: copied out of the repository, beside the built packages of packages/.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { endChild } from '../processes/end-child.ts'

const ROOT = join(import.meta.dirname, '../..')
const MODULES = join(ROOT, 'node_modules')
const PACKAGES = ['client', 'verify']
const RUN_MS_MAX = 60_000
const OUTPUT_MAX = 100_000

type Environment = Readonly<Record<string, string>>

/** Does with a URL what a person does. */
type Follow = (url: string) => Promise<unknown>

export type RunningExample = {
  /** What it has written so far. */
  readonly output: () => string
  /** SIGTERM; what it ended with. */
  readonly stop: () => Promise<number | NodeJS.Signals | null>
}

export type InstalledExamples = {
  readonly names: readonly string[]
  /** Runs the command of a script of its package.json until it says that it listens. Throws where it ends before. */
  readonly start: (name: string, environment: Environment) => Promise<RunningExample>
  /** Runs the command of a script to its end; what it has written. Throws where its exit code is not 0. `follow` gets the first URL of it. */
  readonly run: (name: string, script: string, environment: Environment, follow?: Follow) => Promise<string>
  readonly remove: () => void
}

const runProgram = promisify(execFile)

// Not in the package's own folder: other tests and commands build there too.
const buildPackage = async (folder: string, name: string): Promise<void> => {
  const place = join(folder, 'node_modules/@mintmark', name)
  const source = join(ROOT, 'packages', name)
  mkdirSync(place, { recursive: true })
  cpSync(join(source, 'package.json'), join(place, 'package.json'))
  const compiler = join(MODULES, 'typescript/bin/tsc')
  const project = join(source, 'tsconfig.build.json')
  await runProgram(process.execPath, [compiler, '-p', project, '--outDir', join(place, 'dist')])
}

/** What is installed here stands for the registry: the test is of our files, not of the network. */
const linkModules = (folder: string): void => {
  for (const name of readdirSync(MODULES)) {
    if (name !== '@mintmark' && !name.startsWith('.')) {
      symlinkSync(join(MODULES, name), join(folder, 'node_modules', name))
    }
  }
}

const argumentsOf = (folder: string, script: string): readonly string[] => {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>
  }
  const [program, ...rest] = scripts[script]?.split(' ') ?? []
  if (program !== 'node') throw new Error(`The script ${script} in ${folder} is not a command of node.`)
  return rest
}

const startProgram = async (folder: string, environment: Environment): Promise<RunningExample> => {
  const child = spawn(process.execPath, argumentsOf(folder, 'start'), {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const take = (text: string): void => {
    output = (output + text).slice(-OUTPUT_MAX)
    if (output.includes('Listening on ')) resolve()
  }
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', take)
  child.once('exit', () => reject(new Error(`The example in ${folder} has ended: ${output}`)))
  const timer = setTimeout(() => reject(new Error(`The example in ${folder} does not listen: ${output}`)), RUN_MS_MAX)
  const stop = async (): Promise<number | NodeJS.Signals | null> => {
    await endChild(child, 'SIGTERM')
    return child.signalCode ?? child.exitCode
  }
  try {
    await promise
  } catch (fault) {
    await endChild(child, 'SIGKILL')
    throw fault
  } finally {
    clearTimeout(timer)
  }
  return { output: () => output, stop }
}

/** Follows the first URL that the program prints. Resolves where it ends without one too. */
const followFirst = (child: ChildProcess, follow: Follow): Promise<unknown> => {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  let printed = ''
  let isFollowed = false
  child.stdout?.on('data', (text: string) => {
    printed += text
    const url = /\bhttp:\S+(?=\n)/.exec(printed)?.[0]
    if (url === undefined || isFollowed) return
    isFollowed = true
    follow(url).then(resolve, fault => {
      child.kill()
      reject(fault as Error)
    })
  })
  child.once('exit', () => {
    if (!isFollowed) resolve(undefined)
  })
  return promise
}

/** Copies all examples for Node into a folder of their own, and builds what they are made with. */
export const installExamples = async (): Promise<InstalledExamples> => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mintmark-examples-')))
  mkdirSync(join(folder, 'node_modules'))
  linkModules(folder)
  await Promise.all(PACKAGES.map(name => buildPackage(folder, name)))
  const source = join(ROOT, 'examples')
  // Those in Python are tried by proof/interop/python/test_examples.py.
  const names = [...new Set(globSync('*/*.ts', { cwd: source }).map(dirname))]
  for (const name of names) {
    const isOwn = (path: string): boolean => !path.endsWith('node_modules')
    cpSync(join(source, name), join(folder, name), { recursive: true, filter: isOwn })
  }
  return {
    names,
    start: (name, environment) => startProgram(join(folder, name), environment),
    run: async (name, script, environment, follow) => {
      const cwd = join(folder, name)
      const options = { cwd, env: environment, timeout: RUN_MS_MAX }
      const running = runProgram(process.execPath, argumentsOf(cwd, script), options)
      const followed = follow && followFirst(running.child, follow)
      const [{ stdout }] = await Promise.all([running, followed])
      return stdout
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
